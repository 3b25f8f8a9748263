import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { pageLinks } from '../page-links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { Empty, Loading, Problem } from '../ui/states.tsx';
import { COLUMNS_OF_ALL, columnsOf, useLabels } from './column-labels.ts';
import { isFiltered, NO_FILTER, searchOf } from './filter.ts';
import { Filters } from './filters.tsx';
import type { Inbox } from './inbox-state.ts';
import { Table } from './inbox-table.tsx';

/** Why the list is empty, and the next step. */
function Nothing({ inbox: { page, filter }, onClear }: { inbox: Inbox; onClear(): void }): JSX.Element {
  if (isFiltered(filter)) {
    return (
      <Empty icon="page" title="Nothing was found">
        <p>No submission matches.</p>
        <p>
          <Button onClick={onClear}>Show all submissions</Button>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="mail" title="Nothing was sent yet">
      <p>Each submission of {page ? 'the form of this page' : 'your forms'} appears here when it is sent.</p>
      <p>
        {page ? (
          <ButtonLink icon="open" href={page.url} isElsewhere>
            Open the page
          </ButtonLink>
        ) : (
          <ButtonLink href="/dashboard">Your pages</ButtonLink>
        )}
      </p>
      {page && (
        <p>
          <a href={pageLinks(page.id).notifications}>Get a mail about each submission</a>
        </p>
      )}
      {page && (
        <details>
          <summary>My form is on another site</summary>
          <FormSnippet id={page.id} />
        </details>
      )}
    </Empty>
  );
}

/** The filter and the list. `folders`: beside the filter. */
export function ListPane({ inbox, folders }: { inbox: Inbox; folders: JSX.Element | undefined }): JSX.Element {
  const { page, overview, list, filter } = inbox;
  const { path, route } = useLocation();
  const { rows, isReading, error } = list.state.value;
  const labels = useLabels(page?.id);
  const columns = page ? columnsOf(labels, rows.slice(0, DASHBOARD_LIMITS.inbox.columnRows)) : COLUMNS_OF_ALL;
  const isEmpty = rows.length === 0 && !isReading && !error;
  const narrowTo = (changed: typeof filter): void => route(path + searchOf(changed), true);
  return (
    <>
      <div class="inbox-filters">
        {folders}
        {(!isEmpty || isFiltered(filter)) && (
          <Filters list={list} pages={overview} filter={filter} onChange={narrowTo} />
        )}
      </div>
      {error && <Problem error={error} onRetry={() => list.more()} />}
      {rows.length === 0 && isReading && <Loading label="Loading the inbox" />}
      {isEmpty && <Nothing inbox={inbox} onClear={() => narrowTo(NO_FILTER)} />}
      {rows.length > 0 && <Table inbox={inbox} columns={columns} />}
    </>
  );
}
