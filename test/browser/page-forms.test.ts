import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { PROJECT } from '../support/process.ts';

/** The forms of the document as the browser has them: what they say, and the names and labels of what they send. */
const READ_FORMS = `[...document.forms].map((form) => ({
  method: form.method,
  enctype: form.enctype,
  fields: [...form.elements]
    .filter((one) => one.matches('input, select, textarea, button') && !one.closest('datalist') && !one.matches(':disabled'))
    .filter((one) => one.name !== '' && !['button', 'reset'].includes(one.type))
    .filter((one, index, all) => !['radio', 'checkbox', 'submit'].includes(one.type) ||
      all.findIndex((other) => other.type === one.type && other.name === one.name) === index)
    .map((one) => ({
      name: one.name,
      type: one.type.replace(/^select-.*/, 'select'),
      required: one.required === true && one.willValidate,
      label: ['radio', 'checkbox', 'submit'].includes(one.type) ? null
        : [...one.labels ?? []].map((label) => label.textContent.replace(/\\\\s+/g, ' ').trim()).find((text) => text !== '') ?? null,
    })),
}))`;

const QUIRKS: Readonly<Record<string, string>> = {
  'forms in tables': `<table><form method=post><tr><td><label>A <input name=a></label></td></tr><tr><input name=b></form></table><input name=c>
    <table><tr><form enctype=multipart/form-data><td><input name=d></td></form><td><input name=e></table>`,
  'nested forms': '<form id=x><div><form><input name=a></form><input name=b></div><input name=c></form><input name=d>',
  'forms that are not closed': '<div><form method=POST><input name=a></div><input name=b><p><form><input name=c>',
  'owners by form=': `<form id=a></form><form id=b><input name=1 form=a><input name=2 form><input name=3 form=none><button name=4 form=a></button>
    </form><select name=5 form=b></select><form id=a><input name=6></form>`,
  'wrong nesting':
    '<form><b><p><label><i>One <input name=a></b> two</i></label></p><a href=x><label>T<a href=y>h<input name=b></label></form>',
  labels: `<form><label for=a>For</label><label>No <input id=a name=a></label><label for=b>x<input name=c></label><label><input type=hidden name=h><input name=d> D <input name=e></label>
    <label><label>Inner</label><input name=f></label><label>Outer <label for=x>no <input name=o></label></label><label for=g> </label><label for=g>Second</label><textarea id=g name=g></textarea><meter id=m></meter><label for=p>P</label><p id=p></p><label>Q<output></output><input name=q></label></form>`,
  'disabled fieldsets': `<form><fieldset disabled><input name=a><legend><input name=b></legend><legend><input name=c></legend>
    <fieldset><legend><input name=d></legend></fieldset></fieldset><fieldset disabled><div><legend><input name=e></legend></div></fieldset></form>`,
  types:
    '<form><input name=a type=EMAIL><input name=b type="text "><input name=c type=datetime><input name=d type=week><button name=e type=x></button><button name=f type=reset></button><input name=g type=image><select name=h multiple></select></form>',
  'methods and encodings':
    '<form method=PoSt></form><form method="post " enctype="multipart/form-data "></form><form method=put enctype=text/plain></form><form method=DIALOG></form>',
  templates:
    '<template><form><input name=a></form></template><form><template><input name=b></template><input name=c></form>',
  svg: '<svg><form><input name=a></form><foreignObject><form><input name=b></form></foreignObject></svg><math><mi><form><input name=c></form></mi></math>',
  select:
    '<form><select name=a><option>1<input name=b><option>2</select><select name=c><optgroup><select name=d></form>',
  'raw text':
    '<form><textarea name=a><input name=b></textarea><noscript><input name=c></noscript><iframe><input name=d></iframe><xmp><input name=e></xmp><input name=f></form>',
  'shadow roots': `<form id=f><label>L <div><template shadowrootmode=open><input name=in></template><input name=out></div></label></form>
    <div><template shadowrootmode=open><input name=b form=f></template><template shadowrootmode=open><input name=d></template></div>`,
  'shadow roots that are none':
    '<form><ul><template shadowrootmode=open><input name=a></template><input name=b></ul></form>',
  frames: '<frameset><form><input name=a></form></frameset>',
};

describe.skipIf(!hasChromium())('the forms of a page', () => {
  let page: Page;
  let shown = '';
  beforeAll(async () => {
    page = await (await openBrowser()).newPage();
    // Nothing is loaded, and scripts change nothing that is compared.
    await page.route('**/*', (route) =>
      route.request().isNavigationRequest()
        ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: shown })
        : route.abort(),
    );
  });
  afterAll(() => page?.close());

  const pages = readdirSync(join(PROJECT, 'test/pages')).map((name) => [
    name,
    readFileSync(join(PROJECT, 'test/pages', name), 'utf8'),
  ]);

  it.each([...pages, ...Object.entries(QUIRKS)])('are those of Chromium: %s', async (_name = '', html = '') => {
    shown = html;
    await page.goto('http://page.test/', { waitUntil: 'domcontentloaded' });
    const addresses = { baseUrl: 'http://api.test', pagesDomain: 'pages.test', page: undefined };
    const checked = checkPage({ html: Buffer.from(html), addresses, maxFields: 1_000 });
    const hasMarks = /aria-|placeholder|role=/.test(html);
    const forms = checked?.forms.map(({ method, enctype, fields }) => ({
      method,
      enctype,
      fields: fields.map(({ name, type, required, label }) => ({
        name,
        type,
        required,
        // Groups have labels that the DOM does not have.
        ...(!hasMarks && { label: ['radio', 'checkbox', 'submit'].includes(type) ? null : label }),
      })),
    }));
    const inBrowser: { fields: { label?: string | null }[] }[] = await page.evaluate(READ_FORMS);
    for (const { fields } of hasMarks ? inBrowser : []) for (const field of fields) delete field.label;
    expect(forms).toEqual(inBrowser);
  });
});
