import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveMetrics } from '../../src/metrics/server.ts';
import { isInstalled } from '../support/installed.ts';
import { readMetrics } from '../support/metrics.ts';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { getPage, startTestService, type TestService } from '../support/service.ts';

const HAS_PROMTOOL = isInstalled('promtool', 'the tests of the alert rules');
const FILES = ['deploy/prometheus-alerts.yml', 'deploy/grafana-dashboard.json'];
/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['job', 'instance'];

const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');

type Use = { name: string; matchers: { label: string; operator: string; value: string }[] };

/** Each metric that a file of ours uses, with the conditions on its labels. In JSON, quotes are escaped. */
function usesIn(text: string): Use[] {
  const plain = text.replaceAll('\\"', '"');
  return [...plain.matchAll(/\b((?:formhost|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => name !== 'formhost_')
    .map(([, name = '', matchers = '']) => ({
      name,
      matchers: [...matchers.matchAll(/([a-z]+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }));
}

/** The labels by which a file groups. */
const groupingsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:by|on) \(([a-z, ]+)\)/g)].flatMap(([, labels = '']) => labels.split(', '));

describe('the alert rules and the dashboard', () => {
  let service: TestService;
  let metrics: ReadonlyMap<string, number>;
  /** The values that each label of each metric has, by the metric's name. */
  const exposed = new Map<string, Map<string, Set<string>>>();

  beforeAll(async () => {
    service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    const port = await freePort();
    const close = await serveMetrics(service.exposeMetrics(), { host: '127.0.0.1', port });
    const owner = await service.owner();
    const { id, slug } = await owner.deploy();
    // Nobody listens there: an attempt is counted all the same.
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:1/' }).expect(201);
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
      const known = exposed.get(name) ?? new Map<string, Set<string>>();
      exposed.set(name, known);
      for (const [, label = '', value = ''] of labels.matchAll(/([a-z]+)="([^"]*)"/g)) {
        known.set(label, (known.get(label) ?? new Set()).add(value));
      }
    }
  });
  afterAll(() => service.close());

  it.each(FILES)('%s uses only metrics and labels that a running service has', async (file) => {
    const uses = usesIn(await read(file));
    expect(uses.length).toBeGreaterThan(10);
    const unknown = uses.flatMap(({ name, matchers }) => {
      const labels = exposed.get(name);
      if (labels === undefined) return [name];
      return matchers
        .map(({ label }) => label)
        .filter((label) => !labels.has(label) && !OF_PROMETHEUS.includes(label))
        .map((label) => `${name}{${label}}`);
    });
    expect(unknown).toEqual([]);
    const all = new Set([...OF_PROMETHEUS, ...[...exposed.values()].flatMap((labels) => [...labels.keys()])]);
    expect(groupingsIn(await read(file)).filter((label) => !all.has(label))).toEqual([]);
  });

  it.each(FILES)('%s has values of labels that the service or docs/operations.md has', async (file) => {
    const docs = await read('docs/operations.md');
    const unknown = usesIn(await read(file)).flatMap(({ name, matchers }) => {
      const row =
        docs.split('\n').find((line) => line.startsWith('| `') && line.includes(`${name.replace(/_bucket$/, '')}`)) ??
        '';
      return matchers
        .filter(({ label }) => !OF_PROMETHEUS.includes(label) && label !== 'status')
        .flatMap(({ label, value }) => value.split('|').map((one) => ({ label, one })))
        .filter(({ label, one }) => !exposed.get(name)?.get(label)?.has(one) && !row.includes(one))
        .map(({ label, one }) => `${name}{${label}="${one}"}`);
    });
    expect(unknown).toEqual([]);
  });

  it('documents each metric of its own, and each alert', async () => {
    const docs = await read('docs/operations.md');
    const own = [...exposed.keys()].filter((name) => name.startsWith('formhost_'));
    const documented = own.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
    expect(documented.filter((name) => !docs.includes(`\`${name}`))).toEqual([]);
    const used = (await Promise.all(FILES.map(read))).flatMap(usesIn).map(({ name }) => name.replace(/_bucket$/, ''));
    expect(used.filter((name) => !docs.includes(`\`${name}`))).toEqual([]);
    const alerts = [...(await read(FILES[0] ?? '')).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    expect(alerts.length).toBeGreaterThan(5);
    expect(alerts.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
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
