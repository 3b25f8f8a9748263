import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { Scroll } from '../../ui/scroll.tsx';
import { counted } from '../../ui/time.tsx';
import { type Bar, Bars } from './bars.tsx';
import type { Range } from './range.ts';

export type Statistics = Schemas['Statistics'];

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const FORMATS = {
  hour: {
    short: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
    full: new Intl.DateTimeFormat(undefined, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: 'numeric',
    }),
  },
  day: {
    short: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
    full: new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  },
};

/** The submissions of one page in a range, in the zone of the browser. */
export function readStatistics(id: string, { from, to, by }: Range, signal: AbortSignal): Promise<Statistics> {
  const params = { path: { id }, query: { from, by, tz: timeZone, ...(to !== undefined && { to }) } };
  return answer(api.GET('/deploy/{id}/stats', { params, signal }));
}

function toBars({ buckets }: Statistics, by: Range['by']): Bar[] {
  const { short, full } = FORMATS[by];
  return buckets.map(({ start, submissions }) => {
    const at = new Date(start);
    return {
      short: short.format(at),
      full: `${full.format(at)}: ${counted(submissions, 'submission')}`,
      count: submissions,
    };
  });
}

export type TableState = { isOpen: boolean; setOpen(isOpen: boolean): void };

function ValueTable({
  statistics,
  by,
  table: { isOpen, setOpen },
}: {
  statistics: Statistics;
  by: Range['by'];
  table: TableState;
}): JSX.Element {
  return (
    <details class="values" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <Scroll label="Submissions as a table" isTall>
          <table>
            <thead>
              <tr>
                <th scope="col">{by === 'day' ? 'Day' : 'Hour'}</th>
                <th scope="col">Submissions</th>
              </tr>
            </thead>
            <tbody>
              {statistics.buckets.map(({ start, submissions }) => (
                <tr key={start}>
                  <th scope="row">
                    <time dateTime={start}>{FORMATS[by].full.format(new Date(start))}</time>
                  </th>
                  <td>{submissions}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  );
}

/** Submissions by hour or day: as bars, and as a table. */
export function Chart({
  statistics,
  by,
  table,
}: {
  statistics: Statistics;
  by: Range['by'];
  table: TableState;
}): JSX.Element {
  const bars = useMemo(() => toBars(statistics, by), [statistics, by]);
  return (
    <>
      <p class="muted">
        {counted(statistics.total, 'submission')} in this time, {by === 'day' ? 'by day' : 'by hour'} of {timeZone}.
      </p>
      <Bars label={`Submissions by ${by}; arrow keys go along them`} bars={bars} />
      <ValueTable statistics={statistics} by={by} table={table} />
    </>
  );
}
