import { describe, expect, it, vi } from 'vitest';
import {
  decodePath,
  isCompressible,
  isHtmlPath,
  normalizePath,
  siteFileType,
  sitePath,
} from '../../src/sites/site-paths.ts';

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

  it('may be three times as long before NFC makes it shorter', () => {
    const syllables = '\uac01'.repeat(85);
    expect(sitePath(syllables.normalize('NFD'))).toEqual({ path: syllables });
    const kelvins = '\u212a'.repeat(255);
    expect(sitePath(kelvins)).toEqual({ path: 'K'.repeat(255) });
    expect(refusal(`${kelvins}a`)).toContain('a name is longer than 255 bytes');
    // NFC makes these longer.
    expect(refusal('\u0958'.repeat(43))).toContain('a name is longer than 255 bytes');
    expect(sitePath(`a${'\u0345'.repeat(127)}`)).toEqual({ path: `a${'\u0345'.repeat(127)}` });
  });

  it('is normalized only where it is not too long', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const marks = (count: number) => '\u0345'.repeat(count / 2) + '\u0334'.repeat(count / 2);
    for (const path of [marks(200), `a/${marks(5_200)}`, 'a'.repeat(3_001), '각'.repeat(1_001), '/'.repeat(100_000)]) {
      expect(refusal(path)).toMatch(/is longer than (255|1000) bytes\.$/);
      expect(normalizePath(path)).toBeUndefined();
    }
    for (const encoded of ['%CC%81'.repeat(5_200), '%41'.repeat(3_001), 'a'.repeat(20_000)]) {
      expect(decodePath(encoded)).toBeUndefined();
    }
    expect(normalize).not.toHaveBeenCalled();
    // Rows of as many marks as a name has room for.
    for (const mark of ['\u0345', '\u{1e8d0}']) {
      const row = `a${mark.repeat(130)}`;
      expect(normalizePath(`${row}b/${row}`)).toBe(`${row}b/${row}`);
      expect(normalizePath(`${row}b/${row}${mark}`)).toBeUndefined();
    }
    normalize.mockRestore();
  });

  it('is cut in a message', () => {
    expect(refusal('ab/'.repeat(400))).toBe(
      `The file "${'ab/'.repeat(33)}a…" is refused: the path is longer than 1000 bytes.`,
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
    ['a.svg', 'image/svg+xml', true],
    ['a.SVGZ', 'image/svg+xml', false],
    ['feed.xml', 'application/xml', true],
    ['feed.atom', 'application/atom+xml', true],
    ['a.xhtml', 'application/xhtml+xml', true],
    ['.well-known/apple-app-site-association', 'application/json; charset=utf-8', true],
    ['apple-app-site-association', 'application/json; charset=utf-8', true],
    ['apple-app-site-association/a.png', 'image/png', false],
    ['a.vtt', 'text/vtt; charset=utf-8', true],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8', true],
    ['a.PNG', 'image/png', false],
    ['a.woff2', 'font/woff2', false],
    ['a.unknown', 'application/octet-stream', true],
    ['css', 'application/octet-stream', true],
    ['a.css/b', 'application/octet-stream', true],
  ])('of %s is %s', (path, type, compressible) => {
    expect([siteFileType(path), isCompressible(path)]).toEqual([type, compressible]);
  });

  it('makes a page of what ends in .html or .htm', () => {
    const paths = ['a.html', 'A.HTML', 'a.htm', 'b/C.Htm', 'html', 'htm', 'a.html.txt', 'a.shtml', 'a.htmx', 'a.xhtm'];
    expect(paths.filter(isHtmlPath)).toEqual(['a.html', 'A.HTML', 'a.htm', 'b/C.Htm']);
  });
});
