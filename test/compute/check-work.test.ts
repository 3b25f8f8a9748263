import { expect, it } from 'vitest';
import { addToForms, checkPage, formsOf } from '../../src/compute/check/check-page.ts';
import { stepsOf } from '../support/work.ts';

/* The work of the form check rises with the length of a page, and with nothing else. */

const addresses = {
  baseUrl: 'https://forms.test',
  pagesDomain: 'pages.test',
  page: { url: 'https://sale.pages.test', action: 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm' },
};
const SMALL = 100;
const TIMES = 8;

it.each<[what: string, make: (n: number) => string]>([
  ['small forms', (n) => '<form method=post title=a>x</form>'.repeat(n)],
  [
    'forms beside elements with attributes',
    (n) => `${'<a-b type=x></a-b>'.repeat(n)}${'<form method=post></form>'.repeat(n)}`,
  ],
  [
    'forms beside fields of others',
    (n) => `${'<input form=a name=b>'.repeat(n)}${'<form method=post id=a></form>'.repeat(n)}`,
  ],
  ['forms with scripts', (n) => '<form method=post onsubmit=a()></form><script>fetch("/form")</script>'.repeat(n)],
  [
    'forms and policies',
    (n) =>
      `<meta http-equiv=Content-Security-Policy content="form-action ${'https://a.test '.repeat(n)}">${'<form method=post></form>'.repeat(n)}`,
  ],
  [
    'policies and forms of other addresses',
    (n) =>
      '<meta http-equiv=Content-Security-Policy content="form-action *">'.repeat(n) +
      Array.from({ length: n }, (_, at) => `<form method=post action="{{FORM_ACTION}}?${at}"></form>`).join(''),
  ],
  ['captchas', (n) => '<form method=post><altcha-widget></altcha-widget></form><form method=post></form>'.repeat(n)],
  [
    'buttons with addresses of their own',
    (n) => `<form method=post title="${'x'.repeat(n)}">${'<button formaction=/a></button>'.repeat(n)}</form>`,
  ],
  [
    'labels of one field',
    (n) => `<input id=a name=a>${'<label for=a> </label>'.repeat(n)}${'<input name=b aria-labelledby=a>'.repeat(n)}`,
  ],
  ['nested labels', (n) => `<form>${'<label>x<input name=a>'.repeat(n)}`],
  ['radio buttons of one name', (n) => `<form><fieldset><legend>x</legend>${'<input type=radio name=a>'.repeat(n)}`],
  ['options', (n) => `<form><select name=a required>${'<option>x'.repeat(n)}`],
  ['attributes', (n) => `<form><input name=a ${Array.from({ length: n }, (_, at) => `a${at}`).join(' ')}>`],
  ['shadow roots', (n) => '<div><template shadowrootmode=open><p id=a><input form=a></template></div>'.repeat(n)],
  ['shadow roots of one host', (n) => `<div>${'<template shadowrootmode=open></template>'.repeat(n)}`],
  ['missing files', (n) => '<img src=a.png>'.repeat(n)],
  ['styles', (n) => `<style>${'url(a\\ b) "c\\\n'.repeat(n)}</style>`],
  [
    'declared charsets',
    (n) => '<meta charset=latin1>'.repeat(n) + '<form method=post accept-charset=latin1></form>'.repeat(n),
  ],
  [
    'addresses of services in a script',
    (n) => `<script>${'x="https://formspree.io/f/a";fetch(x,{method:"POST"});'.repeat(n)}</script>`,
  ],
  [
    'names of addresses in a script',
    (n) =>
      `<script>fetch("POST");${Array.from({ length: n }, (_, at) => `x${at}="https://formspree.io/f/a";y=x${at};`).join('')}</script>`,
  ],
  ['forms in a text of a script', (n) => `<script>fetch("formspree");x="${'<form '.repeat(n)}"</script>`],
  ['misspelt placeholders in a script', (n) => `<script>${'"{{ form_action }}";'.repeat(n)}</script>`],
])('%s', (_, make) => {
  const work = (n: number) => {
    const html = Buffer.from(make(n));
    return stepsOf(() => {
      expect(checkPage({ html, addresses, maxFields: 50, captcha: 'altcha', hasAllowedOrigins: true })).toBeDefined();
      formsOf({ html, addresses });
      addToForms(html, { addresses, widget: { element: '[W]', script: '[S]' }, tools: { leaveEmpty: 'Empty' } });
    });
  };
  // The first page of a kind may fill a memory of its own.
  work(1);
  expect(work(TIMES * SMALL)).toBeLessThan(2 * TIMES * work(SMALL));
});
