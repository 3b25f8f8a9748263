import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import readWorkbook, { type SheetData } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import type { Submission } from '../../../src/db/submissions/submission-queries.ts';
import { toXlsx } from '../../../src/http/api/submissions/exports/xlsx.ts';
import { SIZES } from '../../../src/sizes.ts';
import { unzip } from '../../support/zip.ts';

/** The content of a cell. */
type Value = SheetData[number][number] | Date | null;

const TIME = new Date('2026-01-02T03:04:05.678Z');

/** Submissions of these texts, numbered from 1. */
const made = (texts: readonly string[]): Submission[] =>
  texts.map((data, index) => ({ id: `sub_${index + 1}`, data, ipAddress: '2001:db8::1', createdAt: TIME, form: null }));

async function write(batches: readonly (readonly Submission[])[], mostRows?: number): Promise<Buffer> {
  async function* read() {
    yield* batches;
  }
  const pieces: Buffer[] = [];
  for await (const piece of toXlsx({ read, labels: new Map() }, mostRows)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const FIXED = ['id', 'created_at', 'ip_address'];
const fixedOf = (number: number): Value[] => [`sub_${number}`, TIME, '2001:db8::1'];

/** The only sheet as a reader of workbooks has it: the header and the fields' part of each row. */
async function table(texts: readonly string[]): Promise<SheetData> {
  const sheets = await readWorkbook(await write([made(texts)]), { trim: false });
  expect(sheets.map(({ sheet }) => sheet)).toEqual(['Submissions']);
  const rows = sheets[0]?.data ?? [];
  expect(rows.map((row) => row.slice(0, 3))).toEqual([FIXED, ...texts.map((_text, index) => fixedOf(index + 1))]);
  return rows.map((row) => row.slice(3));
}

describe('toXlsx', () => {
  it('has a column for the address in a field for Reply-To, and none for other control fields', async () => {
    const formspree = '{"_replyto":"ada@home.example","_subject":"Hi","_gotcha":"","note":"x"}';
    const web3forms = '{"access_key":"k","replyto":"eve@home.example","subject":"Hi","note":"y"}';
    expect(await table([formspree, web3forms])).toEqual([
      ['_replyto', 'note', 'replyto'],
      ['ada@home.example', 'x', null],
      [null, 'y', 'eve@home.example'],
    ]);
  });

  it('writes each value as what it is, and as text what Excel would change', async () => {
    const values: [value: string, cell: Value][] = [
      ['"a \\"b\\" \\u00e9\\n"', 'a "b" é\n'],
      ['" \\t\\r\\n a \\n\\r "', ' \t\r\n a \n\r '],
      ['"<a href=\\"x\\">&amp;]]></a>"', '<a href="x">&amp;]]></a>'],
      ['""', null],
      ['null', null],
      ['true', true],
      ['false', false],
      ['1.5', 1.5],
      ['0', 0],
      ['-5', -5],
      ['1e+21', 1e21],
      // 15 digits are the most that Excel keeps.
      ['123456789012345000', 123456789012345000],
      ['-0.0000123456789012345', -0.0000123456789012345],
      ['1234567890123456', '1234567890123456'],
      ['1e+308', '1e+308'],
      ['5e-324', '5e-324'],
      ['1.10', '1.10'],
      ['1E5', '1E5'],
      ['-0', '-0'],
      ['"1.5"', '1.5'],
      ['"007"', '007'],
      ['"true"', 'true'],
      ['"2026-01-02"', '2026-01-02'],
      ['"=1+1"', '=1+1'],
      ['"\'=1+1"', "'=1+1"],
      ['[ "a", "b\\u0020c" , 1 ]', '["a","b\\u0020c",1]'],
      ['{ "filename" : "a.txt", "size": 1 }', '{"filename":"a.txt","size":1}'],
      ['"\\u0000\\u0008\\u000b\\u001f\\uffff"', '\0\b\v\x1f\uffff'],
      ['"_x0041_ _x005f_x0041_ _x00_"', '_x0041_ _x005f_x0041_ _x00_'],
      ['"_x0041\\u0000"', '_x0041\0'],
      ['"a\\ud800b\\ud83d\\ude00"', 'a\ufffdb😀'],
    ];
    const rows = await table(values.map(([value]) => `{"a":${value},"b":0}`));
    expect(rows).toEqual([['a', 'b'], ...values.map(([, cell]) => [cell, 0])]);
  });

  it('cuts what is longer than a cell, at a character', async () => {
    const lengths = [SIZES.export.maxCellChars, SIZES.export.maxCellChars + 1, 100_000];
    const texts = lengths.map((length) => 'x'.repeat(length));
    const pairs = `${'x'.repeat(SIZES.export.maxCellChars - 2)}😀😀`;
    const long = 'x'.repeat(SIZES.export.maxCellChars - 1);
    expect(await table([...texts, pairs].map((text) => JSON.stringify({ [text]: text })))).toEqual([
      ['x'.repeat(SIZES.export.maxCellChars), `${long}…`, `${long}…`, `${long.slice(1)}…`],
      ['x'.repeat(SIZES.export.maxCellChars), null, null, null],
      [null, `${long}…`, null, null],
      [null, null, `${long}…`, null],
      [null, null, null, `${long.slice(1)}…`],
    ]);
  });

  it('begins a further sheet where one is full', async () => {
    const submissions = made(Array.from({ length: 7 }, (_, index) => `{"n":${index + 1}}`));
    const expected = (sheet: string, ...numbers: number[]) => ({
      sheet,
      data: [[...FIXED, 'n'], ...numbers.map((number) => [...fixedOf(number), number])],
    });
    const [first, second] = [expected('Submissions', 1, 2, 3), expected('Submissions 2', 4, 5, 6)];
    const batches = [submissions.slice(0, 2), [], submissions.slice(2, 6)];
    expect(await readWorkbook(await write(batches, 4))).toEqual([first, second]);
    expect(await readWorkbook(await write([...batches, submissions.slice(6)], 4))).toEqual([
      ...[first, second],
      expected('Submissions 3', 7),
    ]);
  });

  it('gives any strings back', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('_x0041_', '_x', '_x00', '41_', '_', '\0', '\r\n', ' ', '\ufffe', '\ud800', '&#13;', ']]>'),
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 50 }), async (fields) => {
        const unique = [...new Map(fields.filter(([name]) => !/^(?:data\.)*(?:id|_hp|_redirect)$/.test(name)))];
        const rows = await table(unique.map(([name, value]) => JSON.stringify({ [`=${name}`]: value })));
        expect(rows).toEqual([
          unique.map(([name]) => `=${name}`.toWellFormed()),
          ...unique.map(([, value], place) => unique.map((_, at) => (at === place && value.toWellFormed()) || null)),
        ]);
      }),
      { numRuns: 8 },
    );
  });

  it('is nothing but texts, numbers, booleans and times, under a header row that stays in sight', async () => {
    const files = unzip(await write([made(['{"=a":"=1+1","b":"x","c":1.5,"d":true,"e":null}'])]));
    expect([...files.keys()]).toEqual([
      ...['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels', 'xl/styles.xml'],
      'xl/worksheets/sheet1.xml',
    ]);
    const cell = (reference: string, value: string, style = '') =>
      `<c r="${reference}"${style} t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    const names = ['id', 'created_at', 'ip_address', '=a', 'b', 'c', 'd', 'e'];
    const sheet = files.get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet.slice(sheet.indexOf('<sheetViews>'), sheet.indexOf('<cols>'))).toBe(
      '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
    );
    const days = (TIME.getTime() - Date.UTC(1899, 11, 30)) / 86_400_000;
    expect(sheet.slice(sheet.indexOf('<sheetData>'))).toBe(
      `<sheetData><row r="1">${names.map((name, index) => cell(`${'ABCDEFGH'[index]}1`, name, ' s="2"')).join('')}</row>` +
        `<row r="2">${cell('A2', 'sub_1')}<c r="B2" s="1"><v>${days}</v></c>${cell('C2', '2001:db8::1')}` +
        `${cell('D2', '=1+1', ' s="3"')}${cell('E2', 'x')}<c r="F2"><v>1.5</v></c><c r="G2" t="b"><v>1</v></c></row></sheetData></worksheet>`,
    );
    const styles = files.get('xl/styles.xml') ?? '';
    expect(Array.from(styles.matchAll(/<xf [^>]*xfId[^>]*>/g), ([style]) => style)).toEqual([
      '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
      '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
      '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" quotePrefix="1"/>',
      '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>',
    ]);
  });

  it('reads on only as its pieces are taken, and no more when nobody wants them', async () => {
    const most = 300;
    // Random text does not get smaller: two of these are more than zlib looks back.
    const noise = made(Array.from({ length: 4 }, () => JSON.stringify({ x: randomBytes(24_000).toString('base64') })));
    const passes: { batches: number; isEnded: boolean }[] = [];
    async function* read() {
      const pass = { batches: 0, isEnded: false };
      passes.push(pass);
      try {
        for (; pass.batches < most; pass.batches += 1) yield noise;
      } finally {
        pass.isEnded = true;
      }
    }
    const pieces = toXlsx({ read, labels: new Map() });
    let piece = await pieces.next();
    while (piece.value?.length === 0) piece = await pieces.next();
    let before = -1;
    const stands = (): boolean => {
      const batches = passes[1]?.batches ?? 0;
      const isSame = batches > 0 && batches === before;
      before = batches;
      return isSame;
    };
    await expect.poll(stands, { interval: 200, timeout: 60_000 }).toBe(true);
    expect(before).toBeLessThan(most / 3);
    await pieces.return(undefined);
    await expect
      .poll(() => passes)
      .toEqual([
        { batches: most, isEnded: true },
        { batches: before, isEnded: true },
      ]);
  });
});
