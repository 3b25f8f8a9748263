import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helmChart } from '../../scripts/helm-chart.ts';
import { isInstalled } from '../support/installed.ts';
import { PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';

const HAS_HELM = isInstalled('helm', 'the tests that render the chart');
const HAS_KUBECTL = isInstalled('kubectl', 'the test that compares the chart with kustomize');

it('the chart is made of the files for kustomize: `npm run helm-chart` makes it anew', async () => {
  const chart = await helmChart();
  const inFolder = readdirSync(join(PROJECT, 'deploy/helm'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(PROJECT.length).replace(/^\//, ''));
  expect(inFolder.toSorted()).toEqual(Object.keys(chart).toSorted());
  for (const [file, text] of Object.entries(chart)) {
    expect(await readFile(join(PROJECT, file), 'utf8'), file).toBe(text);
  }
});

/** The objects that a program prints, by their kinds. */
async function objectsOf(program: string, ...args: string[]): Promise<Record<string, object>> {
  const { code, stdout, stderr } = await startProgram(program, args, {}).result;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // Both programs read YAML 1.1, in which `off` is false.
  const documents = parseAllDocuments(stdout, { version: '1.1' });
  return Object.fromEntries([...documents].map((document) => [document.get('kind'), document.toJS()]));
}

describe.skipIf(!HAS_HELM)('helm', () => {
  const template = (...args: string[]) => objectsOf('helm', 'template', 'formhost', 'deploy/helm', ...args);

  it('finds no fault', async () => {
    const { code } = await startProgram('helm', ['lint', '--strict', 'deploy/helm'], {}).result;
    expect(code).toBe(0);
  });

  describe.skipIf(!HAS_KUBECTL)('with the values of the chart', () => {
    /** Without what each program adds so that a change of a setting replaces the pods. */
    const bare = (objects: Record<string, object>): unknown =>
      JSON.parse(
        JSON.stringify(objects)
          .replaceAll(/"formhost-[a-z0-9]{10}"/g, '"formhost"')
          .replace(/"annotations":\{"checksum\/settings":"[0-9a-f]{64}"\},/, ''),
      );
    let ofHelm: Record<string, object>;
    let ofKustomize: Record<string, object>;
    beforeAll(async () => {
      ofHelm = await template();
      ofKustomize = await objectsOf('kubectl', 'kustomize', 'deploy/kubernetes');
    });

    it.each(['ConfigMap', 'Deployment', 'Service', 'Ingress', 'PodDisruptionBudget'])(
      'describes the %s of kustomize',
      (kind) => {
        const [helm, kustomize] = [bare(ofHelm), bare(ofKustomize)].map((objects) => Object(objects)[kind]);
        // Kustomize gives the ConfigMap no labels.
        if (kind === 'ConfigMap') delete helm.metadata.labels;
        expect(helm).toEqual(kustomize);
      },
    );

    it('describes nothing else', () => {
      expect(Object.keys(ofHelm).toSorted()).toEqual(Object.keys(ofKustomize).toSorted());
    });
  });

  it('takes whole numbers, other hosts, more secret settings, and no Ingress', async () => {
    const settings = { BASE_URL: 'https://api.test:8443', PAGES_DOMAIN: 'p.test:8443', MAX_FILE_BYTES: 104_857_600 };
    const values = { settings: { ...settings, SHUTDOWN_DELAY_MS: 20_000 }, secret: { settings: ['SMTP_URL'] } };
    const file = join(await emptyFolder(), 'values.yaml');
    await writeFile(file, JSON.stringify(values));
    const objects = Object(await template('-f', file));
    expect(objects.ConfigMap.data.MAX_FILE_BYTES).toBe('104857600');
    expect(objects.Ingress.spec.rules.map(({ host }: { host: string }) => host)).toEqual(['api.test', '*.p.test']);
    const pod = objects.Deployment.spec.template.spec;
    expect([pod.terminationGracePeriodSeconds, pod.containers[0].env]).toEqual([
      35,
      [{ name: 'SMTP_URL_FILE', value: '/run/secrets/formhost/SMTP_URL' }],
    ]);
    expect(Object.keys(await template('--set', 'ingress.enabled=false'))).not.toContain('Ingress');
  });
});
