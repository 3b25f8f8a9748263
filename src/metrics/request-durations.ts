import { Histogram, type Registry } from 'prom-client';

/** Upper bounds, in seconds. Few, because each is a series of every route and method. */
const BUCKETS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** Methods that an endpoint has. All others are one: clients choose them. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = 'other';

type Label = 'route' | 'method';
type Series = { labels: Record<Label, string>; counts: number[]; sum: number };

/** A route's name in the metrics is its method and its path, or a word. */
const pathOf = (route: string): string => route.slice(route.indexOf(' ') + 1);

/**
 * The durations of requests. They are counted here, because each observation of prom-client joins its labels to a text, which would
 * add a microsecond to a page of 20.
 */
export class RequestDurations extends Histogram<Label> {
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #name: string;
  readonly #help: string;

  constructor(name: string, help: string, registry: Registry) {
    super({ name, help, labelNames: ['route', 'method'], buckets: [...BUCKETS], registers: [registry] });
    this.#name = name;
    this.#help = help;
  }

  /** Counts a request to a route, as `Metrics.request` names it. */
  add(route: string, method: string, seconds: number): void {
    const known = METHODS.has(method) ? method : OTHER_METHOD;
    const series = this.#series.get(route)?.get(known) ?? this.#begin(route, known);
    let bucket = 0;
    // Beyond the last bound, it counts in the bucket after it.
    while (seconds > (BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  #begin(route: string, method: string): Series {
    const series = {
      labels: { route: pathOf(route), method },
      counts: Array<number>(BUCKETS.length + 1).fill(0),
      sum: 0,
    };
    const ofRoute = this.#series.get(route) ?? new Map<string, Series>();
    this.#series.set(route, ofRoute.set(method, series));
    return series;
  }

  /** Returns the values as prom-client has those of a histogram, for its text and for the sum of several processes. */
  async getForPromString(): Promise<object> {
    return { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values: this.#values() };
  }

  #values(): object[] {
    const all = [...this.#series.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    return all.flatMap(({ labels, counts, sum }) => {
      let count = 0;
      const value = (metricName: string, ofValue: number, own: object = {}) => ({
        metricName: `${this.#name}_${metricName}`,
        labels: own,
        sharedLabels: labels,
        value: ofValue,
      });
      const buckets = counts.map((inBucket, bucket) => {
        count += inBucket;
        return value('bucket', count, { le: BUCKETS[bucket] ?? '+Inf' });
      });
      return [...buckets, value('sum', sum), value('count', count)];
    });
  }
}
