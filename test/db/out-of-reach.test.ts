import { expect, it } from 'vitest';
import { whyOutOfReach } from '../../src/db/postgres/out-of-reach.ts';
import { toHttpError } from '../../src/http/response/errors.ts';

const withCode = (code: string): Error => Object.assign(new Error('Failed.'), { code });

it.each([
  ['a refused connection', withCode('ECONNREFUSED'), 'unreachable'],
  ['a host without a name', withCode('ENOTFOUND'), 'unreachable'],
  ['a lost connection', new Error('Connection terminated unexpectedly'), 'unreachable'],
  ['a server that stops (57P01)', withCode('57P01'), 'unreachable'],
  ['several addresses', new AggregateError([withCode('ECONNREFUSED')]), 'unreachable'],
  ['no free connection', new Error('Knex: Timeout acquiring a connection. The pool is probably full.'), 'busy'],
  ['too many connections (53300)', withCode('53300'), 'busy'],
  ['a statement that took too long (57014)', withCode('57014'), 'slow'],
  ['a read-only server (25006)', withCode('25006'), 'read-only'],
  ['a full disk (53100)', withCode('53100'), 'read-only'],
])('%s is a 503', (_name, error, reason) => {
  expect([whyOutOfReach(error), toHttpError(error).status]).toEqual([reason, 503]);
});

it.each([withCode('23505'), withCode('42601'), new Error('Something else.'), 'text'])(
  '%s is no such error',
  (error) => {
    expect(whyOutOfReach(error)).toBe(undefined);
  },
);
