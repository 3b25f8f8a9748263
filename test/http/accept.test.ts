import { describe, expect, it } from 'vitest';
import { acceptsJson, chooseEncoding, namesHtml } from '../../src/http/response/accept.ts';
import { SIZES } from '../../src/sizes.ts';

const { acceptChars } = SIZES.internalHeaders;

describe('namesHtml', () => {
  it.each([
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    ...['TEXT/HTML;Q=0.5', 'application/json, text/html;q=0.001', 'text/html;level=1', 'text/html ; q=1'],
    ...['text/html;q=0, text/html', 'text/html'.padEnd(acceptChars, ',')],
  ])('is true for %j', (accept) => {
    expect(namesHtml({ accept })).toBe(true);
  });

  it.each([
    ...['', '*/*', 'text/*', 'application/json', 'text/html;q=0', 'text/html; q=0.000, */*', 'text/htmlx'],
    ...['xtext/html', 'text/html/x', 'a/b;c=", text/html,"', 'text/ html', 'text/html;q=x', ',;q=,/'],
    ...['text/html'.padEnd(acceptChars + 1, ','), `a/b${',a/b'.repeat(2_000)}`],
  ])('is false for %j', (accept) => {
    expect(namesHtml({ accept })).toBe(false);
  });
});

it.each([
  ['application/json', true],
  ['*/*', true],
  ['Application/JSON, Text/Event-Stream', true],
  [undefined, true],
  ['text/event-stream', false],
  ['application/json;q=0', false],
])('acceptsJson(%j) is %j', (accept, expected) => {
  expect(acceptsJson(accept === undefined ? {} : { accept })).toBe(expected);
});

/** RFC 9110, 12.5.3. */
it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['deflate, zstd', 'identity'],
  ['GZip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.1, gzip;q=1', 'gzip'],
  ['gzip; q=0.000, br ; q=0', 'identity'],
  ['gzip;q=0.5, identity', 'identity'],
  ['gzip;q=0.5, identity;q=0.1', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0, gzip', 'gzip'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, *;q=0.1', 'br'],
  ['gzip'.padEnd(acceptChars, ','), 'gzip'],
  ['gzip'.padEnd(acceptChars + 1, ','), 'identity'],
])('chooseEncoding(%j) is %s', (accepted, encoding) => {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  // The second time from memory.
  expect([chooseEncoding({ headers }), chooseEncoding({ headers })]).toEqual([encoding, encoding]);
});
