import { describe, expect, it } from 'vitest';
import type { Field } from '../../../src/http/submit/form-body.ts';
import { redirectOf, redirectWithin } from '../../../src/http/submit/redirect.ts';
import { SIZES } from '../../../src/sizes.ts';

const PAGE = 'https://my-page.pages.test:8443';

function redirectFrom(fields: readonly Field[]): string | undefined {
  const redirect = redirectOf(fields);
  return redirect && redirectWithin(redirect, PAGE, (origin) => origin === PAGE);
}

describe('redirectWithin', () => {
  it.each([
    ['/', '/'],
    ['#ok', '/#ok'],
    ['?sent=1#ok', '/?sent=1#ok'],
    ['thanks', '/thanks'],
    ['../../etc', '/etc'],
    [`${PAGE}/a?b#c`, '/a?b#c'],
    ['HTTPS://MY-PAGE.Pages.Test:8443/a', '/a'],
    ['//my-page.pages.test:8443/a', '/a'],
    ['https:a', '/a'],
    ['https:evil.test:1//', '/evil.test:1//'],
    [' /a b ', '/a%20b'],
    ['/é?ü#ß', '/%C3%A9?%C3%BC#%C3%9F'],
    ['/%0d%0aSet-Cookie:a=b', '/%0d%0aSet-Cookie:a=b'],
    ['/@evil.test', '/@evil.test'],
    ['.evil.test', '/.evil.test'],
    ['/.//evil.test', '//evil.test'],
  ])('%j leads to %j of the page', (value, path) => {
    expect(redirectFrom([['_redirect', value]])).toBe(`${PAGE}${path}`);
  });

  it.each([
    ...[
      '',
      '\u00a0',
      '//evil.test',
      '///evil.test',
      '/\\evil.test',
      '\\/evil.test',
      '/a\\b',
      '//',
      'https://',
      '//[::1]/',
    ],
    ...['https://evil.test', 'https:/\\evil.test', 'https://my-page.pages.test:8443@evil.test/'],
    ...['https://my-page.pages.test:8443.evil.test/', 'https://my-page.pages.test:84430/', '//pages.test:8443/'],
    ...['https://my-page.pages.test:443/', 'http://my-page.pages.test:8443/', 'https://my-page.pages.test.:8443/'],
    ...['https://other.pages.test:8443/', 'https://x.my-page.pages.test:8443/', '//user@my-page.pages.test:8443/'],
    ...['https://my-page.pages.test:8443%2eevil.test', '//my-page.pages.test:8443\uff0eevil.test/', '//evil。test'],
    ...['javascript:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)', 'data:text/html,x', 'about:blank'],
    ...[`blob:${PAGE}/x`, `filesystem:${PAGE}/x`, 'file:///etc/passwd', 'wss://my-page.pages.test:8443/'],
    ...['/\t/evil.test', '/\n/evil.test', '/ok\r\nX: y', '/a\0', '/a\u007f', '/a\u0085', '//2130706433/'],
  ])('%j leads nowhere', (value) => {
    expect(redirectFrom([['_redirect', value]])).toBeUndefined();
  });

  it.each([
    ['a'.repeat(SIZES.submission.maxRedirectChars - PAGE.length - 1), true],
    ['a'.repeat(SIZES.submission.maxRedirectChars - PAGE.length), false],
    ['é'.repeat(400), false],
    ['a/../'.repeat(410), false],
    [`//${'a'.repeat(300)}@my-page.pages.test:8443/`, false],
  ])('leads to no address of more than 2,048 characters (%#)', (path, isShort) => {
    expect(redirectFrom([['_redirect', path]])).toBe(isShort ? `${PAGE}/${path}` : undefined);
  });

  it.each([
    ['none', []],
    ['another name', [['_Redirect', '/']]],
    [
      'two, one of them empty',
      [
        ['_redirect', ''],
        ['_redirect', '/a'],
      ],
    ],
  ] as const)('given as %s leads nowhere', (_what, fields) => {
    expect(redirectFrom(fields)).toBeUndefined();
  });
});
