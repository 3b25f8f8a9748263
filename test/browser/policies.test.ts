import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';

/* Tests that the form check and Chromium agree on which policies of a page block its form. */

const ACTION = 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm';
const ADDRESSES = {
  baseUrl: 'https://forms.test',
  pagesDomain: 'pages.test',
  page: { url: 'https://sale.pages.test', action: ACTION },
};

const csp = (policy: string): string => `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
const form = (action: string): string => `<form method="post" ${action}><input name="a"><button>Send</button></form>`;
const HERE = form(`action="${ACTION}"`);
const OWN = form('');
const SCRIPT = `<script>const send = () => fetch('${ACTION}', { method: 'POST', body: new FormData() })</script>`;

/** Sends the form, or runs the script; whether the request leaves the browser. */
const SEND = `new Promise((resolve) => {
  document.addEventListener('securitypolicyviolation', () => resolve('blocked'));
  const [form] = document.forms;
  if (form) form.querySelector('button').click();
  else send().then(() => resolve('sent'), () => resolve('blocked'));
})`;

describe.skipIf(!hasChromium())('a policy', () => {
  let page: Page;
  let shown = '';
  beforeAll(async () => {
    page = await (await openBrowser()).newPage();
    await page.route('**/*', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: shown })
        : route.fulfill({ headers: { 'Access-Control-Allow-Origin': '*' }, body: 'stored' }),
    );
  });
  afterAll(() => page?.close());

  it.each([
    ["form-action 'none'", HERE],
    ["form-action 'self'", HERE],
    ["form-action 'self'", OWN],
    ['form-action', OWN],
    ['form-action https://forms.test', HERE],
    ['form-action forms.test', HERE],
    ['form-action http://forms.test', HERE],
    ['form-action https://forms.test', OWN],
    ['form-action https://sale.pages.test', OWN],
    ['form-action https://*.test', HERE],
    ['form-action *.forms.test', HERE],
    ['form-action https://forms.test:8443', HERE],
    ['form-action https://forms.test:443', HERE],
    ['form-action https://forms.test:*', HERE],
    ['form-action https://forms.test/submit/', HERE],
    ['form-action https://forms.test/submit', HERE],
    ['form-action https:', HERE],
    ['form-action *', HERE],
    ['form-action data:', HERE],
    ["default-src 'none'", HERE],
    ["form-action 'none'; form-action *", HERE],
    ["form-action *, form-action 'self'", HERE],
    [`form-action *">${csp("form-action 'self'").slice(0, -2)}`, HERE],
    [`form-action *"><title>a</title></head><body>${csp("form-action 'self'").slice(0, -2)}`, HERE],
    ["connect-src 'self'", SCRIPT],
    ['connect-src https://forms.test', SCRIPT],
    ["default-src 'unsafe-inline'", SCRIPT],
    ["default-src 'unsafe-inline' https://forms.test", SCRIPT],
    ["default-src 'unsafe-inline'; connect-src *", SCRIPT],
    ["connect-src 'self'", HERE],
  ])('%s', async (policy, rest) => {
    shown = `<head>${csp(policy)}${rest}`;
    await page.goto('https://sale.pages.test/');
    const sent = page.waitForRequest((request) => request.method() === 'POST').then(() => 'sent');
    const said = page.evaluate(SEND);
    // The document goes away with what it says when the form is sent.
    const outcome = await Promise.race([sent, said.catch(() => sent)]);
    sent.catch(() => undefined);
    const problems = checkPage({ html: Buffer.from(shown), addresses: ADDRESSES, maxFields: 50 })?.problems ?? [];
    expect(problems.some(({ code }) => code === 'blocked-by-policy') ? 'blocked' : 'sent').toBe(outcome);
  });

  it.each([
    ['no-referrer', HERE],
    ['same-origin', HERE],
    ['never', HERE],
    ['origin', HERE],
    ['strict-origin', HERE],
    ['no-referrer-when-downgrade', HERE],
    ['unsafe-url', HERE],
    ['nothing', HERE],
    ['same-origin', OWN],
    ['origin', form(`action="${ACTION}" rel="noreferrer"`)],
    ['origin', form(`action="${ACTION}" referrerpolicy="no-referrer"`)],
  ])('of referrers: %s', async (policy, rest) => {
    shown = `<meta name="referrer" content="${policy}">${rest}`;
    await page.goto('https://sale.pages.test/');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button').click();
    const { origin } = await (await sent).allHeaders();
    const given = { addresses: ADDRESSES, maxFields: 50, hasAllowedOrigins: true };
    const problems = checkPage({ html: Buffer.from(shown), ...given })?.problems ?? [];
    expect([origin, problems.some(({ code }) => code === 'origin-hidden')]).toEqual(
      origin === 'null' ? ['null', true] : ['https://sale.pages.test', false],
    );
  });
});
