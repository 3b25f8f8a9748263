import type { ComponentChildren, JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { counted, locale, numbers, t } from '../../texts/chosen-texts.ts';
import { Bars } from '../../ui/bars.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { timeZone } from '../../ui/time.tsx';
import type { Range } from './chart-range.ts';

export type Statistics = Schemas['Statistics'];

const { chart: texts } = t.statistics;

const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
const FORMATS = {
  hour: { short: formatOf({ timeStyle: 'short' }), full: formatOf({ dateStyle: 'medium', timeStyle: 'short' }) },
  day: { short: formatOf({ day: 'numeric', month: 'short' }), full: formatOf({ dateStyle: 'full' }) },
};

/** The submissions of one page in a range, in the zone of the browser. */
export function readStatistics(id: string, { from, to, by }: Range, signal: AbortSignal): Promise<Statistics> {
  const params = { path: { id }, query: { from, by, tz: timeZone, ...(to !== undefined && { to }) } };
  return answer(api.GET('/deploy/{id}/stats', { params, signal }));
}

/** The least round number that is not below a count, and whose half is round: 4, 6, 10, 20, 40 … */
function topOf(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, count)));
  return power * ([2, 4, 6, 10].find((digit) => digit * power >= Math.max(4, count)) ?? 10);
}

function Plot({ statistics: { buckets }, by }: { statistics: Statistics; by: Range['by'] }): JSX.Element {
  const { short, full } = FORMATS[by];
  const counts = buckets.map(({ submissions }) => submissions);
  const top = topOf(Math.max(...counts));
  const titles = buckets.map(({ start, submissions }) =>
    counted(texts.bar, submissions, { time: full.format(new Date(start)) }),
  );
  const last = buckets.length - 1;
  const marked = new Set([0, Math.round(last / 3), Math.round((2 * last) / 3), last]);
  return (
    <div class="plot">
      <div class="plot-counts" aria-hidden="true">
        {[top, top / 2, 0].map((count) => (
          <span key={count}>{numbers.format(count)}</span>
        ))}
      </div>
      <Bars label={texts.pictures[by]} counts={counts} top={top} titles={titles} />
      <div class="plot-times" aria-hidden="true">
        {buckets.map(
          ({ start }, index) => marked.has(index) && <span key={start}>{short.format(new Date(start))}</span>,
        )}
      </div>
    </div>
  );
}

const ValueTable = ({ statistics, by }: { statistics: Statistics; by: Range['by'] }): JSX.Element => (
  <details>
    <summary>{texts.asTable}</summary>
    <Table
      label={texts.table}
      heads={[texts.times[by], texts.submissions]}
      rows={statistics.buckets.map(({ start, submissions }) => ({
        key: start,
        name: <time dateTime={start}>{FORMATS[by].full.format(new Date(start))}</time>,
        counts: [submissions],
      }))}
    />
  </details>
);

/** Submissions by hour or day: as bars, and as a table. `children`: shown when there are none. */
export const Chart = ({
  statistics,
  by,
  children,
}: {
  statistics: Statistics;
  by: Range['by'];
  children: ComponentChildren;
}): JSX.Element =>
  statistics.total === 0 ? (
    <Empty icon="chart" title={texts.empty}>
      {children}
    </Empty>
  ) : (
    <>
      <p class="muted">{counted(texts.totals[by], statistics.total, { zone: timeZone })}</p>
      <Plot statistics={statistics} by={by} />
      <ValueTable statistics={statistics} by={by} />
    </>
  );
