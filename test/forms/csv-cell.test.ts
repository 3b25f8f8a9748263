import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvCell } from '../../src/forms/csv-cell.ts';

/** A cell as a reader of CSV has it. */
const readBack = (text: string) => parse(`${csvCell(text)},\r\n`).flat()[0];

it.each<[what: string, text: string, cell: string]>([
  ['begins with =', '=1+1', "'=1+1"],
  ['begins with +', '+A1', "'+A1"],
  ['begins with -', '-1+A1', "'-1+A1"],
  ['begins with @', '@SUM(A1)', "'@SUM(A1)"],
  ['begins with a full-width =', '＝HYPERLINK(A1)', "'＝HYPERLINK(A1)"],
  ['begins with a full-width +', '＋cmd', "'＋cmd"],
  ['begins with a full-width -', '－2＋A1', "'－2＋A1"],
  ['begins with a full-width @', '＠SUM(A1)', "'＠SUM(A1)"],
  ['begins with a full-width + and is a telephone number', '＋81 (0) 3-1234-5678', '＋81 (0) 3-1234-5678'],
  ['begins with a full-width - and is a number', '－1.5', '－1.5'],
  ['begins with full-width = and is digits otherwise', '＝1', "'＝1"],
  ['has full-width signs where no cell of Excel begins', 'a;＝1\t＋A\n－x "＠y', 'a;＝1\t＋A\n－x "＠y'],
  ['has an e-mail address with a full-width @', 'ada＠home.example', 'ada＠home.example'],
  ['begins with a tab', '\t1', "'\t1"],
  ['begins with CR', '\r1', "'\r1"],
  ['begins with a tab and a sign', '\t=1', "'\t'=1"],
  ['is a negative number', '-1.50', '-1.50'],
  ['is a number with an exponent', '-1e5', "'-1e5"],
  ['is a number with a comma', '-1,5', "'-1,5"],
  ['is a telephone number', '+49 (0) 170/12.34-56', '+49 (0) 170/12.34-56'],
  ['is a telephone number and more', '+49 170 x', "'+49 170 x"],
  ['begins with = and is digits otherwise', '=1', "'=1"],
  ['is a sign and no digit', '+ (/) ', "'+ (/) "],
  ['has signs behind semicolons', 'a;=1;+A1;-A1;@A', "a;'=1;'+A1;'-A1;'@A"],
  ['has a sign behind a tab', 'a\t=1', "a\t'=1"],
  ['has a sign behind a line break', 'a\n=1\r+A1\r\n- x', "a\n'=1\r'+A1\r\n'- x"],
  ['has numbers behind those', 'a;-5;+49 170\t-1.5\n(-2)\n-3', 'a;-5;+49 170\t-1.5\n(-2)\n-3'],
  ['has a number up to a semicolon', '+49 170;=1', "+49 170;'=1"],
  ['has a sign behind a quote that a semicolon makes one', 'a;"=1&"', `a;"'=1&"`],
  ['has a sign behind such a quote and spaces before it', 'a;  ""=1', `a;  ""'=1`],
  ['has a sign behind a space, which makes it a text', 'a; =1', 'a; =1'],
  ['has such a sign later on', 'a=1,=1 "=1 |=1', 'a=1,=1 "=1 |=1'],
  ['begins with an apostrophe', "'=1", "'=1"],
  ['has NUL and a lone surrogate', 'a\0b\ud800', 'a\ufffdb\ufffd'],
  ['has a quote and a comma behind a dangerous sign', '=","', `'=","`],
])('a text that %s', (_what, text, cell) => {
  expect(readBack(text)).toBe(cell);
});

it.each([';', '\t', ',', '"', '\n', '\r'])('quotes a text with %j', (sign) => {
  expect(csvCell(`a${sign}-5`)).toBe(`"a${sign}${sign === '"' ? '"' : ''}-5"`);
});

it('lets no text be a formula, whatever separates cells', () => {
  const isNumber = (text: string): boolean => /^[+\-＋－][\d ().\-/]*$/.test(text) && /\d/.test(text);
  const isFormula = (text: string): boolean => /^[=+\-@]/.test(text) && !isNumber(text);
  const made = (text: string): string => (isFormula(text) ? `'${text}` : text);
  /** Where the first cell is the field's own, and the others what it falls into. */
  const harmless = (text: string): string => {
    const [first = '', ...rest] = text.split(/([;\t\r\n])/);
    const cells = rest.map((cell) => cell.replace(/^( *"+)?(.*)$/s, (_, quotes = '', value) => quotes + made(value)));
    const isDangerous = /^[\t\r]/.test(text) || (/^[＝＋－＠]/.test(text) && !isNumber(first));
    return (isDangerous ? "'" : '') + [made(first), ...cells].join('');
  };
  const unit = fc.constantFrom(...'=+-@=+-@＝＋－＠;;\t\r\n""  1().,/aé');
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1 }), (text) => {
      expect(readBack(text)).toBe(harmless(text));
    }),
    { numRuns: 2_000 },
  );
});

it.each(['=', '-', '-1;', ';"', ';  ', '; "', '\t', '"', '\r\n+', '-----;', '-1-1-1-1x', '＋1', '－'])(
  'reads many %j in linear time',
  (piece) => expect(csvCell(piece.repeat(100_000)).length).toBeGreaterThanOrEqual(100_000),
);
