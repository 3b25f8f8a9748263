import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { valueErrors } from '../../src/problems/from-zod.ts';
import { Refusal, refused, refusedIssue, tooLargeFor } from '../../src/problems/refusal.ts';
import { pointerTo, type ValueError } from '../../src/problems/value-errors.ts';
import { endpointsOf } from '../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN } from '../support/test-service.ts';

/** The errors of a value under the name `a`. */
function errorsOf(schema: z.ZodType, a: unknown): ValueError[] {
  const object = z.object({ a: schema });
  const { error } = object.safeParse({ a });
  return valueErrors(error?.issues ?? [], { a }, ['a'], (path) => ({ pointer: pointerTo(path) }));
}
const at = (code: string, limit?: number, pointer = '/a') => ({ pointer, code, ...(limit !== undefined && { limit }) });

describe('valueErrors', () => {
  it.each<[string, z.ZodType, unknown, object[]]>([
    ['nothing', z.string(), undefined, [at('missing')]],
    ['nothing for an enum', z.enum(['x']), undefined, [at('missing')]],
    ['nothing for a check of our own', z.custom(() => false), undefined, [at('missing')]],
    ['null', z.string(), null, [at('wrong-type')]],
    ['another type than that of an enum', z.enum(['x']), 4, [at('wrong-type')]],
    ['a text that an enum does not have', z.enum(['x']), 'y', [at('unknown-value')]],
    ['another literal', z.literal(true), false, [at('unknown-value')]],
    ['a text for a literal that is none', z.literal(true), 'true', [at('wrong-type')]],
    ['a fraction', z.int(), 0.5, [at('wrong-type')]],
    ['a number that is too high', z.number().max(7), 8, [at('too-high', 7)]],
    ['a number at its exclusive limit', z.int().lt(7), 7, [at('too-high', 6)]],
    ['a number at its exclusive lower limit', z.int().gt(0), 0, [at('too-low', 1)]],
    ['a number beyond the limit of zod as well', z.int().max(7), 1e300, [at('too-high', 7)]],
    ['a number below the limit of zod as well', z.int().min(-7), -1e300, [at('too-low', -7)]],
    ['a short text', z.string().min(3), 'ab', [at('too-short', 3)]],
    ['a long text', z.string().max(3), 'abcd', [at('too-long', 3)]],
    ['a short list', z.array(z.string()).min(1), [], [at('too-short', 1)]],
    ['a long list', z.array(z.string()).max(1), ['x', 'y'], [at('too-long', 1)]],
    ['a text that is not written so', z.iso.date(), 'May', [at('wrong-format')]],
    ['a text that no pattern has', z.string().regex(/^x$/), 'y', [at('wrong-format')]],
    ['a value of no type of a union', z.union([z.string(), z.int()]), true, [at('wrong-type')]],
    [
      'a value that our own check refuses',
      z.string().refine(() => false, refused('conflict', 'No.')),
      'x',
      [at('conflict')],
    ],
    ['a value that is too large', z.string().refine(() => false, tooLargeFor(9, 'No.')), 'x', [at('too-long', 9)]],
    [
      'values inside',
      z.object({ 'b/c': z.array(z.int()), '~': z.string() }),
      { 'b/c': [1, 'x', 2, null] },
      [
        at('wrong-type', undefined, '/a/b~1c/1'),
        at('wrong-type', undefined, '/a/b~1c/3'),
        at('missing', undefined, '/a/~0'),
      ],
    ],
    [
      'members that are none',
      z.strictObject({ x: z.int() }),
      { x: 1, y: 2, 'z/': 3 },
      [at('not-allowed', undefined, '/a/y'), at('not-allowed', undefined, '/a/z~1')],
    ],
    ['a member of a map', z.record(z.string(), z.string()), { '': 1 }, [at('wrong-type', undefined, '/a/')]],
    [
      'a value that a check names itself',
      z
        .unknown()
        .superRefine((_value, context) => context.addIssue(refusedIssue(refused('wrong-type', 'No.'), ['x/y']))),
      {},
      [at('wrong-type', undefined, '/a/x~1y')],
    ],
  ])('knows %s', (_case, schema, value, errors) => {
    const found = errorsOf(schema, value).map(({ detail, ...rest }) => {
      expect(detail).toEqual(expect.any(String));
      return rest;
    });
    expect(found).toEqual(errors);
  });

  it('has the first error of each value, in the order of the names', () => {
    const schema = z
      .object({ a: z.string('a1').max(2, 'a2').regex(/^x/, 'a3'), b: z.int('b1') })
      .refine(() => false, { ...refused('conflict', 'late'), path: ['a'], when: () => true });
    const values = { a: 'yyy', b: 'x' };
    const { error } = schema.safeParse(values);
    const found = valueErrors(error?.issues ?? [], values, ['b', 'a'], ([name]) => ({ header: String(name) }));
    expect(found).toEqual([
      { header: 'b', code: 'wrong-type', detail: 'b1' },
      { header: 'a', code: 'too-long', limit: 2, detail: 'a2' },
    ]);
  });
});

/** The schemas inside a schema, and the schema itself. */
function* partsOf(schema: z.core.$ZodType, seen = new Set<unknown>()): Generator<z.core.$ZodType> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield schema;
  const { def } = schema._zod;
  const inside = [
    ...Object.values(def),
    ...('shape' in def && def.shape instanceof Object ? Object.values(def.shape) : []),
  ];
  for (const part of inside.flat()) if (part instanceof z.core.$ZodType) yield* partsOf(part, seen);
}

describe('the checks of the schemas of requests', () => {
  const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN }));
  const schemas = endpoints.flatMap(({ name, query, requestHeaders, body }) =>
    [query, requestHeaders, ...Object.values(body?.content ?? {}).map(({ schema }) => schema)].flatMap((schema) =>
      schema ? [{ name, schema }] : [],
    ),
  );
  const checks = schemas.flatMap(({ name, schema }) =>
    Array.from(partsOf(schema)).flatMap((part) =>
      (part._zod.def.checks ?? []).map((check) => ({ name, def: check._zod.def })),
    ),
  );
  // Checks of superRefine have no error of their own.
  const custom = checks.filter(({ def }) => def.check === 'custom' && 'fn' in def && 'error' in def);

  it('are found', () => {
    const some = [
      'createDeployment',
      'changeSettings',
      'createWebhook',
      'createKey',
      'askForSignInLink',
      'searchInbox',
    ];
    expect(custom.map(({ name }) => name)).toEqual(expect.arrayContaining(some));
  });

  it('say how a value is wrong that they refuse, if zod does not know', () => {
    const silent = custom.filter(({ def }) => !('params' in def && def.params instanceof Refusal));
    expect(silent.map(({ name, def }) => `${name}: ${String(Reflect.get(def, 'error'))}`)).toEqual([]);
  });

  it('add no issue that does not say it', () => {
    const folder = new URL('../../src/http/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const adding = files.flatMap((name) => [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/\.addIssue\(\w+/g),
    ]);
    expect(new Set(adding.map(([call]) => call))).toEqual(new Set(['.addIssue(refusedIssue']));
  });
});
