import type { AggregatorRegistry, Registry } from 'prom-client';

/** Counted while the service works; a number added to a map each, for the hot paths cannot spare more. */
export type Metrics = {
  /** An answer: `route` as the API's reference names it, `page` for a page's. */
  request(route: string, status: number): void;
  submission(outcome: 'accepted' | 'rate-limited' | 'no-deployment' | 'honeypot' | 'failed'): void;
  /** So many submissions were stored in one transaction. */
  batch(size: number): void;
  /** An attempt has ended. */
  delivery(kind: 'webhook' | 'mail', result: string): void;
};

/** Asked for when somebody looks. */
export type Gauges = {
  pageLookups(): { hits: number; misses: number };
  connections(): { total: number; idle: number; waiting: number };
  /** Seconds since the delivery that has been due for the longest was; 0 when none is. */
  backlogAge(): Promise<number>;
};

/** `expose`: everything that is counted, for Prometheus. */
export type MetricsSource = Metrics & { expose(gauges: Gauges): Promise<Registry> };

type Counts = Map<string, number>;
/** By route and status. Two look-ups cost less than a key made of both. */
type RequestCounts = Map<string, Map<number, number>>;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

export function createMetrics(): MetricsSource {
  const requests: RequestCounts = new Map();
  const submissions: Counts = new Map();
  const deliveries: Counts = new Map();
  let observeBatch = (_size: number): void => undefined;

  const add = (counts: Counts, labels: string): void => void counts.set(labels, (counts.get(labels) ?? 0) + 1);

  function* byStatusAndRoute(): Generator<[string, number]> {
    for (const [route, counts] of requests) for (const [status, value] of counts) yield [`${status} ${route}`, value];
  }

  return {
    request(route, status) {
      const counts = requests.get(route);
      if (counts) counts.set(status, (counts.get(status) ?? 0) + 1);
      else requests.set(route, new Map([[status, 1]]));
    },
    submission: (outcome) => add(submissions, outcome),
    batch: (size) => observeBatch(size),
    delivery: (kind, result) => add(deliveries, `${kind} ${result}`),

    async expose(gauges) {
      // Not loaded where nobody asked for metrics.
      const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
      const registry = new Registry();
      const registers = [registry];
      collectDefaultMetrics({ register: registry });

      /** A counter that shows counts whose keys are its labels' values, with a space between (the last may have more). */
      const count = (
        name: string,
        help: string,
        labelNames: readonly string[],
        counts: () => Iterable<[string, number]>,
      ) =>
        new Counter({
          name,
          help,
          labelNames: [...labelNames],
          registers,
          collect() {
            this.reset();
            for (const [key, value] of counts()) {
              const parts = key.split(' ');
              const labels = [...parts.slice(0, labelNames.length - 1), parts.slice(labelNames.length - 1).join(' ')];
              this.inc(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])), value);
            }
          },
        });
      count('formhost_http_requests_total', 'Answers by route and status.', ['status', 'route'], byStatusAndRoute);
      count('formhost_submissions_total', 'Submissions by outcome.', ['outcome'], () => submissions);
      count('formhost_delivery_attempts_total', 'Attempts by kind and result.', ['kind', 'result'], () => deliveries);
      count('formhost_page_cache_lookups_total', 'Pages looked up in memory, by result.', ['result'], () => {
        const { hits, misses } = gauges.pageLookups();
        return [
          ['hit', hits],
          ['miss', misses],
        ];
      });
      const batches = new Histogram({
        name: 'formhost_submission_batch_size',
        help: 'Submissions stored in one transaction.',
        buckets: BATCH_SIZES,
        registers,
      });
      observeBatch = (size) => batches.observe(size);
      new Gauge({
        name: 'formhost_database_connections',
        help: 'Connections of the pool, idle ones among them, and units of work that wait for one.',
        labelNames: ['state'],
        registers,
        collect() {
          for (const [state, value] of Object.entries(gauges.connections())) this.set({ state }, value);
        },
      });
      new Gauge({
        name: 'formhost_deliveries_backlog_age_seconds',
        help: 'For how long the oldest delivery that is due has been; absent while the database is out of reach.',
        registers,
        // Each process sees the same backlog.
        aggregator: 'max',
        async collect() {
          this.reset();
          const age = await gauges.backlogAge().catch(() => undefined);
          if (age === undefined) this.remove();
          else this.set(age);
        },
      });
      return registry;
    },
  };
}

/** Answers the process that forked this one when it asks for what `registry` holds. */
export async function offerToPrimary(registry: Registry): Promise<void> {
  const { AggregatorRegistry } = await import('prom-client');
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}

/** What the processes that this one forked hold, added up. */
export async function gatherFromWorkers(): Promise<{ contentType: string; metrics(): Promise<string> }> {
  const { AggregatorRegistry } = await import('prom-client');
  const all: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> = new AggregatorRegistry();
  return { contentType: all.contentType, metrics: () => all.clusterMetrics() };
}
