import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';

/*
 * Makes the Helm chart in deploy/helm of the files in deploy/kubernetes, so that both describe the same. A test compares the files
 * with what this script makes.
 */

const PROJECT = join(import.meta.dirname, '..');
const KUSTOMIZE = 'deploy/kubernetes';
const CHART = 'deploy/helm';

/** A text that a file has, as often as said, and what the chart has in its place. */
type Replacement = readonly [text: string, template: string, times?: number];

const RELEASE = '{{ .Release.Name }}';
const LABELS: Replacement = ['app.kubernetes.io/name: formhost', `app.kubernetes.io/name: ${RELEASE}`];
const labels = (times: number): Replacement => [LABELS[0], LABELS[1], times];
const NAME: Replacement = ['metadata:\n  name: formhost\n', `metadata:\n  name: ${RELEASE}\n`];
const HOST = '{{ (urlParse .Values.settings.BASE_URL).hostname }}';
const PAGES = '*.{{ regexReplaceAll ":.*$" .Values.settings.PAGES_DOMAIN "" }}';

const TEMPLATES: Readonly<Record<string, readonly Replacement[]>> = {
  'deployment.yaml': [
    NAME,
    labels(4),
    ['replicas: 2', 'replicas: {{ .Values.replicas }}'],
    [
      '    metadata:\n      labels',
      '    metadata:\n      # A change of a setting replaces the pods.\n      annotations: { checksum/settings: {{ .Values.settings | toJson | sha256sum }} }\n      labels',
    ],
    [
      'terminationGracePeriodSeconds: 20',
      'terminationGracePeriodSeconds: {{ add 15 (div (int .Values.settings.SHUTDOWN_DELAY_MS) 1000) }}',
    ],
    [
      'image: formhost\n',
      "image: '{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}'\n",
    ],
    ['configMapRef: { name: formhost }', `configMapRef: { name: ${RELEASE} }`],
    [
      '            - { name: DATABASE_URL_FILE, value: /run/secrets/formhost/DATABASE_URL }\n',
      '            {{- range .Values.secret.settings }}\n            - { name: {{ . }}_FILE, value: /run/secrets/formhost/{{ . }} }\n            {{- end }}\n',
    ],
    [
      '          resources:\n            requests: { cpu: 250m, memory: 512Mi }\n            # docs/operations.md, Memory.\n            limits: { memory: 1Gi }\n',
      '          # docs/operations.md, Memory.\n          resources: {{- toYaml .Values.resources | nindent 12 }}\n',
    ],
    ['secretName: formhost }', 'secretName: {{ .Values.secret.name }} }'],
  ],
  'service.yaml': [NAME, labels(2)],
  'pod-disruption-budget.yaml': [NAME, labels(2)],
  'ingress.yaml': [
    ['The certificate in the Secret formhost-tls covers', 'The certificate of the Secret covers'],
    ['apiVersion:', '{{- if .Values.ingress.enabled }}\napiVersion:'],
    NAME,
    labels(1),
    [
      "  annotations:\n    # For ingress-nginx: the service has limits of its own. Other controllers have other names for it.\n    nginx.ingress.kubernetes.io/proxy-body-size: '0'\n    nginx.ingress.kubernetes.io/proxy-request-buffering: 'off'\n    nginx.ingress.kubernetes.io/proxy-buffering: 'off'\n",
      '  annotations: {{- toYaml .Values.ingress.annotations | nindent 4 }}\n',
    ],
    ['spec:\n', 'spec:\n  {{- with .Values.ingress.className }}\n  ingressClassName: {{ . }}\n  {{- end }}\n'],
    ['secretName: formhost-tls', 'secretName: {{ .Values.ingress.tlsSecretName }}'],
    ["[forms.example.org, '*.pages.example.net']", `[${HOST.replaceAll(/^|$/g, "'")}, '${PAGES}']`],
    ['host: forms.example.org', `host: '${HOST}'`],
    ["host: '*.pages.example.net'", `host: '${PAGES}'`],
    ['                name: formhost\n', `                name: ${RELEASE}\n`],
    ['      http: *formhost\n', '      http: *formhost\n{{- end }}\n'],
  ],
};

const CONFIG_MAP = `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${RELEASE}
  labels: { app.kubernetes.io/name: ${RELEASE} }
data:
  {{- range $name, $value := .Values.settings }}
  {{- /* Helm reads whole numbers as floating-point ones. */}}
  {{ $name }}: {{ kindIs "float64" $value | ternary (int64 $value) $value | quote }}
  {{- end }}
`;

const MADE = '# Made by scripts/helm-chart.ts of deploy/kubernetes.\n';

function templateOf(file: string, text: string): string {
  let template = text;
  for (const [from, to, times = 1] of TEMPLATES[file] ?? []) {
    const found = template.split(from).length - 1;
    if (found !== times) throw new Error(`${file} has ${JSON.stringify(from)} ${found} times, not ${times}.`);
    template = template.replaceAll(from, () => to);
  }
  return MADE + template;
}

const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');

/** The values of the chart, which are those of the files. */
async function valuesOf(kustomization: {
  images: { newName: string }[];
  configMapGenerator: { literals: string[] }[];
}): Promise<string> {
  const { spec } = parse(await read(`${KUSTOMIZE}/deployment.yaml`));
  const ingress = parse(await read(`${KUSTOMIZE}/ingress.yaml`));
  const [container] = spec.template.spec.containers;
  const secret = parse(await read(`${KUSTOMIZE}/secret.example.yaml`));
  const settings = kustomization.configMapGenerator.flatMap(({ literals }) => literals);
  const part = (comment: string, values: object): string =>
    `# ${comment}\n${stringify(values, { singleQuote: true, lineWidth: 0, version: '1.1' })}`;
  return `${MADE}\n${[
    part('Settings of the service, except for secret ones.', {
      settings: Object.fromEntries(settings.map((line) => line.split(/=(.*)/s).slice(0, 2))),
    }),
    part('A Secret that exists, with a key for each of these settings.', {
      secret: { name: secret.metadata.name, settings: Object.keys(secret.stringData) },
    }),
    part('tag: of the chart, if it is empty.', { image: { repository: kustomization.images[0]?.newName, tag: '' } }),
    part('Pods.', { replicas: spec.replicas, resources: container.resources }),
    part('The annotations are for ingress-nginx: the service has limits of its own. tlsSecretName covers both hosts.', {
      ingress: {
        enabled: true,
        className: '',
        tlsSecretName: ingress.spec.tls[0].secretName,
        annotations: ingress.metadata.annotations,
      },
    }),
  ].join('\n')}`;
}

/** Returns the files of the chart, by their paths in the project. */
export async function helmChart(): Promise<Record<string, string>> {
  const { version, description } = JSON.parse(await read('package.json'));
  const kustomization = parse(await read(`${KUSTOMIZE}/kustomization.yaml`));
  const templates = await Promise.all(
    Object.keys(TEMPLATES).map(async (file) => {
      const template = templateOf(file, await read(`${KUSTOMIZE}/${file}`));
      return [`${CHART}/templates/${file}`, template] as const;
    }),
  );
  return {
    [`${CHART}/Chart.yaml`]: `${MADE}${stringify({
      apiVersion: 'v2',
      name: 'formhost',
      description,
      type: 'application',
      version,
      appVersion: version,
    })}`,
    [`${CHART}/values.yaml`]: await valuesOf(kustomization),
    [`${CHART}/templates/config-map.yaml`]: MADE + CONFIG_MAP,
    ...Object.fromEntries(templates),
  };
}

async function write(): Promise<void> {
  for (const [file, text] of Object.entries(await helmChart())) {
    await mkdir(dirname(join(PROJECT, file)), { recursive: true });
    await writeFile(join(PROJECT, file), text);
  }
}

if (import.meta.main) await write();
