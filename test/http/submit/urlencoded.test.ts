import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HttpError } from '../../../src/http/response/errors.ts';
import { readUrlencoded } from '../../../src/http/submit/urlencoded.ts';
import { limits, refusal, small, tooManyFields } from '../../support/form-limits.ts';

const fieldsOf = (text: string | Buffer) => readUrlencoded(Buffer.from(text), limits).fields;

it('reads what the parser of the URL Standard reads, and refuses what that replaces', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '%',
      '%4',
      '%41',
      '%4g',
      '%c3',
      '%C3%A9',
      '%a9',
      '%ff',
      '%00',
      '%0D%0A',
      '%26',
      '%3d',
      '%2B',
      '%25',
    ),
    fc.constantFrom('&', '&&', '=', '+', 'a', 'é', '😀', '\uFEFF', '\r\n', '\0', ';', '?', '__proto__'),
    fc.string({ unit: 'binary', maxLength: 3 }).filter((text) => text.isWellFormed()),
  );
  const body = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(body, (text) => {
      // The constructor drops a leading question mark, and Node reads some characters beside a `%` as bytes.
      const escaped = text.replaceAll(/[^\0-\x7f]+/g, encodeURIComponent);
      const expected = [...new URLSearchParams(`?${escaped}`)];
      try {
        expect(fieldsOf(text)).toEqual(expected);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        expect(error.status).toBe(400);
        expect(JSON.stringify(expected)).toContain('\uFFFD');
      }
    }),
    { numRuns: 500 },
  );
});

it('reads bytes that are escaped in one field and plain in another', () => {
  expect(fieldsOf('%41=b&A=%62&=%&%=')).toEqual([
    ['A', 'b'],
    ['A', 'b'],
    ['', '%'],
    ['%', ''],
  ]);
});

it('does as many calls for many escapes as for one', () => {
  const spies = [
    vi.spyOn(String, 'fromCharCode'),
    vi.spyOn(Number, 'parseInt'),
    vi.spyOn(String.prototype, 'replace'),
    vi.spyOn(String.prototype, 'slice'),
    vi.spyOn(Buffer.prototype, 'subarray'),
    vi.spyOn(Buffer, 'from'),
  ];
  onTestFinished(() => void vi.restoreAllMocks());
  const callsFor = (escapes: number): number => {
    const body = Buffer.from(`a=${'%41'.repeat(escapes)}`);
    vi.clearAllMocks();
    readUrlencoded(body, limits);
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  };
  expect(callsFor(limits.maxBytes - 1)).toBe(callsFor(1));
});

it('is decoded in the memory of its body', () => {
  const body = Buffer.from('a=%41%42&b=+');
  readUrlencoded(body, limits);
  expect(body.toString('latin1', 0, 5)).toBe('aABb ');
});

it('stops at the first field that is too many', () => {
  const body = Buffer.from(`${'a&'.repeat(4)}%41%41`);
  expect(refusal(() => readUrlencoded(body, small))).toEqual(tooManyFields(3));
  expect(body.toString().endsWith('%41%41')).toBe(true);
});
