import { describe, expect, it } from 'vitest';
import { addToForms, checkPage } from '../../src/compute/check/check-page.ts';
import type { CaptchaProvider } from '../../src/forms/captcha-fields.ts';
import { SIZES } from '../../src/sizes.ts';

const ID = 'd_0VbbZBZKKTcBD17YQfyDgVGm';
const ACTION = `https://forms.test/submit/${ID}`;
const ADDRESSES = {
  baseUrl: 'https://forms.test',
  pagesDomain: 'pages.test',
  page: { url: 'https://sale.pages.test', action: ACTION },
};

const WIDGET = { addresses: ADDRESSES, widget: { element: '[W]', script: '[S]' } };
const added = (html: string): string => Buffer.from(addToForms(Buffer.from(html), WIDGET) ?? '').toString();
/** `severity line:column` of each form that lacks its captcha. */
const missing = (html: string, captcha: CaptchaProvider = 'altcha'): string[] =>
  (checkPage({ html: Buffer.from(html), addresses: ADDRESSES, maxFields: 50, captcha })?.problems ?? [])
    .filter(({ code }) => code === 'captcha-missing')
    .map(({ severity, line, column }) => `${severity} ${line}:${column}`);

const HERE = '<form method="post" action="{{FORM_ACTION}}">';
const SERVICE_SCRIPT = '<script src="https://forms.test/altcha.js" type="module"></script>';

describe('ALTCHA is put into a form that lacks it', () => {
  it.each([
    ['at its </form>', `${HERE}<input name="a"></form>`, `${HERE}<input name="a">[S][W]</form>`],
    ['that has no action', '<form method="post">a</form>', '<form method="post">a[S][W]</form>'],
    [
      'that has the address itself',
      `<form method="post" action="${ACTION}"></form>`,
      `<form method="post" action="${ACTION}">[S][W]</form>`,
    ],
    ['in each form, the script once', `${HERE}1</form>${HERE}2</form>`, `${HERE}1[S][W]</form>${HERE}2[W]</form>`],
    [
      'that lacks it beside one that has it',
      `${HERE}<altcha-widget></altcha-widget></form>${SERVICE_SCRIPT}${HERE}2</form>`,
      `${HERE}<altcha-widget></altcha-widget></form>${SERVICE_SCRIPT}${HERE}2[W]</form>`,
    ],
    ['on a page that loads the script', `${SERVICE_SCRIPT}${HERE}</form>`, `${SERVICE_SCRIPT}${HERE}[W]</form>`],
    [
      'behind a byte order mark, other characters and line ends',
      `\uFEFF<p>é😀\r\n${HERE}ü\r\n</FORM >`,
      `\uFEFF<p>é😀\r\n${HERE}ü\r\n[S][W]</FORM >`,
    ],
    [
      'above its button',
      `${HERE}<input name="a"><p><button>Send</button></p></form>`,
      `${HERE}<input name="a">[S][W]<p><button>Send</button></p></form>`,
    ],
    [
      'above the line of its buttons',
      `${HERE}<div><label>A <input name="a"></label><i></i><input type="reset"> <input type="submit"></div>x</form>`,
      `${HERE}<div><label>A <input name="a"></label><i></i>[S][W]<input type="reset"> <input type="submit"></div>x</form>`,
    ],
    [
      'above the last of its buttons',
      `${HERE}<button>1</button><div><textarea name="a"></textarea></div><div><span><button>2</button></span></div></form>`,
      `${HERE}<button>1</button><div><textarea name="a"></textarea></div>[S][W]<div><span><button>2</button></span></div></form>`,
    ],
    [
      'above its button in a cell',
      `${HERE}<table><tr><td><input name="a"></td></tr><tr><td><button>Send</button></td></tr></table></form>`,
      `${HERE}<table><tr><td><input name="a"></td></tr><tr><td>[S][W]<button>Send</button></td></tr></table></form>`,
    ],
    [
      'at its end, where its button is outside',
      `<button form="f">Send</button><form id="f" method="post"><input name="a"></form>`,
      `<button form="f">Send</button><form id="f" method="post"><input name="a">[S][W]</form>`,
    ],
    ['before a button that is not closed', `${HERE}<button>Send</form>`, `${HERE}[S][W]<button>Send</form>`],
    ['before a table that is not closed', `${HERE}<table><tr></form>`, `${HERE}[S][W]<table><tr></form>`],
    ['in an element that is not closed', `${HERE}<div></form>`, `${HERE}<div>[S][W]</form>`],
    ['in a cell of a table', `<table><tr><td>${HERE}</form></table>`, `<table><tr><td>${HERE}[S][W]</form></table>`],
  ])('%s', (_, html, expected) => {
    expect(added(html)).toBe(expected);
    expect(missing(html)).toEqual([]);
  });

  it.each([
    ['one that has it', `${HERE}<div><altcha-widget></altcha-widget></div></form>`],
    ['one that has its field', `${HERE}<input type="hidden" name="altcha"></form>`],
    ['one that leads elsewhere', '<form method="post" action="https://other.test/"></form>'],
    ['one that is sent with GET', '<form action="https://search.test/"></form>'],
    ['one in a <template>', `<template>${HERE}</form></template>`],
    ['one in a comment or a script', `<!-- ${HERE}</form> --><script>"${HERE}</form>"</script>`],
    [
      'one whose widget a script of the page makes',
      `${HERE}</form><script>document.createElement('altcha-widget')</script>`,
    ],
    ['one beside ALTCHA of another service', `${HERE}</form><script src="https://cdn.test/altcha.min.js"></script>`],
    ['a page without forms', '<p>Hello'],
  ])('and not into %s', (_, html) => {
    expect(added(html)).toBe(html);
    expect(missing(html)).toEqual([]);
  });

  it('up to a number of forms of a page, and the check names the others', () => {
    const max = SIZES.captcha.maxWidgets;
    const html = `${HERE}</form>\n`.repeat(max + 2);
    expect(added(html)).toBe(
      `${HERE}[S][W]</form>\n${`${HERE}[W]</form>\n`.repeat(max - 1)}${`${HERE}</form>\n`.repeat(2)}`,
    );
    expect(missing(html)).toEqual([`error ${max + 1}:1`, `error ${max + 2}:1`]);
  });

  it('and not into a page that nests deeper than browsers do', () => {
    const html = `${'<div>'.repeat(600)}${HERE}</form>`;
    expect(addToForms(Buffer.from(html), WIDGET)).toBeUndefined();
  });
});

describe('captcha-missing', () => {
  it.each([
    ['a form without an end', `${HERE}<input name="a">`, ['error 1:1']],
    ['a form between the rows of a table', `<table>${HERE}<tr><td></td></tr></form></table>`, ['error 1:8']],
    [
      'a form without an end beside a script that can not be read',
      `${HERE}<script src="https://cdn.test/app.js"></script>`,
      ['warning 1:1'],
    ],
  ])('names %s, which ALTCHA can not be put into', (_, html, expected) => {
    expect(missing(html)).toEqual(expected);
    expect(added(html)).toBe(html);
  });

  it.each([
    ['turnstile', 'cf-turnstile', 'cf-turnstile-response', 'turnstile.render("#t")'],
    ['hcaptcha', 'h-captcha', 'h-captcha-response', 'hcaptcha.render("t")'],
    ['recaptcha', 'g-recaptcha', 'g-recaptcha-response', 'grecaptcha.execute()'],
  ] as const)('names forms without the widget of %s', (provider, name, field, call) => {
    expect(missing(`${HERE}</form>`, provider)).toEqual(['error 1:1']);
    expect(missing(`<div class="${name}"></div>\n${HERE}</form>`, provider)).toEqual(['error 2:1']);
    expect(missing(`${HERE}<div class="big ${name}"></div></form>`, provider)).toEqual([]);
    expect(missing(`${HERE}<input type="hidden" name="${field}"></form>`, provider)).toEqual([]);
    expect(missing(`${HERE}</form><script>${call}</script>`, provider)).toEqual([]);
    expect(missing(`${HERE}</form><script src="https://cdn.test/app.js"></script>`, provider)).toEqual(['warning 1:1']);
  });

  it('is no problem without a captcha in the settings', () => {
    const html = Buffer.from(`${HERE}<input name="a"><button>Send</button>`);
    expect(checkPage({ html, addresses: ADDRESSES, maxFields: 50 })?.problems).toEqual([]);
  });
});
