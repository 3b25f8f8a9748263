import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import type { Overviewed } from '../own-pages.ts';
import { Button, Toggle } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Menu } from '../ui/menu.tsx';
import { counted, numbers } from '../ui/time.tsx';
import { type Filter, isFiltered, NO_FILTER, queryOf, searchOf } from './filter.ts';
import { SEARCH_ID, showHelp } from './shortcuts.tsx';
import type { SubmissionList } from './submission-list.ts';

type Props = { filter: Filter; onChange(filter: Filter): void };

/** The search begins a moment after the last key. */
function Search({ filter, onChange, total }: Props & { total: number }): JSX.Element {
  const [typed, setTyped] = useState(filter.q);
  const q = typed.trim();
  const searched = useRef(filter.q);
  const search = (): void => {
    searched.current = q;
    onChange({ ...filter, q });
  };
  useEffect(() => {
    if (q === filter.q) return undefined;
    const timer = setTimeout(search, DASHBOARD_LIMITS.inbox.typingMs);
    return () => clearTimeout(timer);
  }, [q, searchOf(filter)]);
  // *Clear*, and back and forward, change it too.
  useEffect(() => {
    if (filter.q !== searched.current) setTyped(filter.q);
    searched.current = filter.q;
  }, [filter.q]);
  return (
    <Form onSubmit={search}>
      <label class="unseen" for={SEARCH_ID}>
        Search
      </label>
      <input
        id={SEARCH_ID}
        type="search"
        placeholder={total === 0 ? 'Search' : `Search ${counted(total, 'submission')}`}
        dir="auto"
        maxLength={DASHBOARD_LIMITS.inbox.queryChars}
        value={typed}
        autocomplete="off"
        enterkeyhint="search"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && typed === '') event.currentTarget.blur();
        }}
      />
    </Form>
  );
}

/** Files with the submissions that the filter lets through: one for each page, whose fields are its columns. */
function Exports({ pages, filter }: { pages: readonly Overviewed[]; filter: Filter }): JSX.Element {
  const [chosen, setChosen] = useState('');
  const pageId = chosen || pages[0]?.id;
  const hrefOf = (format: string, options: Record<string, string>): string =>
    `/submissions/${pageId}/export.${format}?${new URLSearchParams({ ...queryOf(filter), ...options })}`;
  return (
    <Menu label="Export">
      <p class="muted">{isFiltered(filter) ? 'All submissions that match' : 'All submissions'}</p>
      {pages.length > 1 && (
        <Select
          label="Page"
          value={pageId ?? ''}
          options={pages.map(({ id, title, slug }) => ({ value: id, label: title ?? slug }))}
          onChange={setChosen}
        />
      )}
      <a class="button quiet" href={hrefOf('csv', { labels: '1', bom: '1' })} download>
        Export CSV
      </a>
      <a class="button quiet" href={hrefOf('xlsx', { labels: '1' })} download>
        Export Excel
      </a>
    </Menu>
  );
}

/** How many were found, and how far a search has come. */
function Progress({ list, filter }: { list: SubmissionList; filter: Filter }): JSX.Element {
  const { isReading, rows, searched, total } = list.state.value;
  const of = searched < total ? `, ${numbers.format(searched)} of ${numbers.format(total)} searched` : '';
  return (
    <p class="hint" role="status">
      {isFiltered(filter) && (!isReading || searched > 0) && `${numbers.format(rows.length)} found${of}`}
    </p>
  );
}

/** The controls of the filter, which is in the address. `pages`: whose submissions they are. */
export const Filters = ({
  list,
  pages,
  filter,
  onChange,
}: Props & { list: SubmissionList; pages: readonly Overviewed[] }): JSX.Element => (
  <search>
    <Search filter={filter} onChange={onChange} total={list.state.value.total} />
    <div class="buttons">
      <Toggle isOn={filter.unread} onSwitch={() => onChange({ ...filter, unread: !filter.unread })}>
        Unread
      </Toggle>
      <Toggle isOn={filter.starred} onSwitch={() => onChange({ ...filter, starred: !filter.starred })}>
        Starred
      </Toggle>
      <Menu label="Dates" isOn={filter.from !== '' || filter.to !== ''}>
        <Field label="From" type="date" value={filter.from} onChange={(from) => onChange({ ...filter, from })} />
        <Field label="To" type="date" value={filter.to} onChange={(to) => onChange({ ...filter, to })} />
      </Menu>
      {pages.length > 0 && <Exports pages={pages} filter={filter} />}
      {isFiltered(filter) && (
        <Button kind="quiet" icon="close" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
      <Progress list={list} filter={filter} />
      <span class="for-keys">
        <Button kind="quiet" onClick={() => showHelp()}>
          Shortcuts
        </Button>
      </span>
    </div>
  </search>
);
