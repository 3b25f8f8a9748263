import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { DASHBOARD_LIMITS, MAX_LIMIT } from '../../dashboard-limits.ts';
import { type Loaded, type LoadedPages, toError, useChange, useData, usePages } from '../../data.ts';
import { deleteLater, useUndeleted } from '../../deletions.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { may, type OperationName } from '../../permissions.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, type Question } from '../../ui/dialog.tsx';
import type { IconName } from '../../ui/icon.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Empty, ListFoot, Shown } from '../../ui/states.tsx';
import { focusHeading } from '../../ui/view.tsx';
import { type Labels, useLabels } from '../columns/column-labels.ts';
import { filterOf, NO_FILTER, searchOf } from '../filter.ts';
import { type Submission, summaryOf, textsOf, titleOf } from '../read-submissions.ts';
import { type Selected, useSelected } from '../selected.ts';
import { SelectionBar } from '../selection.tsx';
import { Fields, Technical } from '../submission/submission-fields.tsx';
import { Folders } from '../toolbar/folders.tsx';
import { SearchField } from '../toolbar/search-field.tsx';

type Items = { items: readonly Submission[]; total: number };
type Read = (query: { page: number; limit: number }, signal: AbortSignal) => Promise<Items>;

/** The actions for a submission that is kept apart. */
export type KeptAction = {
  /** The operation that it calls. */
  needs: OperationName;
  label: string;
  icon: IconName;
  /** Says of so many submissions where they are now. */
  done(count: number): string;
  /** Says why others are not there. */
  doneBefore(count: number, why: string): string;
  /** The question before it, where nothing undoes it. */
  ask?: (count: number) => Question;
  /** Deletes so few that it is not asked about, and can be undone. */
  isDeletion?: boolean;
  make(submission: Submission): Promise<unknown>;
};

/** A folder of submissions that are kept apart from the inbox. */
export type KeptFolder = {
  /** Its name in the address. */
  view: string;
  /** Says that it is being read. */
  loading: string;
  /** What the field for a search says while it is empty. */
  search: string;
  read: Read;
  actions: readonly KeptAction[];
  /** Where a submission is in the API: an action that is a deletion deletes what is there. */
  pathOf(submission: Submission): string;
  /** Stands below a name: why it is here, and since when. */
  facts(submission: Submission): ComponentChildren;
  /** It is empty. */
  nothing: JSX.Element;
  /** At the end of the list. */
  foot?: (items: readonly Submission[], total: number, onDone: () => void) => JSX.Element | undefined;
};

/** Looks for a text in the folder, of which so many are read as are kept. Without a text it is not read. */
function useFound(key: string, { read, pathOf }: KeptFolder, q: string): Loaded<readonly Submission[]> {
  const wanted = q.toLowerCase();
  const loaded = useData(`${key}?${wanted}`, async (signal) => {
    const found: Submission[] = [];
    for (let page = 1; wanted !== '' && (page - 1) * MAX_LIMIT < DASHBOARD_LIMITS.inbox.searchedKept; page += 1) {
      const { items, total } = await read({ page, limit: MAX_LIMIT }, signal);
      found.push(...items.filter((one) => textsOf(one).toLowerCase().includes(wanted)));
      if (page * MAX_LIMIT >= total) break;
    }
    return found;
  });
  const items = useUndeleted(loaded.data, pathOf, loaded.reload);
  return { ...loaded, data: loaded.data && items };
}

type RowProps = {
  submission: Submission;
  labels: Labels;
  /** Undefined where there is nothing to do with several. */
  selected: Selected<Submission> | undefined;
  facts: KeptFolder['facts'];
  /** The buttons of a submission that is open. */
  children: ComponentChildren;
};

const Kept = ({ submission, labels, selected, facts, children }: RowProps): JSX.Element => (
  <li class="row kept-row">
    {selected && (
      <input
        type="checkbox"
        aria-label={fill(t.inbox.rows.select, { title: titleOf(submission) })}
        checked={selected.ids.has(submission.id)}
        onClick={({ shiftKey }) => selected.toggle(submission.id, shiftKey)}
      />
    )}
    <details class="row-text">
      <summary>
        <span class="line">
          <bdi>{titleOf(submission)}</bdi> <bdi class="muted">{summaryOf(submission)}</bdi>
        </span>
        <br />
        {facts(submission)}
      </summary>
      {children}
      <Fields submission={submission} labels={labels} />
      <Technical submission={submission} labels={labels} />
    </details>
  </li>
);

type Asked = { action: KeptAction; rows: readonly Submission[] };

/** Changes submissions one after the other; says how many have been changed, and asks first where an action has a question. */
function useKeptActions(pathOf: KeptFolder['pathOf'], onDone: () => void) {
  const [asked, setAsked] = useState<Asked>();
  const { change, run, clear } = useChange();
  async function make({ action, rows }: Asked): Promise<void> {
    let made = 0;
    try {
      for (const row of rows) {
        await action.make(row);
        made += 1;
      }
      say(action.done(made));
    } catch (error) {
      if (made === 0) throw error;
      throw new Error(action.doneBefore(made, toError(error).message));
    } finally {
      if (made > 0) onDone();
    }
    focusHeading();
  }
  const question = asked?.action.ask?.(asked.rows.length);
  return {
    act(action: KeptAction, rows: readonly Submission[]): void {
      clear();
      if (action.isDeletion && rows.length <= DASHBOARD_LIMITS.inbox.undoneSubmissions) {
        deleteLater(action.done(rows.length), rows.map(pathOf));
        onDone();
        focusHeading();
      } else if (action.ask) setAsked({ action, rows });
      else make({ action, rows }).catch((error) => say(fill(t.inbox.notSaved, { why: error.message })));
    },
    question: asked && question && (
      <ConfirmDialog
        {...question}
        change={change}
        onConfirm={async () => {
          if (await run(() => make(asked))) setAsked(undefined);
        }}
        onClose={() => setAsked(undefined)}
      />
    ),
  };
}

/** Leaves out of a list what is deleted. */
function useKept(key: string, { read, pathOf }: KeptFolder): LoadedPages<Submission> {
  const loaded = usePages(key, DASHBOARD_LIMITS.inbox.keptPageSize, read);
  const { data, reload } = loaded;
  const items = useUndeleted(data?.items, pathOf, reload);
  return { ...loaded, data: data && { items, total: data.total - data.items.length + items.length } };
}

type ListProps = { folder: KeptFolder; page: Page; onChange(): void };

/** The folders, and a search in this one. */
function Bar({
  folder: { view, search: placeholder },
  page,
  q,
}: Omit<ListProps, 'onChange'> & { q: string }): JSX.Element {
  const { path, route } = useLocation();
  const search = (text: string): void => {
    const rest = searchOf({ ...NO_FILTER, q: text }).replace('?', '&');
    route(`${path}?view=${view}${rest}`, true);
  };
  return (
    <search class="inbox-bar">
      <Folders page={page} />
      <SearchField q={q} placeholder={placeholder} onSearch={search} />
    </search>
  );
}

/** A folder: its submissions, each of which opens in its place, and what can be done with several. */
export function KeptList({ folder, page, onChange }: ListProps): JSX.Element {
  const { q } = filterOf(useLocation().query);
  const { labels } = useLabels(page.id);
  const key = `${folder.view}:${page.id}`;
  const { pathOf } = folder;
  const loaded = useKept(key, folder);
  const found = useFound(key, folder, q);
  const rows = (q === '' ? loaded.data?.items : found.data) ?? [];
  const selected = useSelected(rows, key + q);
  function onDone(): void {
    selected.clear();
    loaded.reload();
    found.reload();
    onChange();
  }
  useOtherTabs(() => {
    loaded.reload();
    found.reload();
  });
  const { act, question } = useKeptActions(pathOf, onDone);
  const actions = folder.actions.filter(({ needs }) => may(needs));
  const buttonsFor = (of: readonly Submission[]) =>
    actions.map((action) => (
      <Button key={action.label} kind="quiet" icon={action.icon} onClick={() => act(action, of)}>
        {action.label}
      </Button>
    ));
  const rowOf = (submission: Submission) => (
    <Kept
      key={submission.id}
      {...{ submission, labels }}
      selected={actions.length > 0 ? selected : undefined}
      facts={folder.facts}
    >
      {selected.rows.length === 0 && <div class="buttons actions">{buttonsFor([submission])}</div>}
    </Kept>
  );
  return (
    <div class="stack inbox-list">
      {q !== '' || loaded.data?.total !== 0 ? (
        <Bar folder={folder} page={page} q={q} />
      ) : (
        <div class="inbox-bar">
          <Folders page={page} />
        </div>
      )}
      {q === '' ? (
        <All loaded={loaded} folder={folder} onDone={onDone}>
          {rowOf}
        </All>
      ) : (
        <Found found={found}>{rowOf}</Found>
      )}
      {selected.rows.length > 0 && (
        <SelectionBar
          selected={counted(t.inbox.selection.selected.some, selected.rows.length)}
          onClear={selected.clear}
        >
          <div class="buttons actions">{buttonsFor(selected.rows)}</div>
        </SelectionBar>
      )}
      {question}
    </div>
  );
}

type RowOf = (submission: Submission) => JSX.Element;

const All = ({
  loaded,
  folder: { loading, nothing, foot },
  onDone,
  children,
}: {
  loaded: LoadedPages<Submission>;
  folder: KeptFolder;
  onDone(): void;
  children: RowOf;
}): JSX.Element => (
  <Shown loaded={loaded} label={loading}>
    {({ items, total }) =>
      total === 0 ? (
        nothing
      ) : (
        <>
          <ul class="rows card">{items.map(children)}</ul>
          <ListFoot loaded={loaded} of={t.shared.counts.submissions}>
            {foot?.(items, total, onDone)}
          </ListFoot>
        </>
      )
    }
  </Shown>
);

const Found = ({ found, children }: { found: Loaded<readonly Submission[]>; children: RowOf }): JSX.Element => (
  <Shown loaded={found} label={t.inbox.kept.searching}>
    {(items) => (
      <>
        <p class="muted" role="status">
          {counted(t.inbox.kept.found, items.length)}
        </p>
        {items.length === 0 ? (
          <Empty icon="page" title={t.inbox.empty.notFound}>
            <p>{t.inbox.kept.notFoundHint}</p>
          </Empty>
        ) : (
          <ul class="rows card">{items.map(children)}</ul>
        )}
      </>
    )}
  </Shown>
);
