import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { optionsFor, readField, valueFrom } from '../../../src/commands/owner/field-values.ts';

const KINDS: readonly [schema: z.ZodType, flags: string[], words: unknown, value: unknown][] = [
  [z.string(), ['--max-age <max-age>'], '7', '7'],
  [z.string().nullable(), ['--max-age <max-age>'], 'null', null],
  [z.int().optional(), ['--max-age <number>'], '-7', -7],
  [z.number().nullable().default(1), ['--max-age <number>'], '0.5', 0.5],
  [z.boolean().optional(), ['--max-age', '--no-max-age'], false, false],
  [z.literal('true').optional(), ['--max-age'], true, 'true'],
  [z.iso.datetime({ offset: true }).nullable(), ['--max-age <time>'], '2027-02-03', '2027-02-03T00:00:00Z'],
  [z.iso.datetime({ offset: true }), ['--max-age <time>'], '2027-02-03T04:05:06+01:00', '2027-02-03T04:05:06+01:00'],
  [z.array(z.string()), ['--max-age <max-age...>'], ['a', 'b'], ['a', 'b']],
  [z.array(z.int()), ['--max-age <number...>'], ['1', '2'], [1, 2]],
  [z.record(z.string(), z.string()), ['--max-age <json>'], ['a: b:c ', 'd:'], { a: 'b:c', d: '' }],
  [z.record(z.string(), z.string()), ['--max-age <json>'], [''], {}],
  [z.record(z.string(), z.int()), ['--max-age <json>'], '{"a":1}', { a: 1 }],
];

describe('a field as an option', () => {
  it.each(KINDS)('%o is written %j, and %j means %j', (schema, flags, words, value) => {
    const field = readField(schema);
    expect(optionsFor('max_age', field).map((option) => option.flags)).toEqual(flags);
    expect(valueFrom(field, words, '--max-age')).toEqual(value);
  });

  it.each([
    [z.int(), 'many', '--max-age is not a number: give one such as 3'],
    [z.int(), '', '--max-age is not a number: give one such as 3'],
    [z.record(z.string(), z.string()), ['a=b'], "--max-age has no colon: give 'Name: value'"],
    [z.object({}), 'a=b', '--max-age is not JSON: give an object, in quotes for the shell'],
  ])('%o refuses %j', (schema, words, message) => {
    expect(() => valueFrom(readField(schema), words, '--max-age')).toThrow(message);
  });

  it('has the choices, the default and the line of its schema, and must be given where the request needs it', () => {
    const [needed] = optionsFor('kind', readField(z.enum(['b', 'a']).meta({ description: 'What it is. More of it.' })));
    expect(needed).toMatchObject({ argChoices: ['b', 'a'], mandatory: true, description: 'what it is' });
    const short = z.enum(['b', 'a']).default('a').meta({ short: 'URL of it.', description: 'Long.' });
    expect(optionsFor('kind', readField(short))).toMatchObject([
      { defaultValue: 'a', mandatory: false, description: 'URL of it' },
    ]);
  });
});
