import { describe, expect, it } from 'vitest';
import { readParts } from '../../../src/http/submit/multipart-parts.ts';
import { limits, refusal } from '../../support/form-limits.ts';
import { multipartBody } from '../../support/multipart-body.ts';

/** The name and the filename of a part with these parameters. */
const namesIn = (parameters: string) =>
  readParts(multipartBody([parameters, '']), 'b', limits).map(({ name, filename }) => [name, filename])[0];
const filenameIn = (parameters: string) => namesIn(`name=f; ${parameters}`)?.[1];

describe('filename*', () => {
  it.each([
    ['UTF-8', "filename*=UTF-8''Lebensl%C3%A4ufe%20%E2%82%AC.pdf", 'Lebensläufe €.pdf'],
    ['a language', "filename*=utf-8'de-CH'gr%c3%bc%C3%9Fe.txt", 'grüße.txt'],
    ['ISO-8859-1', "filename*=iso-8859-1'en'%A3%20rates.csv", '£ rates.csv'],
    ['names in any case', "FileName*=UtF-8''a%2Fb%5Cc", 'a/b\\c'],
    ['quotes around it', `filename*="UTF-8''two%20words.txt"`, 'two words.txt'],
    ['a quote, a percent sign and a line break', "filename*=UTF-8''%22100%25%22%0D%0A", '"100%"\r\n'],
    ['an escape of a browser in it', "filename*=UTF-8''%2522%2541", '%22%41'],
    ['an apostrophe in the name', "filename*=UTF-8''it's", "it's"],
    ['characters that should have been escaped', "filename*=UTF-8''naïve file.txt", 'naïve file.txt'],
    ['a byte order mark', "filename*=UTF-8''%EF%BB%BFa", '\uFEFFa'],
    ['no charset', "filename*=''a%20b", 'a b'],
    ['another known charset', "filename*=Shift_JIS''%82%A0.txt", 'あ.txt'],
    ['nothing', 'filename*=', ''],
  ])('is decoded with %s', (_, parameter, expected) => {
    expect(filenameIn(parameter)).toBe(expected);
  });

  it.each([
    ['a percent sign without two digits', "filename*=UTF-8''50%.txt", '50%.txt'],
    ['half an escape', "filename*=UTF-8''a%4", 'a%4'],
    ['other letters', "filename*=UTF-8''%zz%41", '%zzA'],
    ['bytes that are not UTF-8', "filename*=UTF-8''%E4.txt", '%E4.txt'],
    ['an unknown charset', "filename*=x-none'en'a%20b", 'a%20b'],
    ['no quotes', 'filename*=plain%20.txt', 'plain%20.txt'],
  ])('is a file all the same with %s', (_, parameter, expected) => {
    expect(filenameIn(parameter)).toBe(expected);
  });

  it.each([
    ['an encoded word', `filename="=?utf-8?B?Z3LDvMOfZS50eHQ=?="; filename*=utf-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
    ['a name for old readers', `filename="gr__e.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
    ['a plain name behind it', `filename*=UTF-8''%C3%A9.txt; filename="e.txt"`, 'é.txt'],
    ['an empty name', `filename=""; filename*=UTF-8''x`, 'x'],
  ])('counts before %s', (_, parameters, expected) => {
    expect(filenameIn(parameters)).toBe(expected);
  });

  it('leaves the plain name where it can not be decoded', () => {
    expect(filenameIn(`filename="a%22.txt"; filename*=UTF-8''%E4.txt`)).toBe('a".txt');
    expect(filenameIn(`filename*=x-none''b; filename="a"`)).toBe('a');
  });

  it('leaves an encoded word alone as it is', () => {
    expect(filenameIn('filename="=?utf-8?Q?a=C3=A9?="')).toBe('=?utf-8?Q?a=C3=A9?=');
  });

  it.each([
    ['encoded pieces', "filename*0*=UTF-8''gr%C3%BC; filename*1*=%C3%9Fe; filename*2*=.txt", 'grüße.txt'],
    ['an escape across two', "filename*0*=UTF-8''gr%C3; filename*1*=%BC.txt", 'grü.txt'],
    ['literal pieces', 'filename*0="100%41 "; filename*1="sure.txt"', '100%41 sure.txt'],
    ['both, in any order', `filename*1="%C3.txt"; filename*0*=UTF-8'de'%C3%A4`, 'ä%C3.txt'],
    ['a plain name beside them', `filename="x"; filename*0*=UTF-8''%C3%A4`, 'ä'],
    ['a gap', "filename*0*=UTF-8''a; filename*2=c", 'a'],
  ])('is put together of %s', (_, parameters, expected) => {
    expect(filenameIn(parameters)).toBe(expected);
  });
});

describe('name*', () => {
  it('is decoded, alone, beside a plain one and in pieces', () => {
    expect(namesIn("name*=UTF-8''gr%C3%B6%C3%9Fe")).toEqual(['größe', undefined]);
    expect(namesIn(`name="=?utf-8?B?Z3LDtsOfZQ==?="; name*=utf-8''gr%C3%B6%C3%9Fe`)).toEqual(['größe', undefined]);
    expect(namesIn(`name*0*=UTF-8''gr%C3%B6; name*1="sse"; filename*=UTF-8''%C3%A9`)).toEqual(['grösse', 'é']);
  });

  it('does not stand for a name when it is that of another parameter', () => {
    expect(refusal(() => namesIn("filename*=UTF-8''a"))).toEqual([
      400,
      'The multipart body is malformed: give each part a Content-Disposition of form-data, with a name.',
    ]);
  });
});
