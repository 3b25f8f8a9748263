import { describe, expect, it } from 'vitest';
import { titleOf } from '../../src/sites/page-look.ts';
import { withTitle } from '../../src/sites/page-title.ts';

const NAME = 'Tea & "cake" </title>';
const TEXT = 'Tea &amp; &quot;cake&quot; &lt;/title&gt;';

describe('withTitle', () => {
  it.each([
    ['<title>A</title><title>B</title>', `<title>${TEXT}</title><title>B</title>`],
    [
      '\uFEFF<!DOCTYPE html>\r\n<TITLE\tclass="a">é€\r\n</Title >',
      `\uFEFF<!DOCTYPE html>\r\n<TITLE\tclass="a">${TEXT}</Title >`,
    ],
    ['<title></title>', `<title>${TEXT}</title>`],
    [`<title>${'a'.repeat(1_000)}</title>b`, `<title>${TEXT}</title>b`],
    [
      '<!-- <title>A</title> --><script>"<title>"</script><svg><title>Logo</title></svg><title>B</title>',
      `<!-- <title>A</title> --><script>"<title>"</script><svg><title>Logo</title></svg><title>${TEXT}</title>`,
    ],
  ])('replaces the text of the title of %j', (html, changed) => {
    expect(withTitle(html, NAME)).toBe(changed);
    expect(titleOf(changed)).toBe(NAME);
  });

  it.each([
    ['', '<p>a'],
    ['<!doctype html>\n', '<p>a'],
    [
      '\uFEFF<!-- <head> --><!doctype html>\n<html lang="a>b" data-a=\'>\'>\n<head data-b=">">',
      '\n<meta charset="utf-8"><p>a',
    ],
    ['<html><head>', '<style></style></head><body><svg><title>Logo</title></svg>'],
    ['', '<header>a</header>'],
  ])('puts a title behind %j', (start, rest) => {
    expect(withTitle(start + rest, NAME)).toBe(`${start}<title>${TEXT}</title>${rest}`);
  });

  it('leaves a page alone whose title has no end', () => {
    expect(withTitle('<title>A <p>b</p>', NAME)).toBeUndefined();
  });
});
