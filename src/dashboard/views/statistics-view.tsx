import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { usePages } from '../data.ts';
import { type Overviewed, readOverview } from '../own-pages.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { counted, t } from '../texts/chosen-texts.ts';
import { Bars } from '../ui/bars.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { View } from '../ui/view.tsx';
import { Chart, readStatistics, type Statistics } from './charts/chart.tsx';
import { type Range, rangeOf } from './charts/chart-range.ts';
import { RangePicker } from './charts/range-picker.tsx';

/** Pages that are counted at a time, each with a request if something was sent to it. */
const PAGE_SIZE = 25;

const { allPages: texts } = t.statistics;

type Counted = Overviewed & { statistics: Statistics };

const NOTHING: Statistics = { buckets: [], total: 0 };

/** Some pages with what they got in a range. The overview tells which of them got nothing. */
async function readCounted(query: { page: number; limit: number }, range: Range, signal: AbortSignal) {
  const { items, total } = await readOverview(query, signal);
  const counting = items.map(async (page) => {
    const isEmpty = page.last_submission_at === null;
    return { ...page, statistics: isEmpty ? NOTHING : await readStatistics(page.id, range, signal) };
  });
  return { items: await Promise.all(counting), total };
}

function sumOf(pages: readonly Counted[]): Statistics {
  const byStart = new Map<string, number>();
  for (const { start, submissions } of pages.flatMap(({ statistics }) => statistics.buckets)) {
    byStart.set(start, (byStart.get(start) ?? 0) + submissions);
  }
  return {
    buckets: Array.from(byStart, ([start, submissions]) => ({ start, submissions })),
    total: pages.reduce((sum, { statistics }) => sum + statistics.total, 0),
  };
}

function ByPage({ pages, search }: { pages: readonly Counted[]; search: string }): JSX.Element {
  const most = Math.max(1, ...pages.flatMap(({ statistics }) => statistics.buckets.map((each) => each.submissions)));
  return (
    <Table
      label={texts.table}
      heads={[texts.page, texts.inThisTime, texts.inAll]}
      rows={pages
        .toSorted((one, other) => other.statistics.total - one.statistics.total)
        .map(({ id, title, slug, submission_count: all, statistics: { buckets, total } }) => ({
          key: id,
          name: (
            <>
              <a href={`${pageLinks(id).charts}${search}`}>
                <bdi>{title ?? slug}</bdi>
              </a>
              {total > 0 && <Bars counts={buckets.map(({ submissions }) => submissions)} top={most} />}
            </>
          ),
          counts: [total, all],
        }))}
    />
  );
}

/** How many submissions came when, to all pages and to each. */
export default function StatisticsView(): JSX.Element {
  const { query, url, path } = useLocation();
  const range = rangeOf(query);
  const loaded = usePages(`statistics:${range.by}:${range.from}:${range.to}`, PAGE_SIZE, (paging, signal) =>
    readCounted(paging, range, signal),
  );
  return (
    <View title={t.statistics.title}>
      <RangePicker key={`${range.from}:${range.to}`} range={range} />
      <Shown loaded={loaded} label={t.statistics.counting}>
        {({ items, total }) =>
          total === 0 ? (
            <Empty icon="chart" title={texts.noPages}>
              <p>{texts.noPagesHint}</p>
              {may('POST /deploy') && (
                <p>
                  <ButtonLink icon="plus" href={VIEW_PATHS.newPage}>
                    {texts.makeFirst}
                  </ButtonLink>
                </p>
              )}
            </Empty>
          ) : (
            <>
              <Section title={t.statistics.chart.heading}>
                {items.length < total && <p class="muted">{counted(texts.newest, items.length)}</p>}
                <Chart statistics={sumOf(items)} by={range.by}>
                  <p>
                    <ButtonLink href={`${path}?range=90d`}>{t.statistics.range.show90Days}</ButtonLink>
                  </p>
                </Chart>
              </Section>
              <Section title={texts.byPage}>
                <ByPage pages={items} search={url.slice(path.length)} />
              </Section>
              <ListFoot loaded={loaded} of={t.shared.counts.pages} />
            </>
          )
        }
      </Shown>
    </View>
  );
}
