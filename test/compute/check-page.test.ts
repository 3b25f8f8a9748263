import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Addresses, CODES } from '../../src/compute/check/answer.ts';
import { checkPage, formsOf } from '../../src/compute/check/check-page.ts';
import { labelsOf } from '../../src/forms/forms-of-page.ts';
import { SIZES } from '../../src/sizes.ts';
import { PROJECT } from '../support/process.ts';

const SERVICE = { baseUrl: 'https://forms.test', pagesDomain: 'pages.test' };
const ID = 'd_0VbbZBZKKTcBD17YQfyDgVGm';
const PUBLISHED = { url: 'https://sale.pages.test', action: `https://forms.test/submit/${ID}` };
const OTHER_ACTION = 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGn';
const MAX_FIELDS = 50;

type Place = Addresses['page'] & Pick<Addresses, 'site'>;

function check(html: string, page?: Place) {
  const addresses = { ...SERVICE, page, site: page?.site };
  const checked = checkPage({ html: Buffer.from(html), addresses, maxFields: MAX_FIELDS });
  if (!checked) throw new Error('The page is too complex.');
  return checked;
}
const labelled = (html: string) =>
  Object.fromEntries(labelsOf(formsOf({ html: Buffer.from(html), addresses: { ...SERVICE, page: undefined } }) ?? []));

/** Problems as `severity code line:column`. */
const brief = (html: string, page?: Addresses['page']): string[] =>
  check(html, page).problems.map(({ code, severity, line, column }) => `${severity} ${code} ${line}:${column}`);

/** The fields of the first form, by what is in it. */
const fieldsIn = (html: string) => check(`<form>${html}</form>`).forms[0]?.fields;
const form = (html: string, attributes = 'method="post" action="{{FORM_ACTION}}"'): string =>
  `<form ${attributes}>${html}<button>Send</button></form>`;
const NAME = '<input name="name">';
const input = (attributes: string): string => form(`<input ${attributes}>`);
/** A form without a button of its own. */
const unsent = (html: string): string => `<form method="post">${html}</form>`;
/** A form that posts to this address. */
const to = (action: string): string => form(NAME, `method="post" action="${action}"`);

type Choices = Readonly<Record<string, string>>;
const choices = (labels: Choices) => Object.entries(labels).map(([value, label]) => ({ value, label }));
/** `labels`: those of its options by their values. */
const field = (name: string, label: string | null = null, type = 'text', required = false, labels?: Choices) => ({
  ...{ name, label, type, required, options: labels ? choices(labels) : null },
});

describe('realistic pages', () => {
  const read = (name: string) => check(readFileSync(join(PROJECT, 'test/pages', name), 'utf8'));
  const elsewhere = { enctype: 'application/x-www-form-urlencoded', submits_here: false };

  it('plain HTML, with everything that a form can have', () => {
    expect(read('plain.html')).toEqual({
      title: 'Table for tonight',
      lang: 'en',
      forms: [
        {
          ...{ action: '{{FORM_ACTION}}', method: 'post', enctype: 'multipart/form-data', submits_here: true },
          fields: [
            field('name', 'Your name', 'text', true),
            field('email', 'E-mail:', 'email', true),
            field('guests', 'Guests', 'select', true, { 1: '1', 2: '2', 6: 'Six' }),
            field('time', 'When?', 'radio', true, { '18:00': 'Six o’clock', '20:00': 'Eight o’clock' }),
            field('special', 'Anything special?', 'checkbox', false, { child: 'A child’s chair', dog: 'A dog' }),
            field('other', 'Other'),
            field('plan', 'A plan of the seats', 'file'),
            field('notes', 'Notes', 'textarea'),
            field('news', 'Send me news', 'checkbox', false, { on: 'Send me news' }),
            field('_hp'),
            field('_redirect', null, 'hidden'),
            field('source', null, 'hidden'),
          ],
        },
        { ...elsewhere, action: 'https://search.example/', method: 'get', fields: [field('q', 'Search the web')] },
        { ...elsewhere, action: null, method: 'dialog', fields: [] },
      ],
      toolless: { count: 1, line: 18 },
      problems: [],
    });
  });

  it.each(['wordpress.html', 'japanese.html'])('raise no alarm: %s', (name) => {
    expect(read(name).problems).toEqual([]);
  });
});

describe('problems', () => {
  const ALWAYS = 'this field always has one: write <input name="_hp"> without value, checked or required';

  it.each<[where: string, html: string, advice: string, page?: Addresses['page']]>([
    ['warning no-form 1:1', '<h1>Hello</h1>', 'The page has no form: write <form'],
    ['warning no-form 1:1', '<h1>Hello</h1>\n<input name="email"><button>Send</button>', 'are in no form: put <form'],
    [
      'error placeholder-misspelt 2:2',
      `<h1>é😀</h1>\r\n\t${to('{{ FORM_ACTION }}')}`,
      'write action="{{FORM_ACTION}}"',
    ],
    [
      'error placeholder-misspelt 3:9',
      `<form id="f">${NAME}</form>\n<script>\n  fetch('{{form_action}}', { body: new FormData(f) })\n</script>`,
      'write {{FORM_ACTION}} exactly so',
    ],
    ['error form-goes-elsewhere 1:1', to('https://a.example/send'), 'to https://a.example/send, and not to this'],
    ['error form-goes-elsewhere 1:1', to('/wp-admin/admin-post.php'), 'nothing at /wp-admin/admin-post.php'],
    ['warning form-goes-elsewhere 1:1', to(OTHER_ACTION), 'sends to another page', PUBLISHED],
    ['error form-goes-elsewhere 1:1', to('https://forms.test/submit/YOUR_ID'), 'no form at https://forms.test/'],
    ['error method-get 1:1', form(NAME, 'action="{{FORM_ACTION}}"'), 'write method="post" in its <form>'],
    [
      'warning method-get 1:42',
      unsent('<button>Send</button><button formmethod="GET">Look</button>'),
      'formmethod="post"',
    ],
    ['error method-get 1:1', form(NAME, 'method="post" enctype="text/plain"'), 'as text/plain'],
    ['error field-without-name 2:15', form('\n<label>E-mail <input id="mail"></label>'), 'write name="mail"'],
    ['error file-without-multipart 1:1', form('<input type="file" name="cv">'), 'write enctype="multipart/form-data"'],
    ['error no-submit-button 1:1', unsent('<input name="a"><input name="b">'), 'write <button>Send</button>'],
    [
      'error no-submit-button 1:1',
      unsent(`${NAME}<input name="b"><button type="button">Go</button>`),
      'write type="submit"',
    ],
    ['warning reserved-name 1:46', input('name="_comment"'), 'left out of mails: write name="comment"'],
    ['warning foreign-field 1:46', input('name="_honeypot" style="display:none"'), 'write name="_hp"'],
    ['warning foreign-field 1:46', input('type="hidden" name="_cc" value="b@example.com"'), '_cc has no effect'],
    ['warning foreign-field 1:46', input('type="hidden" name="form-name"'), 'write _gotcha in place of bot-field, and'],
    ['warning foreign-field 1:46', input('type="hidden" name="g-recaptcha-response"'), 'switch recaptcha on by the'],
    ['warning foreign-field 1:46', input('name="_Gotcha" style="display:none"'), 'here: write name="_gotcha".'],
    ['warning foreign-field 1:46', input('type="hidden" name="_Redirect"'), 'write name="_redirect"'],
    ['warning foreign-field 1:46', input('type="hidden" name="_CC"'), '_CC has no effect here: send mail'],
    ['error reserved-name 1:46', input('name="_gotcha" value="x"'), 'is put into the spam folder'],
    ['warning reserved-name 1:62', form('<label>Redirect <input name="_redirect"></label>'), 'says where visitors'],
    ['warning reserved-name 1:46', input('type="email" name="_replyto"'), 'leave _replyto out: write name="email"'],
    ['error reserved-name 1:46', input('name="_hp" type="hidden" value="1"'), ALWAYS],
    ['error reserved-name 1:46', form('<input name="_hp" required>'), ALWAYS],
    ['error reserved-name 1:46', form('<input name="_hp" type="checkbox" checked>'), ALWAYS],
    ['error reserved-name 1:46', form('<textarea name="_hp">text</textarea>'), ALWAYS],
    ['warning relative-asset 2:1', `${form(NAME)}\n<img src="images/logo.png">`, 'no file images/logo.png'],
    ['warning insecure-asset 2:1', `${form(NAME)}\n<img src="http://cdn.example/a.png">`, 'write https:// instead of'],
  ])('%s: %s', (where, html, advice, page) => {
    expect(brief(html, page)).toEqual([where]);
    expect(check(html, page).problems[0]?.message).toContain(advice);
  });

  it('foreign-field, for each field of a form that came from another service', () => {
    const hidden = ['access_key', 'ccemail', 'subject'].map((name) => `<input type="hidden" name="${name}">`).join('');
    expect(check(form(hidden)).problems.map(({ code, message }) => [code, message])).toEqual([
      ['foreign-field', expect.stringMatching(/^access_key has no effect here: write _gotcha, /)],
      ['foreign-field', expect.stringMatching(/^ccemail has no effect here: send mail to others by the setting/)],
    ]);
  });

  it('foreign-field, for the token of a captcha that the settings do not switch on', () => {
    const html = Buffer.from(form('<input type="hidden" name="g-recaptcha-response">'));
    const problemsWith = (captcha: 'recaptcha' | 'hcaptcha') =>
      checkPage({ html, addresses: { ...SERVICE, page: undefined }, maxFields: MAX_FIELDS, captcha })?.problems;
    expect(problemsWith('recaptcha')).toEqual([]);
    expect(problemsWith('hcaptcha')).toMatchObject([{ code: 'captcha-missing' }, { code: 'foreign-field' }]);
  });

  it('too-many-fields', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `<input name="f${index}">`).join('');
    expect(check(form(fields(MAX_FIELDS))).problems).toEqual([]);
    // Browsers send one of the radio buttons and one of the buttons.
    const more =
      '<input type="radio" name="r"><input type="radio" name="r"><button name="b">1</button><button name="c">2</button>';
    expect(check(form(fields(MAX_FIELDS - 2) + more)).problems).toEqual([]);
    const { problems } = check(form(fields(MAX_FIELDS) + more));
    expect(problems).toMatchObject([{ code: 'too-many-fields', severity: 'error', line: 1, column: 1 }]);
    expect(problems[0]?.message).toContain('up to 52 fields, and a submission has at most 50: remove 2');
  });

  it('are in the order of the page, up to a number of each code', () => {
    const html = `${'<img src="a.png">\n'.repeat(SIZES.check.maxProblemsPerCode + 5)}${form(NAME, 'action="{{FORM_ACTION}}"')}`;
    expect(brief(html)).toEqual([
      ...Array.from({ length: SIZES.check.maxProblemsPerCode }, (_, index) => `warning relative-asset ${index + 1}:1`),
      `error method-get ${SIZES.check.maxProblemsPerCode + 6}:1`,
    ]);
  });
});

describe('a misspelt placeholder', () => {
  it.each([
    ...['{{form_action}}', '{FORM_ACTION}', '{{{FORM_ACTION}}}', '{{FORM_ACTION}', '[[FORM_ACTION]]', 'FORM_ACTION'],
    ...['%7B%7BFORM_ACTION%7D%7D', '{{FORM\\_ACTION}}', '\u0024{FORM_ACTION}', '&#123;&#123;FORM_ACTION}}'],
    ...['/{{FORM_ACTION}}', 'https://forms.test/{{FORM_ACTION}}', '{{SUBMIT_URL}}'],
  ])('is found: %s', (action) => {
    expect(brief(to(action))).toEqual(['error placeholder-misspelt 1:1']);
  });

  it('is found in a button', () => {
    expect(brief(unsent(`\n${NAME}<button>Send</button><button formaction="{{ FORM_ACTION }}">Send</button>`))).toEqual(
      ['error placeholder-misspelt 2:41'],
    );
  });

  it.each(['{{FORM_ACTION}}', ' {{FORM_ACTION}}\n', '{{FORM_ACTION}}?from=page', '{{FORM_ACTION}}#top'])(
    'is none: %j',
    (action) => {
      const { forms, problems } = check(to(action));
      expect([forms[0]?.submits_here, problems]).toEqual([true, []]);
    },
  );

  it('is none in a script that has it in a variable', () => {
    const script =
      "const FORM_ACTION = '{{FORM_ACTION}}'; fetch(`\u0024{FORM_ACTION}?a=1`, { method: 'POST', body: new FormData(f) })";
    expect(brief(`<form id="f">${NAME}</form><script>${script}</script>`)).toEqual([]);
  });
});

describe('a URL in a style', () => {
  const SITE = {
    ...PUBLISHED,
    site: { path: 'index.html', files: ['index.html', 'a b(1).png', 'über.woff2', 'a).png'] },
  };

  it.each([
    'url(a\\ b\\(1\\).png)',
    'url(a\\20 b\\0000281\\29.png)',
    'url("a b\\28 1\\29\r\n.png")',
    "url('a b\\\n(1).\\\r\npng')",
    'url( \\fc ber.woff2 )',
    'url(\\00FC\tber.woff2)',
    'url(a\\).png)',
    '@import "a\\29.png"',
  ])('is found by what its escapes stand for: %j', (style) => {
    expect(brief(`${form(NAME)}<style>a { background: ${style} }</style>`, SITE)).toEqual([]);
  });

  it.each([
    ['url(a\\ c.png)', 'a c.png'],
    ['url("a\\\nc.png")', 'ac.png'],
    ['url(\\0 x)', '\uFFFDx'],
    ['url(\\d800 x)', '\uFFFDx'],
    ['url("a\\"c.png")', 'a"c.png'],
  ])('is missing by that name: %j', (style, name) => {
    const { problems } = check(`${form(NAME)}<style>a { background: ${style} }</style>`, SITE);
    expect(problems.map(({ code, message }) => [code, message.slice(0, message.indexOf(':'))])).toEqual([
      ['missing-file', `The site has no file ${name}`],
    ]);
  });
});

describe('a shadow root', () => {
  const shadow = (html: string) => `<div><template shadowrootmode="open">${html}</template></div>`;
  const names = (html: string) => check(html).forms.map(({ fields }) => fields.map(({ name }) => name));

  it('has fields that do not belong to the form around it, and forms of its own', () => {
    expect(names(form(`${NAME}${shadow('<input name="inside">')}`))).toEqual([['name']]);
    expect(names(form(`${NAME}${shadow('<input name="free"><form><input name="own"></form>')}`))).toEqual([
      ['name'],
      ['own'],
    ]);
  });

  it('keeps its ids, and finds none outside', () => {
    const outside = `<form id="f" method="post">${NAME}<button>Send</button></form><p id="t">Outside</p>`;
    expect(names(outside + shadow('<input name="inside" form="f">'))).toEqual([['name']]);
    expect(names(`${shadow('<form id="f"><input name="own"></form>')}<input name="outside" form="f">`)).toEqual([
      ['own'],
    ]);
    const inside =
      '<form><label for="a">Inside</label><input id="a" name="a"><input name="b" aria-labelledby="t"></form>';
    const html = `<label for="a">Other</label><input id="a" name="c">${outside}${shadow(inside)}`;
    expect(check(html).forms[1]?.fields).toEqual([field('a', 'Inside'), field('b')]);
  });

  it('is not labelled, grouped or disabled from outside, and gives the page no title and no language', () => {
    const html = shadow(
      '<html lang="de"><title>Inside</title><base href="https://other.example/"><form method="post"><input name="a"><button>Send</button></form>',
    );
    const checked = check(`<fieldset disabled><legend>Outside</legend><label>Outside ${html}</label></fieldset>`);
    expect(checked).toEqual({
      ...{ title: null, lang: null, problems: [], toolless: { count: 1, line: 1 } },
      forms: [expect.objectContaining({ fields: [field('a')] })],
    });
  });

  it.each([
    ['a second one', `<div><template shadowrootmode="open"></template><template shadowrootmode="open"><form>${NAME}`],
    ['one of an element that can have none', `<ul><template shadowrootmode="open"><form>${NAME}`],
    ['one of an unknown mode', `<div><template shadowrootmode="auto"><form>${NAME}`],
  ])('is none: %s is a template', (_, html) => {
    expect(names(html)).toEqual([]);
  });
});

it('the title is that of the document, and not of a template or a drawing', () => {
  const others = '<template><title>Card</title></template><svg><title>Logo</title></svg>';
  expect(check(`${others}<title>Sale</title>`).title).toBe('Sale');
  expect(check(others).title).toBeNull();
});

describe('where a form leads', () => {
  it.each([
    ...['{{FORM_ACTION}}', '', '/', '.', './?a=1', '#sent', '\n/\t', PUBLISHED.action, 'https://sale.pages.test'],
    ...['http://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm', '//forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm'],
    'https://SALE.pages.test/',
  ])('here: %j', (action) => {
    const { forms, problems } = check(form(NAME, `method="POST" action="${action}"`), PUBLISHED);
    expect([forms[0]?.submits_here, problems]).toEqual([true, []]);
  });

  it.each([
    ...[OTHER_ACTION, 'https://other.pages.test/', 'mailto:info@example.org'].map(
      (action) => [action, 'warning'] as const,
    ),
    ...['https://other.pages.test/path', 'https://forms.test/submit/', '/submit/d_0VbbZBZKKTcBD17YQfyDgVGm'].map(
      (action) => [action, 'error'] as const,
    ),
    ...['index.html', 'https://formspree.example/f/abc', 'https://'].map((action) => [action, 'error'] as const),
  ])('not here: %s, which is an %s', (action, severity) => {
    const { forms, problems } = check(to(action), PUBLISHED);
    expect(forms[0]?.submits_here).toBe(false);
    expect(problems).toMatchObject([{ code: 'form-goes-elsewhere', severity }]);
  });

  it('here, without an action, also where <base> leads elsewhere; other relative actions follow it', () => {
    const base = '<base href="https://other.example/">';
    expect(brief(base + form(NAME, 'method="post"'), PUBLISHED)).toEqual([]);
    expect(brief(base + to('/'), PUBLISHED)).toEqual(['error form-goes-elsewhere 1:37']);
  });

  it('here, for a page that is not published: to any page of the service', () => {
    for (const action of [OTHER_ACTION, 'https://other.pages.test/', '/']) {
      const { forms, problems } = check(to(action));
      expect([forms[0]?.submits_here, problems]).toEqual([true, []]);
    }
  });

  it('by its buttons', () => {
    const html = (buttons: string) => `<form action="https://shop.example/">${NAME}${buttons}</form>`;
    const here = '<button formaction="{{FORM_ACTION}}" formmethod="post">Send</button>';
    for (const buttons of [here, `${here}<button>Shop</button>`]) {
      const { forms, problems } = check(html(buttons));
      expect([forms[0]?.submits_here, problems]).toEqual([true, []]);
    }
  });

  it('says nothing of a form to elsewhere that is beside one that is stored here, except that it posts', () => {
    const others = (attributes: string) => brief(form(NAME) + form('<input name="amount">', attributes));
    expect(others('action="https://pay.example/donate"')).toEqual([]);
    expect(others('action="mailto:info@example.org" method="post"')).toEqual([]);
    expect(others('action="https://list.example/subscribe" method="post"')).toEqual([
      'warning form-goes-elsewhere 1:93',
    ]);
  });
});

describe('no alarm is raised', () => {
  const script = (text: string) => `<script>${text}</script>`;

  it.each(
    Object.entries({
      'a form with onsubmit': `<form onsubmit="return send(this)">${NAME}<input name="b"></form>`,
      'a form of htmx': `<form hx-post="{{FORM_ACTION}}">${NAME}<button>Send</button></form>`,
      'a form of Alpine': `<form @submit.prevent="send">${NAME}<button>Send</button></form>`,
      'a form of Vue': `<form v-on:submit="send">${NAME}<button>Send</button></form>`,
      'a form of Angular': `<form (ngSubmit)="send()">${NAME}<button>Send</button></form>`,
      'a form of Stimulus': `<form data-action="submit->mail#send">${NAME}<button>Send</button></form>`,
      'a form that a script sends to its action': `<form action="{{FORM_ACTION}}">${NAME}<input type="file" name="f"><input></form>${script("f.onsubmit = () => fetch(f.action, { method: 'POST', body: new FormData(f) })")}`,
      'a form whose script has the address': `<form action="https://old.example/send" method="post">${NAME}</form>${script("const url = '{{FORM_ACTION}}'")}`,
      'fields that a script sends without a form': `${NAME}${script("fetch('{{FORM_ACTION}}', { method: 'POST' })")}`,
      'fields that a click sends': `${NAME}<button onclick="fetch('{{FORM_ACTION}}', { method: 'POST' })">Send</button>`,
      'a form that a script clones': `<template><form>${NAME}</form></template>`,
      'a page that a script from elsewhere makes':
        '<div id="root"></div><script type="module" src="https://app.example/main.js"></script>',
      'a search of the page itself': `${form(NAME)}<form role="search"><input name="q"><button>Search</button></form>`,
      'a search of the web alone': '<form action="https://search.example/"><input type="search" name="q"></form>',
      'a search in <search>': `<search><form action="https://search.example/">${NAME}</form></search>`,
      'a form with nothing in it': `${form(NAME)}<form class="d-flex"></form>`,
      'a button that is outside': `<form id="f" method="post" action="{{FORM_ACTION}}">${NAME}<input name="b"></form><button form="f">Send</button>`,
      'a button with an image':
        '<form method="post"><input name="a"><input name="b"><input type="image" src="https://cdn.example/send.png" alt="Send"></form>',
      'a button of a custom element': `<form method="post">${NAME}<input name="b"><sl-button type="submit">Send</sl-button></form>`,
      'a button that a script stands for': `<form id="f" method="post">${NAME}<input name="b"><a href="#" onclick="f.submit()">Send</a></form>`,
      'a button with a script of its own': `<form method="post">${NAME}<input name="b"><button type="button" onclick="this.form.submit()">Send</button></form>`,
      'fields that do not need a name': form(
        `${NAME}<input disabled><input type="hidden"><input type="reset"><input type="button"><input readonly><input oninput="show(this)"><input hidden><datalist><input></datalist>`,
      ),
      'a fieldset that is disabled': form(`${NAME}<fieldset disabled><legend>More</legend><input></fieldset>`),
      'a honeypot': form(
        `${NAME}<input name="_hp" value=""><textarea name="_hp"></textarea><input type="checkbox" name="_hp" value="1">`,
      ),
      'a redirect': form(`${NAME}<input type="hidden" name="_redirect" value="/?thanks">`),
      'the charset': form(`${NAME}<input type="hidden" name="_charset_">`),
      'files with a button that says how they are sent': `<form method="post"><input type="file" name="f"><button formenctype="multipart/form-data">Send</button></form>`,
      'files that have no name': form(`${NAME}<input type="file" disabled name="cv">`),
      '<noscript>': `${form(NAME)}<noscript><img src="/pixel.gif"><form>${NAME}</form></noscript>`,
      comments: `${form(NAME)}<!-- <img src="a.png"><form action="{{ form_action }}"> -->`,
      'text in <textarea> and <title>': `<title><img src=a.png></title>${form('<textarea name="a"><img src="a.png"></textarea>')}`,
    }),
  )('about %s', (_what, html) => {
    expect(brief(html)).toEqual([]);
    expect(brief(html, PUBLISHED)).toEqual([]);
  });

  it.each([
    ...['<img src="https://cdn.example/a.png">', '<img src="//cdn.example/a.png">'],
    ...['<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', '<img src="">'],
    '<img src="blob:https://sale.pages.test/1">',
    '<img srcset="https://a.example/1.png 1x, data:image/png;base64,AA== 2x">',
    '<a href="about.html">About</a><a href="http://old.example/">Old</a>',
    '<link rel="canonical" href="/here"><link rel="alternate" href="http://a.example/feed"><link rel="next" href="2">',
    '<link rel="preconnect" href="http://a.example"><link rel="dns-prefetch" href="//a.example">',
    '<base href="https://cdn.example/site/"><img src="a.png"><link rel="stylesheet" href="/b.css">',
    '<iframe src="about:blank"></iframe><iframe src="/"></iframe>',
    '<svg><use href="#icon"/><use xlink:href="#icon"/></svg>',
    '<style>@import "https://cdn.example/a.css"; a { content: "url(a.png)"; background: url(#g) } /* url(a.png) */</style>',
    '<p style="background: url(&quot;https://cdn.example/a.png&quot;)">',
    '<style>@namespace svg url(http://www.w3.org/2000/svg);@NAMESPACE "http://www.w3.org/1999/xhtml";</style>',
    '<script type="text/template" src="a.js"></script><script type="application/json">{"a":"url(b.png)"}</script>',
    '<script src="https://forms.test/altcha.js" type="module"></script><img src="http://forms.test/a.png">',
    ...['<img src="http://localhost:8080/a.png">', '<meta property="og:image" content="/a.png">'],
    ...['<video controls><source></video><object></object><embed>', '<template><img src="a.png"></template>'],
  ])('about %s', (html) => {
    expect(brief(form(NAME) + html, PUBLISHED)).toEqual([]);
  });
});

describe('a form of a site', () => {
  const files = ['index.html', 'about.html', 'style.css', 'blog/index.html', 'blog/first.html'];
  const page = (path: string) => ({ ...PUBLISHED, site: { path, files } });

  it.each(['', '/', '/about', '/about.html', 'first', '../blog', './', '/index.html'])(
    'is sent to the deployment from blog/first.html with the action "%s"',
    (action) => {
      const { forms, problems } = check(to(action), page('blog/first.html'));
      expect([forms[0]?.submits_here, problems]).toEqual([true, []]);
    },
  );

  it.each(['/style.css', 'about', '/nothing'])('is not sent anywhere by the action "%s"', (action) => {
    const { forms, problems } = check(to(action), page('blog/first.html'));
    const message = `The site has no page at ${action}: write action="{{FORM_ACTION}}".`;
    const problem = { code: 'form-goes-elsewhere', severity: 'error', message, line: 1, column: 1 };
    expect([forms[0]?.submits_here, problems]).toEqual([false, [problem]]);
  });
});

describe('what is loaded', () => {
  const codes = (html: string, page: Place = PUBLISHED) =>
    check(form(NAME) + html, page).problems.map(({ code, message }) => [
      code,
      /(?:no file|load) (\S+?):? /.exec(message)?.[1],
    ]);

  it.each([
    ['<script src="app.js"></script>', 'app.js'],
    ['<link rel="Stylesheet" href="/style.css?v=1">', '/style.css?v=1'],
    ['<link rel="shortcut icon" href="favicon.ico">', 'favicon.ico'],
    ['<link rel="manifest" href="site.webmanifest">', 'site.webmanifest'],
    ['<link rel="preload" as="image" imagesrcset="small.png 1x">', 'small.png'],
    ['<img srcset="https://a.example/1.png 1x,big.png 2x">', 'big.png'],
    ['<picture><source srcset="a,b.png"></picture>', 'a,b.png'],
    ['<video poster="still.jpg"></video>', 'still.jpg'],
    ['<audio src="song.mp3"></audio>', 'song.mp3'],
    ['<track src="de.vtt">', 'de.vtt'],
    ['<iframe src="map.html"></iframe>', 'map.html'],
    ['<object data="a.pdf"></object>', 'a.pdf'],
    ['<embed src="a.swf">', 'a.swf'],
    ['<input type="image" src="go.png" form="x">', 'go.png'],
    ['<svg><image href="a.svg"/></svg>', 'a.svg'],
    ['<svg><use xlink:href="icons.svg#mail"/></svg>', 'icons.svg#mail'],
    ['<p style="background:url(bg.png)">', 'bg.png'],
    ['<b style="background:url(bg.png)"><p>wrong</b> nesting</p><p>of</p>', 'bg.png'],
    ['<style>@font-face { src: url( "font.woff2" ) }</style>', 'font.woff2'],
    ["<style>@import 'more.css';</style>", 'more.css'],
    ['<style>@namespace url(http://www.w3.org/1999/xhtml); a { background: url(bg.png) }</style>', 'bg.png'],
    ['<img src="https://sale.pages.test/logo.png">', 'https://sale.pages.test/logo.png'],
    ['<base href="/sub/"><img src="a.png">', 'a.png'],
  ])('from the host of the page: %s', (html, url) => {
    expect(codes(html)).toEqual([['relative-asset', url]]);
  });

  const inSite = (path: string) => ({
    ...PUBLISHED,
    site: { path, files: ['index.html', 'about.html', 'style.css', 'blog/index.html', 'blog/cover.png', 'a b.png'] },
  });

  it.each([
    ...['index.html', 'style.css?v=1', '/about', 'blog', 'blog/', 'blog/cover.png', 'a%20b.png', 'a b.png', '#top', ''],
    'https://sale.pages.test/style.css',
  ])('is no problem for index.html of a site: %s', (url) => {
    expect(codes(`<img src="${url}"><style>a { background: url("${url}") }</style>`, inSite('index.html'))).toEqual([]);
  });

  it.each([
    [
      'blog/index.html',
      ['cover.png', '../style.css', './'],
      ['style.css', 'blog/cover.png', '/cover.png', '/Style.css'],
    ],
    ['about.html', ['style.css', 'blog/cover.png', '/'], ['cover.png', 'blog/nothing', 'about/style.css', '/thanks']],
  ])('is looked for from the folder of the page: %s', (path, there, missing) => {
    const html = [...there, ...missing].map((url) => `<p style="background: url(${url})">`).join('');
    expect(codes(html, inSite(path))).toEqual(missing.map((url) => ['missing-file', url]));
  });

  it.each([
    '<script src="http://cdn.example/a.js"></script>',
    '<img src="HTTP://cdn.example/a.js">',
    '<style>a{background:url(http://cdn.example/a.js)}</style>',
    '<iframe src="http://cdn.example/a.js"></iframe>',
    '<base href="http://cdn.example/"><img src="http://cdn.example/a.js">',
  ])('without encryption: %s', (html) => {
    expect(codes(html)).toEqual([['insecure-asset', expect.stringMatching(/^http:\/\/cdn.example\/a.js$/i)]]);
  });

  it('is found where it is in a style, whatever ends its lines', () => {
    const html = `${form(NAME)}\r\n<style>\r\n\r\n  a { color: red;\r\n    background: url(a.png) }\r\n</style>`;
    expect(brief(html)).toEqual(['warning relative-asset 5:17']);
  });
});

describe('a form that has no effect', () => {
  it('is a warning where a script may send it, or where another form is stored', () => {
    const plain = `<form>${NAME}<button>Send</button></form>`;
    expect(brief(plain)).toEqual(['error method-get 1:1']);
    expect(brief(`${plain}<script src="https://cdn.example/a.js"></script>`)).toEqual(['warning method-get 1:1']);
    expect(brief(`${form(NAME)}\n${plain}`)).toEqual(['warning method-get 2:1']);
  });

  it('is no error because of a field without a name, which a script may read', () => {
    const nameless = form('<input id="a">');
    const script = '<script src="https://cdn.example/a.js"></script>';
    expect(brief(nameless)).toEqual([expect.stringMatching(/^error field-without-name /)]);
    expect(brief(nameless + script)).toEqual([expect.stringMatching(/^warning field-without-name /)]);
  });

  it('is reported with all that it needs, once', () => {
    const html = '<form action="{{FORM_ACTION}}"><input type="file" name="cv"><input><input type="checkbox"></form>';
    expect(brief(html)).toEqual([
      ...['error method-get 1:1', 'error file-without-multipart 1:1', 'warning no-submit-button 1:1'],
      ...['error field-without-name 1:61', 'warning field-without-name 1:68'],
    ]);
  });

  it('is an error, too, where a script only calls submit()', () => {
    const html = `<form id="f" action="{{FORM_ACTION}}">${NAME}</form><script>captcha.done = () => f.submit()</script>`;
    expect(brief(html)).toEqual(['error method-get 1:1']);
  });

  it('has a button missing less badly with one text field, which Enter sends', () => {
    expect(brief(`<form method="post">${NAME}</form>`)).toEqual(['warning no-submit-button 1:1']);
  });
});

describe('fields', () => {
  it('have the types of the standard', () => {
    const fields = fieldsIn(
      '<input name="a" type="EMAIL"><input name="b" type="unknown"><input name="c" type=""><button name="d" value="1">One</button><button name="d" value="2"><b>Two</b></button><button type="button" name="e"></button><input type="reset" name="f"><input type="image" name="g"><input type="submit" name="h" value="Go"><textarea name="i" required></textarea><input type="range" name="j" required><input type="hidden" name="k" required>',
    );
    expect(fields).toEqual([
      field('a', null, 'email'),
      field('b'),
      field('c'),
      field('d', null, 'submit', false, { 1: 'One', 2: 'Two' }),
      field('h', null, 'submit', false, { Go: 'Go' }),
      field('i', null, 'textarea', true),
      field('j', null, 'range'),
      field('k', null, 'hidden'),
    ]);
  });

  it('are labelled by for, by nesting, by ARIA, and else by their placeholder', () => {
    expect(
      fieldsIn(`
        <label for="a">For</label><input id="a" name="a" aria-label="No" placeholder="No">
        <label>Around <input name="b"> it</label>
        <input name="c" aria-label=" By  ARIA ">
        <span id="x">Two</span> <span id="y">parts</span> <input name="d" aria-labelledby="x none y" aria-label="No">
        <input name="e" placeholder="Placeholder"><input name="f" type="date" placeholder="No"><input name="g">
        <label for="none">Elsewhere <input name="h" id="h"></label>
        <label><input type="hidden" name="i">Second <input name="j"> <input name="k"></label>
        <label for="l"></label><label for="l">Not empty</label><input id="l" name="l">
        <label>One<br>line <b>each</b><span aria-hidden="true">*</span> <select name="m"><option>no</select> <img alt="image"></label>
        <label>${'long '.repeat(100)}<input name="n"></label>`)?.map(({ label }) => label),
    ).toEqual([
      ...['For', 'Around it', 'By ARIA', 'Two parts', 'Placeholder', null, null, null, null, 'Second', null],
      ...['Not empty', 'One line each image', `${'long '.repeat(100).slice(0, SIZES.check.maxTextChars - 1)}…`],
    ]);
  });

  it('of a group have the label of the group, and not that of the whole form', () => {
    const radios =
      '<label><input type="radio" name="r" value="1">One</label><label><input type="radio" name="r" value="2">Two</label>';
    const labelOf = (html: string) => fieldsIn(html)?.find(({ name }) => name === 'r')?.label;
    expect(labelOf(`<fieldset><legend>Group</legend>${radios}</fieldset>`)).toBe('Group');
    expect(labelOf(`<fieldset><legend>Group</legend>${radios}<input name="other"></fieldset>`)).toBe('Group');
    expect(labelOf(`<fieldset><legend>All</legend><input name="a"><input name="b">${radios}</fieldset>`)).toBe(null);
    expect(labelOf(`<div role="radiogroup" aria-label="Group">${radios}</div>`)).toBe('Group');
    expect(labelOf(radios)).toBe(null);
  });

  it('of a select have the options that can be chosen', () => {
    const options = (attributes: string, html: string) =>
      fieldsIn(`<select name="s" ${attributes}>${html}</select>`)?.[0]?.options;
    const empty = '<option value="">Choose</option><option> A  b </option>';
    expect(options('required', empty)).toEqual(choices({ 'A b': 'A b' }));
    for (const attributes of ['', 'required multiple', 'required size=3']) {
      expect(options(attributes, empty)).toEqual(choices({ '': 'Choose', 'A b': 'A b' }));
    }
    const disabled = '<option label="L" value="v">text<option disabled>no<optgroup disabled><option>no</optgroup>';
    expect(options('', disabled)).toEqual(choices({ v: 'L' }));
  });

  it('in declarative shadow DOM are on the page, those in a template are not', () => {
    const inside = form(NAME);
    const shadow = check(`<my-form><template shadowrootmode="open">${inside}</template></my-form>`);
    expect([shadow.forms.map(({ fields }) => fields), shadow.problems]).toEqual([[[field('name')]], []]);
    expect(check(`<template>${inside}</template>`).forms).toEqual([]);
  });

  it('have names as they are', () => {
    const names = ['__proto__', 'a[b][]', ' spaced ', '10', 'constructor', 'ünï'];
    expect(fieldsIn(names.map((name) => `<input name="${name}">`).join(''))?.map(({ name }) => name)).toEqual(names);
  });
});

describe('labels', () => {
  it('are those of all fields that have one, first of forms that are stored', () => {
    const labels = labelled(`
      <form action="https://search.example/"><input name="email" aria-label="Their mail"><input name="q" aria-label="Search"></form>
      ${form('<label>E-mail <input name="email"></label><input name="_hp" aria-label="Leave empty"><input name="none"><input disabled name="later" aria-label="Later">')}
      <label>Free <input name="free"></label>`);
    expect(labels).toEqual({ email: 'E-mail', later: 'Later', q: 'Search', free: 'Free' });
  });
});

it('fields that no longer fit into the answer are left out, and their problems are not', () => {
  const label = 'é'.repeat(SIZES.check.maxTextChars);
  const html = `<p id="l">${label}</p><form>${'<input name="a" aria-labelledby="l">'.repeat(20_000)}</form>${form(NAME)}`;
  const { forms, problems } = check(html);
  const chars = JSON.stringify(forms).length;
  expect(chars).toBeLessThanOrEqual(SIZES.check.maxFormChars + 1_000);
  expect(chars).toBeGreaterThan(SIZES.check.maxFormChars - 1_000);
  expect(problems.map(({ code }) => code)).toContain('too-many-fields');
});

describe('any page', () => {
  const PIECES = [
    ...'<form </form> <input <select <option <button <label <fieldset <legend <table> <tr> <style>'.split(' '),
    ...'<script> </script> <svg> <math> <b> <p> </p> <!-- --> file radio " \' > url( ) / \\ a http: 😀'.split(' '),
    ...'name for id form action style src srcset type'.split(' ').map((name) => ` ${name}=`),
    ...['<a href=x>', '{{FORM_ACTION}}', '{{ form_action }}', '&#0;', '&#xD800;', '\0', '\r\n', ' '],
  ];
  const page = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 60 });

  it('is read: nothing is thrown, and every place is in the page', () => {
    fc.assert(
      fc.property(page, (pieces) => {
        const html = pieces.join('').toWellFormed();
        const lines = html.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
        for (const { code, line, column, message } of [...check(html).problems, ...check(html, PUBLISHED).problems]) {
          expect(CODES).toContain(code);
          expect(message).toMatch(/^[\s\S]+: [\s\S]+\.$/);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
        }
        for (const label of Object.values(labelled(html))) expect(label).toMatch(/\S/);
      }),
      { numRuns: 300 },
    );
  });

  it('may begin with a byte order mark', () => {
    expect(check(`\uFEFF${form(NAME, 'action="{{FORM_ACTION}}"')}`).problems).toMatchObject([{ line: 1, column: 1 }]);
  });

  it('is not read on when its wrong nesting makes elements without end', () => {
    const formatting = Array.from({ length: 5_000 }, (_, index) => `<b a=${index}>`).join('');
    const html = Buffer.from(`<p>${formatting}${'<p>x'.repeat(5_000)}`);
    const page = { html, addresses: { ...SERVICE, page: undefined } };
    expect([checkPage({ ...page, maxFields: MAX_FIELDS }), formsOf(page)]).toEqual([undefined, undefined]);
  });

  it('has a bound to the forms that are shown', () => {
    expect(check('<form></form>'.repeat(SIZES.check.maxForms + 1)).forms.length).toBe(SIZES.check.maxForms);
  });
});
