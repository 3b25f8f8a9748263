import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import type { Page } from '../ui/page-view.tsx';
import { Empty, Loading, Problem } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { Filters, Progress, searchOf } from './filters.tsx';
import { showHelp } from './help.tsx';
import type { Inbox } from './inbox.ts';
import { columnsOf } from './labels.ts';
import { type Filter, isFiltered } from './list.ts';
import { Selection } from './selection.tsx';
import { Table } from './table.tsx';

const Nothing = ({ page, filter }: { page: Page; filter: Filter }): JSX.Element =>
  isFiltered(filter) ? (
    <Empty icon="page" title="Nothing was found">
      <p>No submission is like that.</p>
    </Empty>
  ) : (
    <Empty icon="mail" title="Nothing was sent yet">
      <p>What visitors send with the form of your page appears here at once.</p>
      <p>
        <ButtonLink icon="open" href={page.url} isElsewhere>
          Open the page
        </ButtonLink>
      </p>
    </Empty>
  );

/** The filter, what can be done with all that is selected, and the list. */
export function ListPane({ inbox }: { inbox: Inbox }): JSX.Element {
  const { page, list, filter, labels, selected } = inbox;
  const { path, route } = useLocation();
  const { rows, isReading, error, missed } = list.state.value;
  const columns = columnsOf(labels, rows.slice(0, 20), DASHBOARD_LIMITS.inbox.columns);
  return (
    <>
      <Filters filter={filter} onChange={(changed) => route(path + searchOf(changed), true)} />
      <div class="inbox-bar">
        {selected.rows.length === 0 ? (
          <>
            <Progress list={list} filter={filter} />
            {missed > 0 && (
              <Button icon="replace" onClick={() => list.restart()}>
                {counted(missed, 'new submission')}
              </Button>
            )}
            <Button kind="quiet" onClick={() => showHelp()}>
              Shortcuts
            </Button>
          </>
        ) : (
          <Selection inbox={inbox} />
        )}
      </div>
      {error && <Problem error={error} onRetry={() => list.more()} />}
      {rows.length === 0 && isReading && !isFiltered(filter) && <Loading label="Loading the inbox" />}
      {rows.length === 0 && !isReading && !error && <Nothing page={page} filter={filter} />}
      {rows.length > 0 && <Table inbox={inbox} columns={columns} />}
    </>
  );
}
