import { describe, expect, it } from 'vitest';
import { isCompressible, isHtmlPath, siteFileType, sitePath } from '../../src/lib/site-paths.ts';

const refusal = (path: string): string | undefined => {
  const read = sitePath(path);
  return 'error' in read ? read.error : undefined;
};

describe('the path of a file of a site', () => {
  it('is names joined by slashes, in NFC', () => {
    for (const path of ['a', 'a.css', 'a/b/c.js', 'a b/ü.html']) {
      expect(sitePath(path)).toEqual({ path });
    }
    for (const path of ['.well-known/assetlinks.json', 'a..b/c', '%2e%2e/a', 'a.', '日本/語.png']) {
      expect(sitePath(path)).toEqual({ path });
    }
    expect(sitePath('cafe\u0301/e\u0301.css')).toEqual({ path: 'caf\u00e9/\u00e9.css' });
  });

  it.each([
    ['', 'a name in the path is empty'],
    ['/a', 'a name in the path is empty'],
    ['a//b', 'a name in the path is empty'],
    ['a/', 'a name in the path is empty'],
    ['./a', 'the path has the name "."'],
    ['a/../b', 'the path has the name ".."'],
    ['a\\b', 'the path has a backslash: separate names with /'],
    ['a\nb', 'the path has a control character'],
    ['a\u007f', 'the path has a control character'],
    ['a\u0085', 'the path has a control character'],
    ['.env', 'a name begins with a dot, which only the folder .well-known may'],
    ['a/.git/config', 'a name begins with a dot, which only the folder .well-known may'],
    ['.well-known', 'a name begins with a dot, which only the folder .well-known may'],
    ['a/.well-known/b', 'a name begins with a dot, which only the folder .well-known may'],
    ['\ud800', 'the path is not well-formed Unicode'],
  ])('%j is refused with a sentence', (path, problem) => {
    expect(refusal(path)).toBe(`The file ${JSON.stringify(path)} is refused: ${problem}.`);
  });

  it('has at most 255 bytes in a name, and 1,000 in all, of UTF-8 in NFC', () => {
    const longest = `${'€'.repeat(84)}abc`;
    expect(sitePath(longest)).toEqual({ path: longest });
    expect(refusal(`${longest}d`)).toContain('a name is longer than 255 bytes');
    expect(sitePath('e\u0301'.repeat(127))).toEqual({ path: 'é'.repeat(127) });
    const deepest = `${'abc/'.repeat(249)}abcd`;
    expect(sitePath(deepest)).toEqual({ path: deepest });
    expect(refusal(`${deepest}e`)).toContain('the path is longer than 1000 bytes');
  });

  it('is cut in a message', () => {
    expect(refusal(`${'a'.repeat(2_000)}`)).toBe(
      `The file "${'a'.repeat(100)}…" is refused: the path is longer than 1000 bytes.`,
    );
  });
});

describe('the content type of a file of a site', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8', true],
    ['A.HTM', 'text/html; charset=utf-8', true],
    ['a/style.css', 'text/css; charset=utf-8', true],
    ['a.mjs', 'text/javascript; charset=utf-8', true],
    ['a.json', 'application/json; charset=utf-8', true],
    ['a.svg', 'image/svg+xml; charset=utf-8', true],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8', true],
    ['a.PNG', 'image/png', false],
    ['a.woff2', 'font/woff2', false],
    ['a.unknown', 'application/octet-stream', true],
    ['css', 'application/octet-stream', true],
    ['a.css/b', 'application/octet-stream', true],
  ])('of %s is %s', (path, type, compressible) => {
    expect([siteFileType(path), isCompressible(siteFileType(path))]).toEqual([type, compressible]);
  });

  it('makes a page of what ends in .html', () => {
    expect(['a.html', 'A.HTML', 'a.htm', 'html', 'a.html.txt'].filter(isHtmlPath)).toEqual(['a.html', 'A.HTML']);
  });
});
