import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { Button, Toggle } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { counted, numbers } from '../ui/time.tsx';
import { type Filter, isFiltered, type SubmissionList } from './list.ts';

export const SEARCH_ID = 'inbox-search';
const NO_FILTER: Filter = { q: '', from: '', to: '', unread: false, starred: false };

/** A day as a date field has it; empty when it is none. */
const dayIn = (text = ''): string => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');

/** The filter in an address. */
export const filterOf = (query: Readonly<Record<string, string>>): Filter => ({
  q: (query.q ?? '').slice(0, DASHBOARD_LIMITS.inbox.queryChars),
  from: dayIn(query.from),
  to: dayIn(query.to),
  unread: query.unread === '1',
  starred: query.starred === '1',
});

/** The end of an address that has this filter. */
export function searchOf({ q, from, to, unread, starred }: Filter): string {
  const parameters = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(unread && { unread: '1' }),
    ...(starred && { starred: '1' }),
  }).toString();
  return parameters === '' ? '' : `?${parameters}`;
}

function Day({ label, value, onChange }: { label: string; value: string; onChange(day: string): void }): JSX.Element {
  const id = useId();
  return (
    <div class="day">
      <label for={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    </div>
  );
}

/** What the list is narrowed down to; all of it is in the address. */
export function Filters({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }): JSX.Element {
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
  // Back and forward change it, too.
  useEffect(() => {
    if (filter.q !== searched.current) setTyped(filter.q);
    searched.current = filter.q;
  }, [filter.q]);
  return (
    <search class="inbox-filters">
      <Form onSubmit={search}>
        <label class="unseen" for={SEARCH_ID}>
          Search
        </label>
        <input
          id={SEARCH_ID}
          type="search"
          placeholder="Search"
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
      <div class="buttons">
        <Toggle isOn={filter.unread} onSwitch={() => onChange({ ...filter, unread: !filter.unread })}>
          Unread
        </Toggle>
        <Toggle isOn={filter.starred} onSwitch={() => onChange({ ...filter, starred: !filter.starred })}>
          Starred
        </Toggle>
        <Day label="From" value={filter.from} onChange={(from) => onChange({ ...filter, from })} />
        <Day label="To" value={filter.to} onChange={(to) => onChange({ ...filter, to })} />
        {isFiltered(filter) && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => {
              setTyped('');
              onChange(NO_FILTER);
            }}
          >
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}

/** How many there are, and how far a search has come. */
export function Progress({ list, filter }: { list: SubmissionList; filter: Filter }): JSX.Element {
  const { isReading, rows, searched, total } = list.state.value;
  if (!isFiltered(filter)) {
    return <p class="muted">{isReading && rows.length === 0 ? '' : counted(total, 'submission')}</p>;
  }
  return (
    <div class="inbox-progress">
      <p class="muted" role="status">
        {isReading && searched === 0
          ? 'Searching…'
          : `${numbers.format(rows.length)} found${
              searched < total ? `, ${numbers.format(searched)} of ${numbers.format(total)} searched` : ''
            }`}
      </p>
      {isReading && <progress max={Math.max(1, total)} value={searched} aria-label="Searched" />}
    </div>
  );
}
