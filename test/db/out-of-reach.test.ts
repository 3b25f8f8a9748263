import { expect, it } from 'vitest';
import { whyOutOfReach } from '../../src/db/postgres/out-of-reach.ts';
import { toHttpError } from '../../src/http/response/errors.ts';

const withCode = (code: string): Error => Object.assign(new Error('Failed.'), { code });

it.each([
  ['a refused connection', withCode('ECONNREFUSED'), 'unreachable', /cannot reach its database/],
  ['a host without a name', withCode('ENOTFOUND'), 'unreachable', /cannot reach its database/],
  ['a lost connection', new Error('Connection terminated unexpectedly'), 'unreachable', /cannot reach its database/],
  ['a server that stops (57P01)', withCode('57P01'), 'unreachable', /cannot reach its database/],
  ['several addresses', new AggregateError([withCode('ECONNREFUSED')]), 'unreachable', /cannot reach its database/],
  [
    'no free connection',
    new Error('Knex: Timeout acquiring a connection. The pool is probably full.'),
    'busy',
    /connections .* are in use/,
  ],
  ['too many connections (53300)', withCode('53300'), 'busy', /connections .* are in use/],
  ['a statement that took too long (57014)', withCode('57014'), 'slow', /takes too long/],
  ['a read-only server (25006)', withCode('25006'), 'read-only', /accepts no writes/],
  ['a full disk (53100)', withCode('53100'), 'read-only', /accepts no writes/],
])('%s is a 503 that says so', (_name, error, reason, message) => {
  expect(whyOutOfReach(error)).toBe(reason);
  const { status, message: said } = toHttpError(error);
  expect([status, said]).toEqual([503, expect.stringMatching(message)]);
});

it.each([withCode('23505'), withCode('42601'), new Error('Something else.'), 'text'])(
  '%s is no such error',
  (error) => {
    expect(whyOutOfReach(error)).toBe(undefined);
  },
);
