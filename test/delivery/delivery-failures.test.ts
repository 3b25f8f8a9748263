import { expect, it } from 'vitest';
import { FAILURE_CODES, FAILURES, failure, failureOf } from '../../src/db/deliveries/delivery-failures.ts';

it('has the code of each sentence that a row can have, and the value in it', () => {
  for (const code of FAILURE_CODES) {
    const [place] = /\{\w+\}/.exec(FAILURES[code]) ?? [];
    const sentence = place === undefined ? FAILURES[code] : FAILURES[code].replace(place, 'x (y)');
    expect(failureOf(sentence)).toEqual({ code, value: place === undefined ? null : 'x (y)' });
  }
  expect(failureOf(failure('receiver-status', { status: 503 }))).toEqual({ code: 'receiver-status', value: '503' });
});

it('has no code of a sentence of another version, and of none', () => {
  for (const sentence of [
    null,
    '',
    'answered 500',
    'the attempt failed.',
    'the connection',
    'the mail could not be sent',
  ]) {
    expect(failureOf(sentence)).toBe(null);
  }
});
