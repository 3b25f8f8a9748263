import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { z } from 'zod';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startService } from '../src/service.ts';

/*
 * Writes the endpoints of docs/api.md from the OpenAPI document that a service answers at /openapi.json:
 * `npm run docs:api`. The introduction of that page, above the marker, is written by hand and stays. Of the same document it
 * makes the types of the client in src/client.
 */

/** The settings of the service that the page shows. All others have their defaults. */
export const EXAMPLE_SETTINGS = { BASE_URL: 'https://forms.example.org', PAGES_DOMAIN: 'pages.example.net' };

export const PAGE = new URL('api.md', import.meta.url);
export const CLIENT_TYPES = new URL('../src/client/api.d.ts', import.meta.url);
const MARKER =
  '<!-- The rest of this page is made by `npm run docs:api`: change the declarations of the endpoints. -->\n';

/** An error that so many operations have is listed once, for all of them. */
const COMMON_OPERATIONS = 10;

const Schema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  example: z.unknown().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return Schema.optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
});
type Schema = z.infer<typeof Schema>;

const Content = z.record(z.string(), z.object({ schema: Schema, example: z.unknown().optional() })).default({});
const Parameter = z.object({
  in: z.enum(['path', 'query', 'header']),
  name: z.string(),
  required: z.boolean().default(false),
  description: z.string().default(''),
  schema: Schema,
});
const Answer = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.object({ description: z.string().default('') })).default({}),
  content: Content,
});
const Operation = z.object({
  tags: z.array(z.string()).length(1),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Answer),
});
const Document = z.object({
  servers: z.tuple([z.object({ url: z.string() })]),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});
type Endpoint = z.infer<typeof Operation> & { method: string; path: string };

/** The document with each reference replaced by what it refers to. */
function withoutReferences(document: unknown, value: unknown = document): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(document, item));
  if (!(value instanceof Object)) return value;
  if ('$ref' in value) {
    const steps = String(value.$ref).slice('#/'.length).split('/');
    const target = steps.reduce<unknown>((place, step) => Reflect.get(Object(place), step), document);
    return withoutReferences(document, target);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutReferences(document, member)]));
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
};
const fenced = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.replaceAll('\r\n', '\n').trimEnd()}\n\`\`\``;

function typeOf(schema: Schema): string {
  const { type, items, anyOf } = schema;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

/** The rows of a schema's fields, at any depth: `deployments[].id`. */
function fieldRows(schema: Schema, prefix = ''): string[][] {
  const { properties, items, required } = schema;
  if (items) return fieldRows(items, `${prefix}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const standard = field.default === undefined ? '' : `, default \`${JSON.stringify(field.default)}\``;
    const isOptional = !required.includes(name) || field.default !== undefined;
    return [
      [`\`${path}\``, typeOf(field) + (isOptional ? ', optional' : '') + standard, field.description ?? ''],
      ...fieldRows(field, path),
    ];
  });
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The arguments with which curl sends an example as a content type. */
function bodyArguments(type: string, example: unknown): string[] {
  if (type === 'application/json')
    return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(example))}`];
  if (type === 'text/html') return [`-H 'Content-Type: text/html'`, '--data-binary @page.html'];
  const option = type === 'multipart/form-data' ? '-F' : '--data-urlencode';
  return Object.entries(Object(example)).map(([name, value]) => `${option} ${quoted(`${name}=${value}`)}`);
}

/** The request of an endpoint, once for each content type that it takes. */
function requests({ method, path, security, parameters, requestBody }: Endpoint, baseUrl: string): string {
  const url = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema }) => text.replace(`{${name}}`, String(schema.example)), baseUrl + path);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${schema.example}`)
    .join('&');
  const target = query === '' ? url : quoted(`${url}?${query}`);
  const key = security?.length === 0 ? [] : ['-H "Authorization: Bearer $API_KEY"'];
  const bodies = Object.entries(requestBody?.content ?? {});
  const isImplied = method === 'GET' || (method === 'POST' && bodies.length > 0);
  const head = [isImplied ? `curl ${target}` : `curl -X ${method} ${target}`, ...key];
  const all =
    bodies.length > 0 ? bodies.map(([type, { example }]) => [...head, ...bodyArguments(type, example)]) : [head];
  return all.map((lines) => lines.join(' \\\n  ')).join('\n\n');
}

/** A success: its status, what it says, an example, and its fields. */
function success(status: string, { description, headers, content }: z.infer<typeof Answer>): string {
  const shown = Object.entries(headers).flatMap(([name, { description: text }]) =>
    text === '' ? [`\`${name}\``] : [`\`${name}\` (${text.replace(/\.$/, '')})`],
  );
  const sentence = `Answer **${status}**: ${description}${shown.length > 0 ? ` With ${shown.join(', ')}.` : ''}`;
  const hasJson = content['application/json'] !== undefined;
  const parts = Object.entries(content).flatMap(([type, { schema, example }]) => {
    if (type === 'application/json') {
      const rows = fieldRows(schema);
      const fields = rows.length > 0 ? [table(['Field', 'Type', ''], rows)] : [];
      return [fenced('json', JSON.stringify(example, null, 2)), ...fields];
    }
    return hasJson ? [`Or as \`${type}\`.`] : [`As \`${type}\`:`, fenced('text', String(example))];
  });
  return [sentence, ...parts].join('\n\n');
}

const statusAnd = ([status, { description }]: [string, { description: string }]): string => `${status} ${description}`;
const isError = ([status]: [string, unknown]): boolean => status >= '400';
const anchorOf = (heading: string): string =>
  `#${heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-')}`;

function section(endpoint: Endpoint, baseUrl: string, common: ReadonlySet<string>): string {
  const { method, path, summary, description, parameters, requestBody, responses } = endpoint;
  const parameterRows = parameters.map(({ in: place, name, required, description: text, schema }) => [
    `\`${name}\``,
    `${place}, ${typeOf(schema)}${required ? '' : ', optional'}${schema.default === undefined ? '' : `, default \`${schema.default}\``}`,
    text,
  ]);
  const bodyRows = fieldRows(requestBody?.content['application/json']?.schema ?? Schema.parse({}));
  const successes = Object.entries(responses).filter((each) => !isError(each));
  const errors = Object.entries(responses).filter(isError);
  const own = errors.filter((each) => !common.has(statusAnd(each)));
  const shared = errors.filter((each) => common.has(statusAnd(each))).map(([status]) => status);
  return [
    `### ${summary}`,
    `\`${method} ${path}\``,
    ...(description === undefined ? [] : [description]),
    ...(parameterRows.length > 0 ? [table(['Parameter', 'Type', ''], parameterRows)] : []),
    ...(bodyRows.length > 0 ? [table(['Field of the body', 'Type', ''], bodyRows)] : []),
    fenced('sh', requests(endpoint, baseUrl)),
    ...successes.map(([status, answer]) => success(status, answer)),
    ...(own.length > 0
      ? [
          table(
            ['Error', 'When'],
            own.map(([status, answer]) => [status, answer.description]),
          ),
        ]
      : []),
    ...(shared.length > 0
      ? [
          `${own.length > 0 ? 'And those' : 'Errors: those'} of [most endpoints](#errors-that-most-endpoints-have): ${shared.join(', ')}.`,
        ]
      : []),
  ].join('\n\n');
}

/** The endpoints of an OpenAPI document as Markdown. */
function endpointsOf(reference: unknown): string {
  const { servers, tags, paths } = Document.parse(withoutReferences(reference));
  const [{ url: baseUrl }] = servers;
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const errors = endpoints.flatMap(({ responses }) => Object.entries(responses).filter(isError).map(statusAnd));
  const common = new Set(
    errors.filter((each) => errors.filter((other) => other === each).length >= COMMON_OPERATIONS).toSorted(),
  );
  const rows = endpoints.map(({ method, path, summary }) => [
    `\`${method} ${path}\``,
    `[${summary}](${anchorOf(summary)})`,
  ]);
  return [
    '## All endpoints',
    table(['Endpoint', 'What it does'], rows),
    '## Errors that most endpoints have',
    table(
      ['Error', 'When'],
      [...common].map((each) => [each.slice(0, 3), each.slice(4)]),
    ),
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...endpoints.filter(({ tags: [tag] }) => tag === name).map((endpoint) => section(endpoint, baseUrl, common)),
    ]),
  ].join('\n\n');
}

/** The page with its endpoints made anew from an OpenAPI document. */
export function apiPage(page: string, reference: unknown): string {
  const [introduction, ...rest] = page.split(MARKER);
  if (introduction === undefined || rest.length !== 1) throw new Error(`The page has not one line ${MARKER.trim()}`);
  return `${introduction}${MARKER}\n${endpointsOf(reference)}\n`;
}

/** The types of the endpoints of an OpenAPI document. */
export const clientTypes = async (reference: string): Promise<string> =>
  `/* Made by \`npm run docs:api\`: change the declarations of the endpoints. */\n\n${astToString(await openapiTypes(reference))}`;

/** What a service with the example's settings answers at /openapi.json. */
async function referenceOfService(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-docs-'));
  const config = { ...loadConfig({ ...EXAMPLE_SETTINGS, DATA_DIR: folder }), port: 0 };
  const service = await startService(config, createLog('error'));
  try {
    await service.ready;
    return await (await fetch(`${service.url}/openapi.json`)).text();
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const reference = await referenceOfService();
  await writeFile(PAGE, apiPage(await readFile(PAGE, 'utf8'), JSON.parse(reference)));
  await writeFile(CLIENT_TYPES, await clientTypes(reference));
}
