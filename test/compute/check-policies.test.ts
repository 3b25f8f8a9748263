import { describe, expect, it } from 'vitest';
import type { Addresses } from '../../src/compute/check/answer.ts';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { factsOf } from '../../src/compute/check/scripts.ts';

const SERVICE = { baseUrl: 'https://forms.test', pagesDomain: 'pages.test' };
const ACTION = 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm';
const PUBLISHED = { url: 'https://sale.pages.test', action: ACTION, otherHosts: ['sale.example'] };

type Given = {
  page?: Addresses['page'];
  site?: Addresses['site'];
  hasAllowedOrigins?: boolean;
  scripts?: Record<string, string>;
};

function problemsOf(html: string, { page = PUBLISHED, site, hasAllowedOrigins, scripts = {} }: Given = {}) {
  const facts = new Map(
    Object.entries(scripts).map(([path, text]) => [
      path,
      factsOf(text, 'forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm'),
    ]),
  );
  const given = { addresses: { ...SERVICE, page, site }, maxFields: 50, hasAllowedOrigins, scripts: facts };
  return checkPage({ html: Buffer.from(html), ...given })?.problems ?? [];
}
const brief = (html: string, given?: Given) =>
  problemsOf(html, given).map(({ severity, code, line }) => `${severity} ${code} ${line}`);

const form = (attributes = 'action="{{FORM_ACTION}}"') =>
  `<form id="f" method="post" ${attributes}><input name="a"><button>Send</button></form>`;
const HERE = form();
const OWN = form('');
const csp = (...policies: string[]) =>
  policies.map((policy) => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`).join('');
const send = (url: string) => `<script>fetch('${url}', { method: 'POST', body: new FormData(f) })</script>`;

describe('blocked-by-policy', () => {
  it.each([
    ["form-action 'none'", HERE, 'write form-action https://forms.test'],
    ["form-action 'self'", HERE, 'add https://forms.test to form-action'],
    ['form-action', HERE, 'write form-action https://forms.test'],
    ["default-src 'none'; FORM-ACTION 'NONE'", HERE, 'write form-action https://forms.test'],
    ['form-action https://formspree.io', HERE, 'add https://forms.test'],
    ['form-action https://forms.test:8443', HERE, 'add https://forms.test'],
    ['form-action https://forms.test/submit/d_other', HERE, 'add https://forms.test'],
    ['form-action *.forms.test', HERE, 'add https://forms.test'],
    ['form-action data: blob:', HERE, 'add https://forms.test'],
    ["form-action 'none'", OWN, "write form-action 'self'"],
    ['form-action https://forms.test', OWN, "add 'self' to form-action"],
    ["connect-src 'self'", send('{{FORM_ACTION}}'), 'add https://forms.test to connect-src'],
    ["default-src 'self'", send('{{FORM_ACTION}}'), 'add connect-src https://forms.test'],
    ["default-src *; connect-src 'none'", send(ACTION), 'write connect-src https://forms.test'],
  ])('names %s', (policy, rest, advice) => {
    const problems = problemsOf(csp(policy) + rest);
    expect(problems).toMatchObject([{ code: 'blocked-by-policy', severity: 'error', line: 1, column: 1 }]);
    expect(problems[0]?.message).toContain(advice);
  });

  it('names the one of several policies that blocks, in several elements and in one', () => {
    const allowed = 'form-action https://forms.test';
    expect(brief(csp(allowed, "form-action 'self'") + HERE)).toEqual(['error blocked-by-policy 2']);
    expect(brief(csp(`${allowed}, form-action 'self'`) + HERE)).toEqual(['error blocked-by-policy 1']);
  });

  it('names the policy of a button that sends elsewhere than its form', () => {
    const button = '<button formaction="{{FORM_ACTION}}">Send</button>';
    const html = `<form method="post"><input name="a">${button}<button>Other</button></form>`;
    expect(brief(csp("form-action 'self'") + html)).toEqual(['error blocked-by-policy 1']);
  });

  it('is a warning where a script may send the form', () => {
    const script = '<script>f.onsubmit = () => fetch(f.action, { method: "POST", body: new FormData(f) })</script>';
    expect(brief(csp("connect-src 'self'") + HERE + script)).toEqual(['warning blocked-by-policy 1']);
  });

  it('names what blocks a script of the site that the page loads', () => {
    const site = { path: 'index.html', files: ['index.html', 'js/app.js', 'js/b.js'] };
    const scripts = { 'js/app.js': `fetch("{{FORM_ACTION}}",{method:"POST"})`, 'js/b.js': 'fetch("/a")' };
    const html = (file: string) =>
      `${csp("connect-src 'self'")}<div id="root"></div><script src="/js/${file}"></script>`;
    expect(brief(html('app.js'), { site, scripts })).toEqual(['error blocked-by-policy 1']);
    expect(brief(html('b.js'), { site, scripts })).toEqual([]);
  });

  it.each([
    ['form-action https://forms.test', HERE],
    ["form-action 'self' forms.test", HERE],
    ['form-action http://forms.test https://other.test', HERE],
    ['form-action {{FORM_ACTION}}', HERE],
    ['form-action https://forms.test/submit/', HERE],
    ['form-action https://*.test:*', HERE],
    ['form-action *', HERE],
    ['form-action https:', HERE],
    ["form-action 'self'; form-action 'none'", HERE.replace('{{FORM_ACTION}}', '/')],
    ["form-action 'self'", OWN],
    ['form-action https://sale.pages.test', OWN],
    ["form-action 'self'", form('action="https://sale.example/"')],
    ["default-src 'none'; script-src 'self'", HERE],
    [
      "form-action 'none'",
      `${HERE.replace('<form', '<form onsubmit="return send(this)"')}<script>fetch('/a')</script>`,
    ],
    [
      "form-action 'none'",
      `<form role="search" action="https://search.example/"><input name="q"></form>${send('{{FORM_ACTION}}')}`,
    ],
    ["default-src 'none'; connect-src https://forms.test", send('{{FORM_ACTION}}')],
    ["connect-src 'self'", HERE],
    ["connect-src 'none'", `${HERE}<script>document.title = 'form'</script>`],
  ])('raises no alarm: %s', (policy, rest) => {
    expect(brief(csp(policy) + rest)).toEqual([]);
  });

  it('raises no alarm about a policy that browsers do not read', () => {
    const policy = csp("form-action 'none'").trim();
    expect(brief(`<body>${policy}${HERE}`)).toEqual([]);
    expect(brief(`<template>${policy}</template>${HERE}`)).toEqual([]);
    expect(brief(policy.replace('Policy', 'Policy-Report-Only') + HERE)).toEqual([]);
    expect(brief(policy.replace('http-equiv', 'name') + HERE)).toEqual([]);
    expect(brief(`<!-- ${policy} -->${HERE}`)).toEqual([]);
  });

  it('of a page that is not published, does not know what its own host will be', () => {
    const unpublished = (policy: string, html: string) =>
      checkPage({ html: Buffer.from(csp(policy) + html), addresses: { ...SERVICE, page: undefined }, maxFields: 50 })
        ?.problems.length;
    expect(unpublished('form-action https://any.example', OWN)).toBe(0);
    expect(unpublished('form-action https://forms.test', HERE)).toBe(0);
    expect(unpublished("form-action 'none'", OWN)).toBe(1);
    expect(unpublished("form-action 'self'", HERE)).toBe(1);
    expect(unpublished('form-action https://any.example', HERE)).toBe(1);
  });
});

describe('origin-hidden', () => {
  const referrer = (policy: string) => `<meta name="Referrer" content="${policy}">\n`;
  const check = (html: string, hasAllowedOrigins = true) => brief(html, { hasAllowedOrigins });

  it.each(['no-referrer', 'NO-REFERRER', 'same-origin', 'never'])('names %s', (policy) => {
    expect(check(referrer(policy) + HERE)).toEqual(['error origin-hidden 1']);
    expect(check(referrer('origin') + referrer(policy) + HERE)).toEqual(['error origin-hidden 2']);
    expect(check(referrer(policy) + HERE, false)).toEqual([]);
  });

  it.each([
    ['another policy', referrer('strict-origin-when-cross-origin') + HERE],
    ['a later policy', referrer('no-referrer') + referrer('origin') + HERE],
    ['a policy that does not exist', referrer('no-referer') + HERE],
    ['a form that is sent to the own page', referrer('no-referrer') + OWN],
    ['the policy of a link', `<a href="https://a.example" referrerpolicy="no-referrer" rel="noreferrer">A</a>${HERE}`],
    ['a form that gives its receiver no referrer', form('action="{{FORM_ACTION}}" rel="noreferrer"')],
    ['an attribute that forms do not have', form('action="{{FORM_ACTION}}" referrerpolicy="no-referrer"')],
    ['a script that sends the form', referrer('no-referrer') + send('{{FORM_ACTION}}')],
    ['a policy in a template', `<template>${referrer('no-referrer')}</template>${HERE}`],
  ])('raises no alarm about %s', (_, html) => {
    expect(check(html)).toEqual([]);
  });
});

describe('legacy-charset', () => {
  const charset = (list: string) => form(`action="{{FORM_ACTION}}" accept-charset="${list}"`);

  it.each([
    ['ISO-8859-1', 'windows-1252'],
    ['windows-1251', 'windows-1251'],
    ['unknown, Shift_JIS UTF-8', 'shift_jis'],
    ['\n gb2312', 'gbk'],
  ])('names %j', (list, name) => {
    const problems = problemsOf(charset(list));
    expect(problems).toMatchObject([{ code: 'legacy-charset', severity: 'error', line: 1 }]);
    expect(problems[0]?.message).toContain(`is sent in ${name}, and read as UTF-8`);
  });

  it.each(['UTF-8', 'utf8', '', 'UNKNOWN', 'utf-8 iso-8859-1', 'utf-16'])('raises no alarm about %j', (list) => {
    expect(brief(charset(list))).toEqual([]);
  });

  it('raises no alarm about a form that leads elsewhere, or that a script sends', () => {
    const elsewhere = form('action="https://old.example/" accept-charset="iso-8859-1"');
    expect(brief(OWN + elsewhere)).toEqual(['warning form-goes-elsewhere 1']);
    expect(brief(charset('iso-8859-1') + send('{{FORM_ACTION}}'))).toEqual([]);
  });
});

describe('not-utf-8', () => {
  it.each([
    '<meta charset="iso-8859-1">',
    '<META CHARSET=" Windows-1252 ">',
    '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-15">',
    '<meta charset="latin-1">',
    '<?xml version="1.0" encoding="iso-8859-1"?>',
  ])('names %s', (declaration) => {
    expect(brief(`${declaration}\n${HERE}`)).toEqual(['warning not-utf-8 1']);
  });

  it.each([
    '<meta charset="UTF-8">',
    '<meta charset="utf8">',
    '<meta charset>',
    '<meta http-equiv="content-type" content="text/html;charset=utf-8">',
    '<meta http-equiv="content-type" content="text/html">',
    '<meta name="charset" content="iso-8859-1">',
    '<!-- <meta charset="iso-8859-1"> -->',
    '<template><meta charset="iso-8859-1"></template>',
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<script src="https://a.example/a.js" charset="iso-8859-1"></script>',
  ])('raises no alarm about %s', (declaration) => {
    expect(brief(`${declaration}\n${HERE}`)).toEqual([]);
  });

  it('is an error where the bytes are not UTF-8', () => {
    const html = Buffer.concat([Buffer.from(HERE), Buffer.from([0xfc])]);
    const problems = checkPage({ html, addresses: { ...SERVICE, page: PUBLISHED }, maxFields: 50 })?.problems;
    expect(problems).toMatchObject([{ code: 'not-utf-8', severity: 'error', line: 1, column: 1 }]);
  });
});
