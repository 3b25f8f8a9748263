import { expect, it } from 'vitest';
import { codesOf } from '../../src/problems/coded-sentences.ts';
import { FAILURES, failure, failureOf } from '../../src/problems/delivery-failures.ts';

it('has the code of each sentence that a row can have, and the value in it', () => {
  for (const code of codesOf(FAILURES)) {
    const [, place] = /\{(\w+)\}/.exec(FAILURES[code]) ?? [];
    const sentence = place === undefined ? FAILURES[code] : FAILURES[code].replace(`{${place}}`, 'x (y)');
    expect(failureOf(sentence)).toEqual({ code, values: place === undefined ? {} : { [place]: 'x (y)' } });
  }
  expect(failureOf(failure('receiver-status', { status: 503 }))).toEqual({
    ...{ code: 'receiver-status', values: { status: '503' } },
  });
});

it('has no code of a sentence of another version', () => {
  for (const sentence of ['', 'answered 500', 'the attempt failed.', 'the connection', 'the mail could not be sent']) {
    expect(failureOf(sentence)).toBe(null);
  }
});
