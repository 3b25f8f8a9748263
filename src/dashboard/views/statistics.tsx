import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { ApiError } from '../api.ts';
import { useData, usePages } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { type Overviewed, readOverview } from '../own-pages.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Scroll } from '../ui/scroll.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { numbers } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';
import { Chart, readStatistics, type Statistics } from './charts/chart.tsx';
import { type Range, rangeOf } from './charts/range.ts';
import { RangePicker } from './charts/range-picker.tsx';

const seen = new Map<string, { items: readonly Overviewed[]; total: number }>();
type Counts = { statistics: Statistics; byPage: readonly { page: Overviewed; submissions: number }[] };

/** Counts what the pages got; `known`: what was counted of this range before, by the page's id. */
async function count(
  pages: readonly Overviewed[],
  range: Range,
  known: Map<string, Statistics>,
  signal: AbortSignal,
): Promise<Counts> {
  // The overview tells which pages got nothing in this time.
  const left = pages
    .filter(({ last_submission_at: last }) => last !== null && Date.parse(last) >= range.starts)
    .filter(({ id }) => !known.has(id))
    .values();
  const countNext = async (): Promise<void> => {
    for (const { id } of left) {
      try {
        known.set(id, await readStatistics(id, range, signal));
      } catch (error) {
        const isDeletedMeanwhile = error instanceof ApiError && error.status === 404;
        if (!isDeletedMeanwhile) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: DASHBOARD_LIMITS.statistics.concurrentRequests }, countNext));

  const byStart = new Map<string, number>();
  for (const { id } of pages) {
    for (const { start, submissions } of known.get(id)?.buckets ?? []) {
      byStart.set(start, (byStart.get(start) ?? 0) + submissions);
    }
  }
  const buckets = Array.from(byStart, ([start, submissions]) => ({ start, submissions }));
  const byPage = pages
    .map((page) => ({ page, submissions: known.get(page.id)?.total ?? 0 }))
    .toSorted((one, other) => other.submissions - one.submissions);
  return { statistics: { buckets, total: byPage.reduce((sum, { submissions }) => sum + submissions, 0) }, byPage };
}

function ByPage({ byPage, search }: { byPage: Counts['byPage']; search: string }): JSX.Element {
  const most = Math.max(1, ...byPage.map(({ submissions }) => submissions));
  return (
    <Scroll label="Submissions by page">
      <table class="results">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">In this time</th>
            <th scope="col">In all</th>
          </tr>
        </thead>
        <tbody>
          {byPage.map(({ page, submissions }) => (
            <tr key={page.id}>
              <th scope="row">
                <a href={`${pageLinks(page.id).charts}${search}`}>
                  <bdi>{page.title ?? page.slug}</bdi>
                </a>
                <div class="shares" aria-hidden="true">
                  {submissions > 0 && (
                    <span class="share of-page" style={{ width: `${(submissions / most) * 100}%` }} />
                  )}
                </div>
              </th>
              <td>{numbers.format(submissions)}</td>
              <td>{numbers.format(page.submission_count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Counted({
  pages,
  total,
  range,
  search,
  children,
}: {
  pages: readonly Overviewed[];
  /** How many pages there are. */
  total: number;
  range: Range;
  search: string;
  /** Below the counts: it comes with them, because they would push it down. */
  children: ComponentChildren;
}): JSX.Element {
  // It stays open when other times are shown.
  const [isOpen, setOpen] = useState(false);
  const known = useMemo(() => new Map<string, Statistics>(), [range]);
  const loaded = useData(`all:${range.by}:${range.from}:${range.to}`, (signal) => count(pages, range, known, signal));
  const { data, reload } = loaded;
  // What is shown stays while more pages are counted.
  useEffect(() => {
    if (data && data.byPage.length !== pages.length) reload();
  }, [data, pages, reload]);
  return (
    <Shown loaded={loaded} label="Counting the submissions">
      {({ statistics, byPage }) => (
        <>
          <section class="card bars-card" aria-labelledby="submissions">
            <h2 id="submissions">Submissions</h2>
            {byPage.length < total && <p class="muted">To your {byPage.length} newest pages. More are below.</p>}
            {statistics.total === 0 ? (
              <Empty icon="chart" title="Nothing came in this time">
                <p>Choose a longer time.</p>
              </Empty>
            ) : (
              <Chart statistics={statistics} by={range.by} table={{ isOpen, setOpen }} />
            )}
          </section>
          <section class="card" aria-labelledby="by-page">
            <h2 id="by-page">By page</h2>
            <ByPage byPage={byPage} search={search} />
          </section>
          {children}
        </>
      )}
    </Shown>
  );
}

/** How many submissions came when, to all pages and to each. */
export default function StatisticsView(): JSX.Element {
  const { query, url, path } = useLocation();
  // A new `now` with each change of the address only. It ends for all pages at the same moment.
  const range = useMemo(() => {
    const asked = rangeOf(query);
    return { ...asked, to: asked.to ?? new Date(asked.ends).toISOString() };
  }, [query.range, query.from, query.to]);
  const loaded = usePages('overview:statistics', DASHBOARD_LIMITS.statistics.pageSize, readOverview, seen);
  return (
    <View title="Statistics">
      <Shown loaded={loaded} label="Loading your pages">
        {({ items, total }) =>
          total === 0 ? (
            <Empty icon="chart" title="You have no pages yet">
              <p>Publish an HTML page: what its forms send is counted here.</p>
              <p>
                <ButtonLink icon="plus" href={VIEW_PATHS.newPage}>
                  Make your first page
                </ButtonLink>
              </p>
            </Empty>
          ) : (
            <div class="sections">
              <RangePicker path={VIEW_PATHS.statistics} range={range} />
              <Counted pages={items} total={total} range={range} search={url.slice(path.length)}>
                <ListFoot loaded={loaded} of="page" />
              </Counted>
            </div>
          )
        }
      </Shown>
    </View>
  );
}
