import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useData } from '../data.ts';
import { may } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { Shown } from '../ui/states.tsx';
import { Chart, readStatistics } from './charts/chart.tsx';
import { Deliveries } from './charts/chart-deliveries.tsx';
import { rangeOf } from './charts/chart-range.ts';
import { RangePicker } from './charts/range-picker.tsx';

function Charts({ page }: { page: Page }): JSX.Element {
  const { path, query } = useLocation();
  const range = rangeOf(query);
  const { id } = page;
  const loaded = useData(`${id}:${range.by}:${range.from}:${range.to}`, (signal) => readStatistics(id, range, signal));
  return (
    <>
      <RangePicker key={`${range.from}:${range.to}`} range={range} />
      <Section title={t.statistics.chart.heading}>
        <Shown loaded={loaded} label={t.statistics.counting}>
          {(statistics) => (
            <Chart statistics={statistics} by={range.by}>
              {page.submission_count > 0 ? (
                <p>
                  <ButtonLink href={`${path}?range=90d`}>{t.statistics.range.show90Days}</ButtonLink>
                </p>
              ) : (
                <>
                  <p>{t.statistics.noSubmissions}</p>
                  <p>
                    <ButtonLink href={page.url} icon="open" isElsewhere>
                      {t.statistics.openPage}
                    </ButtonLink>
                  </p>
                </>
              )}
            </Chart>
          )}
        </Shown>
      </Section>
      {may('GET /deploy/{id}/mails') && <Deliveries id={id} />}
    </>
  );
}

/** How many submissions came when, and what became of their deliveries. */
const ChartsView = (): JSX.Element => (
  <PageView needs="GET /deploy/{id}/stats" title={t.statistics.chartsTitle}>
    {(page) => <Charts key={page.id} page={page} />}
  </PageView>
);

export default ChartsView;
