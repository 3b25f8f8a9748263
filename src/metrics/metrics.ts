import type { AggregatorRegistry, Registry } from 'prom-client';

type SubmissionOutcome =
  | 'accepted'
  | 'origin-refused'
  | 'rate-limited'
  | 'no-deployment'
  | 'honeypot'
  | 'spam'
  | 'spam-dropped'
  | 'storage-full'
  | 'repeated'
  | 'failed';

/** Values that are read when Prometheus scrapes. */
type Gauges = {
  pageLookups(): { hits: number; misses: number };
  connections(): { total: number; idle: number; waiting: number };
  /** For how many seconds the oldest due delivery has been due; 0 when none is due. */
  backlogAge(): Promise<number>;
};

/** By the values of labels, separated by spaces; only the last may contain spaces. */
type Counts = Map<string, number>;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

const add = (counts: Counts, labels: string): void => void counts.set(labels, (counts.get(labels) ?? 0) + 1);

/** Counters. Each adds a number in a map, which is cheap enough for the hot paths. */
export class Metrics {
  /** By route and status. Two look-ups cost less than one key made of both. */
  readonly #requests = new Map<string, Map<number, number>>();
  readonly #submissions: Counts = new Map();
  readonly #deliveries: Counts = new Map();
  #expired = 0;
  #observeBatch = (_size: number): void => undefined;

  /** An answer: `route` as the API's reference names it, `page` for a page's. */
  request(route: string, status: number): void {
    const counts = this.#requests.get(route);
    if (counts) counts.set(status, (counts.get(status) ?? 0) + 1);
    else this.#requests.set(route, new Map([[status, 1]]));
  }

  submission(outcome: SubmissionOutcome): void {
    add(this.#submissions, outcome);
  }

  /** `size` submissions were stored in one transaction. */
  batch(size: number): void {
    this.#observeBatch(size);
  }

  /** So many submissions were removed because of their age. */
  expired(count: number): void {
    this.#expired += count;
  }

  /** An attempt has ended. */
  delivery(kind: 'webhook' | 'mail', result: string): void {
    add(this.#deliveries, `${kind} ${result}`);
  }

  *#byStatusAndRoute(): Generator<[string, number]> {
    for (const [route, counts] of this.#requests)
      for (const [status, value] of counts) yield [`${status} ${route}`, value];
  }

  /** Everything that is counted, for Prometheus. */
  async expose(gauges: Gauges): Promise<Registry> {
    // Loaded only where metrics are on.
    const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
    const registry = new Registry();
    const registers = [registry];
    collectDefaultMetrics({ register: registry });

    function count(name: string, help: string, labelNames: string[], counts: () => Iterable<[string, number]>): void {
      new Counter({
        name,
        help,
        labelNames,
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
    }
    count('formhost_http_requests_total', 'Answers by route and status.', ['status', 'route'], () =>
      this.#byStatusAndRoute(),
    );
    count('formhost_submissions_total', 'Submissions by outcome.', ['outcome'], () => this.#submissions);
    count('formhost_expired_submissions_total', 'Submissions removed because of their age.', [], () => [
      ['', this.#expired],
    ]);
    count(
      'formhost_delivery_attempts_total',
      'Attempts by kind and result.',
      ['kind', 'result'],
      () => this.#deliveries,
    );
    count('formhost_page_cache_lookups_total', 'Pages looked up in memory, by result.', ['result'], () => {
      const { hits, misses } = gauges.pageLookups();
      return Object.entries({ hit: hits, miss: misses });
    });
    const batches = new Histogram({
      name: 'formhost_submission_batch_size',
      help: 'Submissions stored in one transaction.',
      buckets: BATCH_SIZES,
      registers,
    });
    this.#observeBatch = (size) => batches.observe(size);
    new Gauge({
      name: 'formhost_database_connections',
      help: 'Connections of the pool, how many of them are idle, and how much work waits for one.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, value] of Object.entries(gauges.connections())) this.set({ state }, value);
      },
    });
    new Gauge({
      name: 'formhost_deliveries_backlog_age_seconds',
      help: 'How long the oldest due delivery has been due; absent while the database is out of reach.',
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
  }
}

/** Sends the metrics of `registry` to the parent process when it requests them. */
export async function offerToPrimary(registry: Registry): Promise<void> {
  const { AggregatorRegistry } = await import('prom-client');
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}

/** The metrics of all worker processes, added up. */
export async function gatherFromWorkers(): Promise<{ contentType: string; metrics(): Promise<string> }> {
  const { AggregatorRegistry } = await import('prom-client');
  const all: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> = new AggregatorRegistry();
  return { contentType: all.contentType, metrics: () => all.clusterMetrics() };
}
