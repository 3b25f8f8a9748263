import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { Scroll } from '../ui/scroll.tsx';
import { Empty, Shown } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { type Bar, Bars } from './charts/bars.tsx';
import { Deliveries } from './charts/deliveries.tsx';
import { dayOf, MAX_DAYS, ownRange, RANGES, type Range, rangeOf } from './charts/range.ts';

type Statistics = Schemas['Statistics'];

const seen = new Map<string, Statistics>();
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

const DayField = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}): JSX.Element => (
  <label class="day-field">
    <span class="field-label">{label}</span>
    <input type="date" value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
  </label>
);

/** Which times are shown; they are in the address. */
function RangePicker({ id, range }: { id: string; range: Range }): JSX.Element {
  const { route } = useLocation();
  const [isOwn, setOwn] = useState(range.name === 'own');
  const [first, setFirst] = useState(dayOf(new Date(range.starts)));
  const [last, setLast] = useState(dayOf(new Date(range.ends - 1)));
  const [isWrong, setWrong] = useState(false);
  // Back and forward change the range too.
  useEffect(() => {
    setOwn(range.name === 'own');
    setFirst(dayOf(new Date(range.starts)));
    setLast(dayOf(new Date(range.ends - 1)));
  }, [range]);
  const show = (query: string): void => route(`${pageLinks(id).charts}?${query}`);
  return (
    <div class="range">
      <fieldset class="choices">
        <legend class="unseen">Time</legend>
        {RANGES.map(({ name, label }) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="range"
              class="unseen"
              checked={isOwn ? name === 'own' : name === range.name}
              onChange={() => {
                setOwn(name === 'own');
                if (name !== 'own') show(`range=${name}`);
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {isOwn && (
        <form
          class="own-range"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            const own = ownRange(first, last);
            setWrong(!own);
            if (own) show(`from=${first}&to=${last}`);
          }}
        >
          <DayField label="First day" value={first} onChange={setFirst} />
          <DayField label="Last day" value={last} onChange={setLast} />
          <Button>Show</Button>
          {isWrong && (
            <p class="error" role="alert">
              Choose a first day that is not after the last one, and at most {MAX_DAYS} days.
            </p>
          )}
        </form>
      )}
    </div>
  );
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

type TableState = { isOpen: boolean; setOpen(isOpen: boolean): void };

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

function Chart({ statistics, by, table }: { statistics: Statistics; by: Range['by']; table: TableState }): JSX.Element {
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

function Charts({ page }: { page: Page }): JSX.Element {
  const { query } = useLocation();
  // It stays open when other times are shown.
  const [isOpen, setOpen] = useState(false);
  // A new `now` with each change of the address only: what is read is named by the range.
  const range = useMemo(() => rangeOf(query), [query.range, query.from, query.to]);
  const { id } = page;
  const loaded = useData(
    `${id}:${range.by}:${range.from}:${range.to}`,
    (signal) => {
      const { from, to, by } = range;
      const params = { path: { id }, query: { from, by, tz: timeZone, ...(to !== undefined && { to }) } };
      return answer(api.GET('/deploy/{id}/stats', { params, signal }));
    },
    seen,
  );
  return (
    <div class="sections">
      <RangePicker id={id} range={range} />
      <section class="card bars-card" aria-labelledby="submissions">
        <h2 id="submissions">Submissions</h2>
        <Shown loaded={loaded} label="Counting the submissions">
          {(statistics) =>
            statistics.total === 0 ? (
              <Empty icon="chart" title="Nothing came in this time">
                {page.submission_count === 0 ? (
                  <>
                    <p>The page has no submissions yet. Open it and send its form once.</p>
                    <ButtonLink href={page.url} icon="open" isElsewhere>
                      Open the page
                    </ButtonLink>
                  </>
                ) : (
                  <p>Choose a longer time.</p>
                )}
              </Empty>
            ) : (
              <Chart statistics={statistics} by={range.by} table={{ isOpen, setOpen }} />
            )
          }
        </Shown>
      </section>
      <Deliveries id={id} range={range} />
    </div>
  );
}

/** How many submissions came when, and what became of their deliveries. */
const ChartsView = (): JSX.Element => (
  <PageView title="Charts">{(page) => <Charts key={page.id} page={page} />}</PageView>
);

export default ChartsView;
