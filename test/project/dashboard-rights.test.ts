import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../src/http/endpoints.ts';
import { PROJECT } from '../support/process.ts';

/*
 * Each button and form of the dashboard names in `needs` the operation that it calls: people whom the service would refuse it don't see
 * it. This follows what they run to the requests that it sends, through the functions of the dashboard.
 */

const FOLDER = 'src/dashboard';

/** The clients of the API. */
const isClient = (name: string): boolean => name === 'api' || name === 'plainApi';
/** What a part runs when it is used. */
const HANDLERS = new Set(['run', 'onSubmit', 'onSave', 'save']);
/** Parts that run, or need, what a part around them passes on: it is not followed. */
const PASSED_ON = [
  'editor/preview-link.tsx: PUT /deploy/{id}',
  'ui/delivery-row.tsx: undefined',
  'ui/form.tsx: undefined',
  'ui/one-field-form.tsx: undefined',
  'views/account/account-sessions.tsx: undefined',
  'views/new-page/chosen-site.tsx: POST /deploy',
  'views/notifications/delivery-log.tsx: undefined',
  'views/notifications/webhook-panel.tsx: DELETE /webhooks/{deployId}/{webhookId}',
  'views/page/page-files.tsx: DELETE /deploy/{id}/files/{path}',
  'views/pages/page-dialogs.tsx: undefined',
  'views/settings/address-section.tsx: DELETE /deploy/{id}/domains/{domain}',
];

type Node = Readonly<Record<string, unknown>> & { type: string };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const isNamed = (node: unknown, type: string): node is Node & { name: string } =>
  isNode(node) && node.type === type && typeof node.name === 'string';

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* walk(each);
  else if (isNode(value)) {
    yield value;
    for (const [name, child] of Object.entries(value)) if (name !== 'type' && !isLabel(value, name)) yield* walk(child);
  }
}

const textOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;

/** A file, with what its names stand for: code of its own, or a name of another file. */
type Module = { body: Node[]; own: Map<string, Node[]>; imported: Map<string, { file: string; name: string }> };
const MODULES = new Map<string, Module>();
const FILES = readdirSync(join(PROJECT, FOLDER), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => posix.join(FOLDER, name))
  .toSorted();

function moduleOf(file: string): Module {
  const known = MODULES.get(file);
  if (known) return known;
  const { program } = parseSync(file, readFileSync(join(PROJECT, file), 'utf8'));
  const own: Module['own'] = new Map();
  const imported: Module['imported'] = new Map();
  const body = [...walk(program)];
  const add = (name: string, code: unknown): unknown => isNode(code) && own.set(name, [...(own.get(name) ?? []), code]);
  for (const node of body) {
    if (node.type === 'FunctionDeclaration' && isNamed(node.id, 'Identifier')) add(node.id.name, node.body);
    if (node.type === 'VariableDeclarator' && isNamed(node.id, 'Identifier')) add(node.id.name, node.init);
    if (node.type !== 'ImportDeclaration') continue;
    const source = posix.join(posix.dirname(file), textOf(node.source) ?? '');
    if (!source.startsWith(FOLDER) || !existsSync(join(PROJECT, source))) continue;
    for (const one of walk(node.specifiers)) {
      if (one.type === 'ImportSpecifier' && isNamed(one.local, 'Identifier') && isNamed(one.imported, 'Identifier'))
        imported.set(one.local.name, { file: source, name: one.imported.name });
    }
  }
  const found = { body, own, imported };
  MODULES.set(file, found);
  return found;
}

/** An element of JSX: its name, and the code of its attributes. */
function* elementsIn(file: string): Generator<{ name: string; attributes: Map<string, unknown> }> {
  for (const node of moduleOf(file).body) {
    if (node.type !== 'JSXOpeningElement' || !isNamed(node.name, 'JSXIdentifier') || !Array.isArray(node.attributes)) {
      continue;
    }
    const attributes = new Map<string, unknown>();
    for (const one of node.attributes) {
      if (isNode(one) && isNamed(one.name, 'JSXIdentifier')) attributes.set(one.name.name, one.value);
    }
    yield { name: node.name.name, attributes };
  }
}

/** Names that are no values: of members, and of properties. */
const isLabel = ({ type, computed, shorthand }: Node, name: string): boolean =>
  computed === false &&
  !shorthand &&
  ((type === 'MemberExpression' && name === 'property') || (type === 'Property' && name === 'key'));

/** The operations that some code calls, in the spelling of `needs`: `PATCH /deploy/{id}`. */
function callsOf(file: string, code: unknown, seen = new Set<unknown>()): Set<string> {
  const calls = new Set<string>();
  const follow = (at: string, name: string): void => {
    const { own, imported } = moduleOf(at);
    const other = imported.get(name);
    // Parts have needs of their own, and the client of the API is called by its operations.
    if (/^[A-Z]/.test(name) || isClient(name)) return;
    if (other) follow(other.file, other.name);
    for (const each of own.get(name) ?? []) {
      if (seen.has(each)) continue;
      seen.add(each);
      for (const call of callsOf(at, each, seen)) calls.add(call);
    }
  };
  for (const node of walk(code)) {
    if (isNamed(node, 'Identifier')) follow(file, node.name);
    if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'MemberExpression') continue;
    const { object, property } = node.callee;
    const [path] = Array.isArray(node.arguments) ? node.arguments : [];
    if (!isNamed(object, 'Identifier') || !isClient(object.name) || !isNamed(property, 'Identifier')) continue;
    calls.add(`${property.name} ${textOf(path)}`);
  }
  return calls;
}

/** The operation that an attribute names; undefined where a part around it does. */
function neededBy(file: string, value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const code = value.type === 'JSXExpressionContainer' ? value.expression : value;
  if (!isNamed(code, 'Identifier')) return textOf(code);
  const { own, imported } = moduleOf(file);
  const other = imported.get(code.name);
  return textOf(other ? moduleOf(other.file).own.get(other.name)?.[0] : own.get(code.name)?.[0]);
}

type Part = { place: string; needs: string | undefined; calls: Set<string> };

const PARTS: readonly Part[] = FILES.flatMap((file) =>
  [...elementsIn(file)].flatMap(({ attributes }): Part[] => {
    const run = [...attributes].filter(([each]) => HANDLERS.has(each)).map(([, code]) => code);
    if (!attributes.has('needs') || run.length === 0) return [];
    const needs = neededBy(file, attributes.get('needs'));
    return [{ place: `${posix.relative(FOLDER, file)}: ${needs}`, needs, calls: callsOf(file, run) }];
  }),
);

const inReference = (path: string): string => path.replaceAll(/[:*](\w+)/g, '{$1}');
const NEEDED = new Map(
  OPERATIONS.map(({ operation: { method, path, needed } }) => [`${method} ${inReference(path)}`, needed]),
);
const RANKS: Readonly<Record<string, number>> = { anybody: 0, reader: 1, editor: 2, account: 3, owner: 3 };
const rankOf = (operation: string): number => RANKS[NEEDED.get(operation) ?? ''] ?? Number.NaN;
/** Of who sees a part. An operation that is about no page of others is about one's own. */
const rankOfPart = (needs: string): number => {
  const needed = NEEDED.get(needs);
  return needed === 'anybody' || needed === 'account' ? 3 : rankOf(needs);
};

it('finds the parts that call operations', () => {
  expect(PARTS.length).toBeGreaterThan(40);
  const places = new Set(PARTS.map(({ place }) => place));
  expect(PASSED_ON.filter((place) => !places.has(place))).toEqual([]);
});

it('knows the operations that are named and called', () => {
  const named = PARTS.flatMap(({ needs, calls }) => [...(needs === undefined ? [] : [needs]), ...calls]);
  expect(named.filter((one) => one !== 'nothing' && !NEEDED.has(one))).toEqual([]);
});

it.each(PARTS.filter(({ place, needs }) => needs !== 'nothing' && !PASSED_ON.includes(place)))(
  'a part calls what it names, and changes nothing that needs more: $place',
  ({ needs = '', calls }) => {
    expect([...calls]).toContain(needs);
    const changes = [...calls].filter((call) => !call.startsWith('GET '));
    expect(changes.filter((call) => rankOf(call) > rankOfPart(needs))).toEqual([]);
  },
);
