import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { addInstallationMetrics, type InstallationState } from './installation-metrics.ts';
import { RequestDurations } from './request-durations.ts';

type SubmissionOutcome =
  | 'accepted'
  | 'origin-refused'
  | 'form-closed'
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
  /** The number of seconds for which the oldest due delivery has been due; 0 if none is due. */
  backlogAge(): Promise<number>;
  installation: InstallationState;
};

/** The counters for Prometheus, of each process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('formhost_http_requests_total', 'Answers by route and status.', 'status', 'route');
  readonly #durations = new RequestDurations(
    'formhost_request_duration_seconds',
    'Time from a request to the end of its answer, by route and method.',
    this.#registry,
  );
  readonly #submissions = this.#counter('formhost_submissions_total', 'Submissions by outcome.', 'outcome');
  readonly #expired = this.#counter('formhost_expired_submissions_total', 'Submissions removed because of their age.');
  readonly #deliveries = this.#counter(
    'formhost_delivery_attempts_total',
    'Attempts by kind and result.',
    'kind',
    'result',
  );
  readonly #batches = new Histogram({
    name: 'formhost_submission_batch_size',
    help: 'Submissions stored in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [this.#registry],
  });

  /** An answer: `route` as the API's reference names it, `page` for a page's. */
  request(route: string, status: number, method: string, seconds: number): void {
    this.#requests.inc({ status, route });
    this.#durations.add(route, method, seconds);
  }

  submission(outcome: SubmissionOutcome): void {
    this.#submissions.inc({ outcome });
  }

  /** `size` submissions were stored in one transaction. */
  batch(size: number): void {
    this.#batches.observe(size);
  }

  /** So many submissions were removed because of their age. */
  expired(count: number): void {
    this.#expired.inc(count);
  }

  /** An attempt has ended. */
  delivery(kind: 'webhook' | 'mail', result: string): void {
    this.#deliveries.inc({ kind, result });
  }

  /** Everything that is counted, and what is read at each scrape. */
  expose({ pageLookups, connections, backlogAge, installation }: Gauges): Registry {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    new Counter({
      name: 'formhost_page_cache_lookups_total',
      help: 'Pages looked up in memory, by result.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        const { hits, misses } = pageLookups();
        this.inc({ result: 'hit' }, hits);
        this.inc({ result: 'miss' }, misses);
      },
    });
    new Gauge({
      name: 'formhost_database_connections',
      help: 'Connections of the pool, how many of them are idle, and how much work waits for one.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, value] of Object.entries(connections())) this.set({ state }, value);
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
        const age = await backlogAge().catch(() => undefined);
        if (age === undefined) this.remove();
        else this.set(age);
      },
    });
    addInstallationMetrics(this.#registry, installation);
    return this.#registry;
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}

/** Sends the metrics of `registry` to the parent process when it requests them. */
export function offerToPrimary(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}

/** The metrics of all worker processes, added up. */
export function gatherFromWorkers(): { contentType: string; metrics(): Promise<string> } {
  const all: AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'> = new AggregatorRegistry();
  return { contentType: all.contentType, metrics: () => all.clusterMetrics() };
}
