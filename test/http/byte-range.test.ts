import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { rangeOf } from '../../src/http/response/byte-range.ts';

const ETAG = '"tag"';

function ask(headers: Record<string, string>, method = 'GET') {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, headers });
  return rangeOf(request, { etag: ETAG, bytes: 100 });
}

it.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['Bytes= 10-19 ', { start: 10, end: 19 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=19-10', undefined],
  ['bytes=200-100', undefined],
  ['bytes=0-0,5-9', undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes=a-b', undefined],
  ['lines=0-9', undefined],
])('%s of 100 bytes is %o', (range, expected) => {
  expect(ask({ range })).toEqual(expected);
});

it('is the whole where If-Range has no strong match, and for every method but GET', () => {
  const range = 'bytes=0-9';
  const part = { start: 0, end: 9 };
  expect(ask({ range, 'if-range': ETAG })).toEqual(part);
  expect(ask({ range, 'if-range': `W/${ETAG}` })).toBe(undefined);
  expect(ask({ range, 'if-range': '"other"' })).toBe(undefined);
  expect(ask({ range, 'if-range': 'Fri, 27 Nov 2026 00:00:00 GMT' })).toBe(undefined);
  expect(ask({ range }, 'HEAD')).toBe(undefined);
  expect(ask({})).toBe(undefined);
});
