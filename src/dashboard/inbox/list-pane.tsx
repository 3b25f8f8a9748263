import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { READS_SETTINGS } from '../ui/page-layout.tsx';
import { Empty, Loading, Problem } from '../ui/states.tsx';
import { useChosenColumns } from './columns/chosen-columns.ts';
import { useSums } from './columns/column-sums.ts';
import { useColumns } from './columns/inbox-columns.ts';
import { SumsRow } from './columns/sums-row.tsx';
import { isFiltered, isSearch, NO_FILTER, searchOf } from './filter.ts';
import type { Inbox } from './inbox-state.ts';
import { Table } from './inbox-table.tsx';
import { ColumnsMenu } from './toolbar/columns-menu.tsx';
import { Folders } from './toolbar/folders.tsx';
import { FormsMenu } from './toolbar/forms-menu.tsx';
import { Toolbar } from './toolbar/inbox-toolbar.tsx';

/** Why the list is empty, and the next step. */
function Nothing({ inbox: { page, filter }, onClear }: { inbox: Inbox; onClear(): void }): JSX.Element {
  if (isFiltered(filter) && !isSearch(filter)) {
    return filter.unread ? (
      <Empty icon="done" title={t.inbox.empty.unread}>
        <p>{t.inbox.empty.unreadHint}</p>
      </Empty>
    ) : (
      <Empty icon="star" title={t.inbox.empty.starred}>
        <p>{t.inbox.empty.starredHint}</p>
      </Empty>
    );
  }
  if (isFiltered(filter)) {
    return (
      <Empty icon="page" title={t.inbox.empty.notFound}>
        <p>{t.inbox.empty.notFoundHint}</p>
        <p>
          <Button onClick={onClear}>{t.inbox.empty.showAll}</Button>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="mail" title={t.inbox.empty.atFirst}>
      <p>{page ? t.inbox.empty.atFirstOnPage : t.inbox.empty.atFirstOnAll}</p>
      <p>
        {page ? (
          <ButtonLink icon="open" href={page.url} isElsewhere>
            {t.inbox.empty.openPage}
          </ButtonLink>
        ) : (
          <ButtonLink href="/dashboard">{t.inbox.empty.yourPages}</ButtonLink>
        )}
      </p>
      {page && may(READS_SETTINGS) && (
        <p>
          <a href={pageLinks(page.id).notifications}>{t.inbox.empty.notify}</a>
        </p>
      )}
      {page && may('POST /submissions/{deployId}/import') && (
        <p>
          <a href={pageLinks(page.id).importing}>{t.inbox.empty.importEarlier}</a>
        </p>
      )}
      {page && (
        <details>
          <summary>{t.inbox.empty.formElsewhere}</summary>
          <FormSnippet id={page.id} />
        </details>
      )}
    </Empty>
  );
}

/** The toolbar and the list. */
export function ListPane({ inbox }: { inbox: Inbox }): JSX.Element {
  const { page, labels, forms, list, filter } = inbox;
  const { path, route } = useLocation();
  const { rows, isReading, error } = list.state.value;
  const [chosen, choose] = useChosenColumns(page?.id);
  const hasForms = forms.length > 0 && filter.form === '';
  const { columns, choices } = useColumns(page?.id, labels, rows, { chosen, hasForms });
  const sums = useSums(labels, rows);
  const isEmpty = rows.length === 0 && !isReading && !error;
  const narrowTo = (changed: typeof filter): void => route(path + searchOf(changed), true);
  return (
    <>
      {isEmpty && !isFiltered(filter) ? (
        <div class="inbox-bar">
          <Folders page={page} />
        </div>
      ) : (
        <Toolbar inbox={inbox} onChange={narrowTo}>
          {(forms.length > 0 || filter.form !== '') && <FormsMenu forms={forms} filter={filter} onChange={narrowTo} />}
          {choices.length > 1 && (
            <ColumnsMenu columns={columns} choices={choices} isChosen={chosen !== undefined} onChoose={choose} />
          )}
        </Toolbar>
      )}
      {error && <Problem error={error} onRetry={() => list.more()} />}
      {rows.length === 0 && isReading && <Loading label={t.inbox.loading} />}
      {isEmpty && <Nothing inbox={inbox} onClear={() => narrowTo(NO_FILTER)} />}
      {rows.length > 0 && <Table inbox={inbox} columns={columns} />}
      {rows.length > 0 && <SumsRow sums={sums} list={list} />}
    </>
  );
}
