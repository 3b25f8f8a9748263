import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { serveMetrics } from '../../src/metrics/metrics-server.ts';
import { isInstalled } from '../support/installed.ts';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { getPage, testService } from '../support/test-service.ts';

const HAS_PROMTOOL = isInstalled('promtool', 'the tests of the alert rules');
const FILES = ['deploy/prometheus-alerts.yml', 'deploy/grafana-dashboard.json'];
/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['job', 'instance'];

const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');

/** Each metric that a file of ours uses, with the labels that it has conditions on. In JSON, quotes are escaped. */
const usesIn = (text: string) =>
  [...text.matchAll(/\b((?:formhost|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => name !== 'formhost_')
    .map(([, name = '', conditions = '']) => ({
      name,
      labels: [...conditions.matchAll(/([a-z]+)(?:=~|!~|!=|=)\\?"/g)].map(([, label = '']) => label),
    }));

/** The labels by which a file groups. */
const groupingsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:by|on) \(([a-z, ]+)\)/g)].flatMap(([, labels = '']) => labels.split(', '));

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });

describe('the alert rules and the dashboard', () => {
  let metrics: ReadonlyMap<string, number>;
  /** The labels that each metric has, by its name. */
  const exposed = new Map<string, Set<string>>();

  beforeAll(async () => {
    const port = await freePort();
    const close = await serveMetrics(service.exposeMetrics(), { host: '127.0.0.1', port });
    const owner = await service.owner();
    const { id, slug } = await owner.deploy();
    // Nobody listens there: an attempt is counted all the same.
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:1/' }).expect(201);
    await service.db.raw('INSERT INTO last_backup (taken_at) VALUES (now())');
    await getPage(service.url, slug).expect(200);
    await fetch(`${service.url}/readyz`);
    await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
    await vi.waitFor(
      async () => {
        metrics = await readMetrics(port);
        expect([...metrics.keys()].join()).toMatch(/formhost_delivery_attempts_total\{/);
      },
      { timeout: 60_000, interval: 50 },
    );
    await close();
    for (const key of metrics.keys()) {
      const [, name = '', labels = ''] = /^([^{]*)(?:\{(.*)\})?$/.exec(key) ?? [];
      const known = exposed.get(name) ?? new Set();
      exposed.set(name, known);
      for (const [, label = ''] of labels.matchAll(/([a-z]+)="/g)) known.add(label);
    }
  });

  it.each(FILES)('%s uses only metrics and labels that a running service has', async (file) => {
    const uses = usesIn(await read(file));
    expect(uses.length).toBeGreaterThan(10);
    expect(uses.filter(({ name }) => !exposed.has(name))).toEqual([]);
    const isKnown = (name: string, label: string) => exposed.get(name)?.has(label) || OF_PROMETHEUS.includes(label);
    expect(uses.filter(({ name, labels }) => !labels.every((label) => isKnown(name, label)))).toEqual([]);
    const all = new Set([...OF_PROMETHEUS, ...[...exposed.values()].flatMap((labels) => [...labels])]);
    expect(groupingsIn(await read(file)).filter((label) => !all.has(label))).toEqual([]);
  });
});

describe.skipIf(!HAS_PROMTOOL)('promtool', () => {
  it.each([
    ['check', 'rules', 'deploy/prometheus-alerts.yml'],
    ['test', 'rules', 'test/support/prometheus-alerts-cases.yml'],
  ])('accepts: %s %s %s', async (...args) => {
    const { code, stdout, stderr } = await startProgram('promtool', args, {}).result;
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });

  it('has a case in which each alert is raised', async () => {
    const alerts = [...(await read('deploy/prometheus-alerts.yml')).matchAll(/- alert: (\w+)/g)].map(
      ([, name]) => name,
    );
    const cases = await read('test/support/prometheus-alerts-cases.yml');
    expect(alerts.filter((name) => !new RegExp(`alertname: ${name}\n +exp_alerts:`).test(cases))).toEqual([]);
  });
});
