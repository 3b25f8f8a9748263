import { describe, expect, it } from 'vitest';
import { readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { replaceAddresses } from '../../../../src/dashboard/editor/source/shown/css-addresses.ts';
import { draftEdits } from '../../../../src/dashboard/editor/source/shown/draft-edits.ts';
import { baseEdits, baseOf } from '../../../../src/dashboard/editor/source/shown/page-base.ts';
import { applyEdits } from '../../../../src/dashboard/editor/source/source-edits.ts';

const URL_OF_PAGE = 'https://site.example/';
const CSS = 'text/css; charset=utf-8';
const data = (type: string, text: string): string => `data:${type};charset=utf-8,${encodeURIComponent(text)}`;

describe('replaceAddresses', () => {
  const seen = (css: string): string[] => {
    const found: string[] = [];
    replaceAddresses(css, (address) => void found.push(address));
    return found;
  };

  it.each([
    ['an import', '@import "a.css" screen;', ['a.css']],
    ['an import with url()', '@import url(a.css) layer(x);', ['a.css']],
    ['quotes', `p { background: url( 'a b.png' ), url("c.png") }`, ['a b.png', 'c.png']],
    ['escapes', 'p { background: url(a\\ b\\2e png) }', ['a b.png']],
    ['comments', '/* url(a.png) @import "b.css" */', []],
    ['strings', 'p::before { content: "url(a.png)" }', []],
    ['an empty url()', 'p { background: url() }', []],
    ['a comment without an end', '/* url(a.png)', []],
    ['a string without an end', 'p { content: "a\n} i { background: url(b.png) }', ['b.png']],
  ])('finds the addresses in %s', (_name, css, addresses) => {
    expect(seen(css)).toEqual(addresses);
  });

  it('changes the addresses, and nothing else', () => {
    const css = '@import"a.css";p{background:url(b.png)no-repeat,url( "c.png" )}/* url(d) */';
    const changed = replaceAddresses(css, (address) => (address === 'c.png' ? undefined : `/"${address}`));
    expect(changed).toBe('@import"/%22a.css";p{background:url("/%22b.png")no-repeat,url( "c.png" )}/* url(d) */');
  });

  it('takes a time that is linear in the length of the CSS', () => {
    for (const part of ['url( ', 'url("', '@import ', 'url(\\aaaaaaa', '/*', '\\', '"']) seen(part.repeat(100_000));
    seen(`url(${' '.repeat(500_000)}`);
    seen(`url(${'\\abcdefa'.repeat(100_000)}`);
    seen(`@import${' '.repeat(500_000)}`);
  });
});

describe('the base of a page in a frame', () => {
  const based = (html: string, url = URL_OF_PAGE): string => {
    const source = readSource(html);
    return applyEdits(html, baseEdits(source, baseOf(source, url)));
  };
  const BASE = `<base href="${URL_OF_PAGE}">`;

  it.each([
    [
      'a head',
      '<!doctype html><html><head a=">"><title>A</title>',
      `<!doctype html><html><head a=">">${BASE}<title>A</title>`,
    ],
    [
      'no head',
      '<!-- a --><!doctype html>\n<html lang=en><p>A',
      `<!-- a --><!doctype html>\n<html lang=en>${BASE}<p>A`,
    ],
    ['a doctype alone', '<!doctype html>\n<title>A</title>', `<!doctype html>${BASE}\n<title>A</title>`],
    ['nothing', '\ufeff<p>A', `\ufeff${BASE}<p>A`],
    ['a base without an address', '<base target=x>', `${BASE}<base target=x>`],
    ['a base in a comment', '<!-- <base href=/a> -->', `${BASE}<!-- <base href=/a> -->`],
    ['a base of another place', '<base href="https://other.example/">', '<base href="https://other.example/">'],
    ['a relative base', '<base href="sub/">', '<base href="https://site.example/sub/"><base href="sub/">'],
  ])('is added to a page with %s', (_name, html, wanted) => {
    expect(based(html)).toBe(wanted);
  });

  it('is written as an attribute', () => {
    expect(based('<p>', 'https://site.example/?a="&b')).toBe('<base href="https://site.example/?a=%22&amp;b"><p>');
  });
});

describe('a page with drafts of its files', () => {
  const shown = (html: string, drafted: readonly string[], texts: Record<string, string>): string => {
    const source = readSource(html);
    const files = Object.entries(texts).map(([path, text]) => {
      const type = path.endsWith('.css') ? CSS : path.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript';
      return [path, { text, type }] as const;
    });
    const drafts = { root: URL_OF_PAGE, drafted, texts: new Map(files) };
    return applyEdits(html, draftEdits(source, { base: baseOf(source, URL_OF_PAGE), drafts }));
  };

  it('loads style sheets, images and scripts that are not published', () => {
    const html =
      '<link rel="icon StyleSheet" integrity="sha256-x" href=/css/a%20b.css?v=1 media=print><img src=l.svg><script src=s.js></script>';
    const texts = { 'css/a b.css': 'p { color: red }', 'l.svg': '<svg/>', 's.js': 'a()' };
    expect(shown(html, Object.keys(texts), texts)).toBe(
      `<link rel="icon StyleSheet" href="${data('text/css', 'p { color: red }')}" media=print><img src="${data('image/svg+xml', '<svg/>')}">` +
        `<script src="${data('text/javascript', 'a()')}"></script>`,
    );
  });

  it('shows the named part of an image', () => {
    expect(shown('<img src="l.svg?v=1#part">', ['l.svg'], { 'l.svg': '<svg/>' })).toBe(
      `<img src="${data('image/svg+xml', '<svg/>')}#part">`,
    );
  });

  it('stays small, however often its style sheets load one another', () => {
    const names = Array.from({ length: 40 }, (_, at) => `${at}.css`);
    const texts = Object.fromEntries(names.map((name, at) => [name, `@import "${at + 1}.css"; `.repeat(2)]));
    const sheets = { ...texts, '40.css': 'p { color: red }' };
    const html = `<link rel=stylesheet href=39.css>${'<link rel=stylesheet href=25.css><link rel=stylesheet href=0.css>'.repeat(20)}`;
    const changed = shown(html, ['40.css'], sheets);
    expect(changed.length).toBeLessThan(20_000_000);
    expect(changed).toMatch(/^<link rel=stylesheet href="data:text\/css/);
    expect(changed.endsWith('<link rel=stylesheet href=0.css>')).toBe(true);
  });

  it('leaves what is published, modules, and what is elsewhere', () => {
    const html =
      '<link rel=stylesheet href=b.css><link rel=preload href=a.css><script type=module src=s.js></script>' +
      '<link rel=stylesheet href=https://other.example/a.css><link rel=stylesheet href=%><link rel=stylesheet>';
    expect(shown(html, ['a.css', 's.js'], { 'a.css': 'p {}', 'b.css': 'i {}', 's.js': 'a()' })).toBe(html);
    const source = readSource(html);
    expect(draftEdits(source, { base: URL_OF_PAGE, drafts: undefined })).toEqual([]);
  });

  it('keeps the files that a moved style sheet loads', () => {
    const css = '@import "more.css"; p { background: url(../i.png) url(#a) url(https://other.example/x) }';
    const moved =
      '@import "https://site.example/css/more.css"; p { background: url("https://site.example/i.png") url(#a) url(https://other.example/x) }';
    expect(shown('<link rel=stylesheet href=css/a.css>', ['css/a.css'], { 'css/a.css': css, 'css/more.css': '' })).toBe(
      `<link rel=stylesheet href="${data('text/css', moved)}">`,
    );
  });

  it('loads a draft that a published style sheet or a <style> loads, even in a circle', () => {
    const texts = { 'a.css': '@import url("c/b.css") screen;', 'c/b.css': '@import "../a.css"; b { color: red }' };
    const inner = data('text/css', '@import "https://site.example/a.css"; b { color: red }');
    const outer = data('text/css', `@import url("${inner}") screen;`);
    expect(shown('<link rel=stylesheet href=a.css>', ['c/b.css'], texts)).toBe(`<link rel=stylesheet href="${outer}">`);
    expect(shown('<style>@import "a.css"; p { background: url(x.png) }</style>', ['c/b.css'], texts)).toBe(
      `<style>@import "${outer}"; p { background: url(x.png) }</style>`,
    );
  });

  it('finds files by the base of the page', () => {
    const html = '<base href="/sub/"><link rel=stylesheet href=a.css>';
    expect(shown(html, ['sub/a.css'], { 'sub/a.css': 'p {}' })).toBe(
      `<base href="/sub/"><link rel=stylesheet href="${data('text/css', 'p {}')}">`,
    );
  });
});
