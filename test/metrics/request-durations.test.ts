import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/metrics/metrics.ts';
import { RequestDurations } from '../../src/metrics/request-durations.ts';
import { getPage, testService } from '../support/test-service.ts';

const NAME = 'formhost_request_duration_seconds';

/** The lines of the durations in the text for Prometheus, without their values. */
const countsIn = (text: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${NAME}_count`) || line.startsWith(`${NAME}_bucket{le="+Inf"`));

it('counts a duration in its bucket and in all that are longer, by path and method', async () => {
  const registry = new Registry();
  const durations = new RequestDurations('d', 'Durations.', registry);
  for (const seconds of [0.001, 0.0011, 0.5, 10.1]) durations.add('GET /deploy/:id', 'GET', seconds);
  durations.add('page', 'PROPFIND', 0.0625);
  durations.add('page', 'SEARCH', 0.0625);
  const series = (labels: string, counts: number[], sum: number): string =>
    [
      ...['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '+Inf'].map(
        (bound, bucket) => `d_bucket{le="${bound}",${labels}} ${counts[bucket]}`,
      ),
      `d_sum{${labels}} ${sum}`,
      `d_count{${labels}} ${counts.at(-1)}`,
    ].join('\n');
  expect(await registry.metrics()).toBe(
    [
      '# HELP d Durations.',
      '# TYPE d histogram',
      series('route="/deploy/:id",method="GET"', [1, 2, 2, 2, 3, 3, 3, 4], 0.001 + 0.0011 + 0.5 + 10.1),
      series('route="page",method="other"', [0, 0, 0, 2, 2, 2, 2, 2], 0.125),
      '',
    ].join('\n'),
  );
});

describe('the durations that a service counts', () => {
  it('are of declared paths, and of words for all others', async () => {
    const service = await testService();
    const registry = service.exposeMetrics();
    const owner = await service.owner();
    const { id, slug } = await owner.deploy();
    await getPage(service.url, slug).expect(200);
    await owner.get(`/deploy/${id}`).expect(200);
    for (const path of ['/no', '/nothing', '/deploy/x/y/z']) await fetch(service.url + path);
    await fetch(`${service.url}/deploy/${id}`, { method: 'PROPFIND' });
    await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
    const expected = [
      ['/deploy', 'POST', 1],
      ['page', 'GET', 1],
      ['/deploy/:id', 'GET', 1],
      ['other', 'GET', 3],
      ['/deploy/:id', 'other', 1],
      ['/submit/:deployId', 'POST', 1],
    ].flatMap(([route, method, count]) => [
      `${NAME}_bucket{le="+Inf",route="${route}",method="${method}"} ${count}`,
      `${NAME}_count{route="${route}",method="${method}"} ${count}`,
    ]);
    // An answer is counted once its connection has sent it.
    await expect.poll(async () => countsIn(await registry.metrics()).toSorted()).toEqual(expected.toSorted());
  });

  it('have no series until a request was answered', async () => {
    const text = await new Metrics()
      .expose({
        pageLookups: () => ({ hits: 0, misses: 0 }),
        connections: () => ({ total: 0, idle: 0, waiting: 0 }),
        backlogAge: async () => 0,
        installation: {
          backupAge: async () => undefined,
          missingBackups: async () => 0,
          databaseBytes: async () => 0,
          disk: async () => ({ free: 0, total: 0 }),
          endingDomains: async () => 0,
          endingCertificates: async () => undefined,
        },
      })
      .metrics();
    expect(text).toContain(`# TYPE ${NAME} histogram\n\n`);
  });
});
