import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, SETTING_NAMES } from '../../src/config.ts';
import { VERSION } from '../../src/lib/project.ts';

const read = (name: string) => parse(readFileSync(new URL(`../../deploy/kubernetes/${name}`, import.meta.url), 'utf8'));

const kustomization = read('kustomization.yaml');
const [generator] = kustomization.configMapGenerator;
const settings = Object.fromEntries(generator.literals.map((line: string) => line.split(/=(.*)/s)));
const secret = read('secret.example.yaml');
const config = loadConfig({ ...settings, ...secret.stringData });
const deployment = read('deployment.yaml');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const service = read('service.yaml');
const ingress = read('ingress.yaml');

/** How long the service may take to stop after SHUTDOWN_DELAY_MS. */
const STOP_SECONDS = 10;

describe('deploy/kubernetes', () => {
  it('sets nothing but settings of the service', () => {
    const files = container.env.map(({ name }: { name: string }) => name.replace(/_FILE$/, ''));
    const names = [...Object.keys(settings), ...Object.keys(secret.stringData), ...files];
    expect(names.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    expect(container.envFrom).toEqual([{ configMapRef: { name: generator.name } }]);
  });

  it('mounts each secret where its setting looks for it', () => {
    const [mount] = container.volumeMounts.filter(({ name }: { name: string }) => name === 'secrets');
    const [volume] = pod.volumes.filter(({ name }: { name: string }) => name === 'secrets');
    expect(volume.secret.secretName).toBe(secret.metadata.name);
    expect(container.env).toEqual(
      Object.keys(secret.stringData).map((name) => ({ name: `${name}_FILE`, value: `${mount.mountPath}/${name}` })),
    );
  });

  it('leads from the hosts of the API and of the pages to the port of the service', () => {
    const hosts = [new URL(config.baseUrl).hostname, `*.${config.pagesDomain}`];
    expect(ingress.spec.rules.map(({ host }: { host: string }) => host)).toEqual(hosts);
    expect(ingress.spec.tls[0].hosts).toEqual(hosts);
    const [port] = service.spec.ports;
    for (const { http } of ingress.spec.rules) {
      expect(http.paths[0].backend.service).toEqual({ name: service.metadata.name, port: { name: port.name } });
    }
    expect(container.ports).toEqual([{ name: port.targetPort, containerPort: config.port }]);
  });

  it('selects the pods', () => {
    const { labels } = deployment.spec.template.metadata;
    const [spread] = pod.topologySpreadConstraints;
    const selectors = [
      deployment.spec.selector,
      read('pod-disruption-budget.yaml').spec.selector,
      spread.labelSelector,
    ];
    expect([service.spec.selector, ...selectors.map(({ matchLabels }) => matchLabels)]).toEqual(Array(4).fill(labels));
  });

  it('restarts a process that hangs, sends it no requests while it is not ready, and allows the time that a stop takes', () => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(config.shutdownDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(config.shutdownDelayMs + STOP_SECONDS * 1_000);
  });

  it('runs this version', () => {
    expect(kustomization.images).toEqual([
      { name: container.image, newName: expect.stringMatching(/\/formhost$/), newTag: VERSION },
    ]);
  });
});
