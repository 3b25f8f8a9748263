import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * Forms with scripts that were written for other services, on a page of another origin, where only the address is changed. Each
 * shape is that of a form on public sites: how it sends, and by what it tells a success. They are written anew here.
 */

/** How a script sends: as these libraries do, whose headers and errors differ. */
type Way = 'fetch' | 'axios' | 'jquery' | 'xhr';

type Shape = {
  service: string;
  way: Way;
  body: 'form-data' | 'urlencoded' | 'json' | 'json-as-form';
  /** Accept, where the script sets it. */
  accepts?: string;
  /** Sent besides the message. */
  fields?: Readonly<Record<string, unknown>>;
  /** At the end of the address. */
  suffix?: '.json';
  /** Ends in an exception if the response has no JSON, or is no success for the library. An expression of `response`, `data` and `status`. */
  succeeds: string;
  /** The reason why the visitor is told of an error. */
  exception?: string;
};

const JSON_ONLY = 'application/json';
const HIDDEN = { _subject: 'From the site', _captcha: 'false', _template: 'table', _honey: '' };
const KEYED = { access_key: 'KEY', subject: 'From the site', from_name: 'Site' };

const SHAPES: readonly Shape[] = [
  { service: 'Formspree', way: 'fetch', body: 'form-data', accepts: JSON_ONLY, succeeds: 'response.ok' },
  { service: 'Formspree', way: 'fetch', body: 'json', accepts: JSON_ONLY, succeeds: 'response.ok' },
  { service: 'Formspree', way: 'fetch', body: 'form-data', accepts: JSON_ONLY, succeeds: '!("errors" in data)' },
  { service: 'Formspree', way: 'fetch', body: 'json', accepts: JSON_ONLY, succeeds: 'data.ok === true' },
  {
    service: 'Formspree',
    way: 'fetch',
    body: 'form-data',
    accepts: JSON_ONLY,
    succeeds: 'new URL(data.next).pathname',
  },
  { service: 'Formspree', way: 'xhr', body: 'form-data', accepts: JSON_ONLY, succeeds: 'status === 200' },
  { service: 'Formspree', way: 'jquery', body: 'urlencoded', accepts: JSON_ONLY, succeeds: 'true' },
  { service: 'Formspree', way: 'axios', body: 'json', fields: { _gotcha: '' }, succeeds: 'status === 200' },
  { service: 'Web3Forms', way: 'fetch', body: 'json', accepts: JSON_ONLY, fields: KEYED, succeeds: 'data.success' },
  {
    service: 'Web3Forms',
    way: 'fetch',
    body: 'json',
    accepts: JSON_ONLY,
    fields: KEYED,
    succeeds: 'response.ok && data.success',
  },
  { service: 'Web3Forms', way: 'fetch', body: 'form-data', fields: KEYED, succeeds: 'data.success' },
  {
    service: 'Web3Forms',
    way: 'fetch',
    body: 'json',
    fields: { ...KEYED, botcheck: '' },
    succeeds: 'data.success === true',
  },
  { service: 'Web3Forms', way: 'fetch', body: 'json', fields: { ...KEYED, botcheck: false }, succeeds: 'data.success' },
  { service: 'Web3Forms', way: 'fetch', body: 'json', accepts: JSON_ONLY, fields: KEYED, succeeds: 'Boolean(data)' },
  {
    service: 'Web3Forms',
    way: 'fetch',
    body: 'json',
    accepts: JSON_ONLY,
    fields: KEYED,
    succeeds: 'status == 200 && data.message.length > 0',
  },
  { service: 'Web3Forms', way: 'axios', body: 'json', fields: KEYED, succeeds: 'data.success' },
  {
    service: 'Web3Forms',
    way: 'jquery',
    body: 'urlencoded',
    fields: { ...KEYED, botcheck: 'false' },
    succeeds: 'data.success',
  },
  { service: 'FormSubmit', way: 'fetch', body: 'json', accepts: JSON_ONLY, fields: HIDDEN, succeeds: 'response.ok' },
  {
    service: 'FormSubmit',
    way: 'fetch',
    body: 'json',
    accepts: JSON_ONLY,
    fields: HIDDEN,
    succeeds: 'data.success === "true" || response.ok',
  },
  {
    service: 'FormSubmit',
    way: 'fetch',
    body: 'form-data',
    accepts: JSON_ONLY,
    fields: HIDDEN,
    succeeds: 'response.ok',
  },
  {
    service: 'FormSubmit',
    way: 'jquery',
    body: 'urlencoded',
    accepts: JSON_ONLY,
    fields: HIDDEN,
    succeeds: 'data.success',
  },
  {
    service: 'FormSubmit',
    way: 'xhr',
    body: 'json',
    accepts: JSON_ONLY,
    fields: HIDDEN,
    succeeds: 'status >= 200 && status < 300',
  },
  {
    service: 'FormSubmit',
    way: 'fetch',
    body: 'json',
    accepts: JSON_ONLY,
    fields: HIDDEN,
    succeeds: 'String(data.success) === "true"',
  },
  {
    ...{ service: 'FormSubmit', way: 'fetch', body: 'json', accepts: JSON_ONLY, fields: HIDDEN },
    succeeds: 'data.success === "true"',
    exception: 'FormSubmit alone answers with a text, where Web3Forms has true: one answer cannot be both.',
  },
  { service: 'Basin', way: 'axios', body: 'json', succeeds: 'true' },
  { service: 'Basin', way: 'fetch', body: 'json', accepts: JSON_ONLY, succeeds: 'status === 200' },
  { service: 'Basin', way: 'jquery', body: 'urlencoded', suffix: '.json', succeeds: 'data.success' },
  { service: 'Basin', way: 'fetch', body: 'form-data', accepts: JSON_ONLY, suffix: '.json', succeeds: 'data.success' },
  {
    service: 'Basin',
    way: 'fetch',
    body: 'form-data',
    accepts: JSON_ONLY,
    fields: { _gotcha: '' },
    succeeds: 'response.ok',
  },
  { service: 'Getform', way: 'fetch', body: 'json', succeeds: 'response' },
  { service: 'Getform', way: 'fetch', body: 'json', succeeds: 'response.ok' },
  { service: 'Getform', way: 'axios', body: 'form-data', succeeds: 'true' },
  { service: 'Getform', way: 'axios', body: 'json', accepts: JSON_ONLY, succeeds: 'status === 200' },
  { service: 'Getform', way: 'fetch', body: 'form-data', accepts: JSON_ONLY, succeeds: 'data.success' },
  {
    service: 'Netlify',
    way: 'fetch',
    body: 'urlencoded',
    fields: { 'form-name': 'contact', 'bot-field': '' },
    succeeds: 'response',
  },
  { service: 'Netlify', way: 'fetch', body: 'urlencoded', fields: { 'form-name': 'contact' }, succeeds: 'response.ok' },
  {
    service: 'Netlify',
    way: 'fetch',
    body: 'form-data',
    fields: { 'form-name': 'contact' },
    succeeds: 'status === 200',
  },
  {
    service: 'Netlify',
    way: 'axios',
    body: 'urlencoded',
    fields: { 'form-name': 'contact' },
    succeeds: 'status === 200',
  },
];

/** The scripts of libraries, as far as forms use them. */
const LIBRARIES = `
const bodies = {
  'form-data': (fields) => { const body = new FormData(); for (const [name, value] of Object.entries(fields)) body.append(name, value); return { body }; },
  urlencoded: (fields) => ({ body: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' }),
  json: (fields) => ({ body: JSON.stringify(fields), type: 'application/json' }),
};
const request = (url, { body, type }, accept) => new Promise((resolve, reject) => {
  const xhr = new XMLHttpRequest();
  xhr.open('POST', url);
  if (type) xhr.setRequestHeader('Content-Type', type);
  if (accept) xhr.setRequestHeader('Accept', accept);
  xhr.onload = () => resolve(xhr);
  xhr.onerror = () => reject(new Error('network'));
  xhr.send(body);
});
const rejecting = (xhr) => { if (xhr.status < 200 || xhr.status >= 300) throw new Error(xhr.status); return { status: xhr.status, data: JSON.parse(xhr.responseText) }; };
const ways = {
  fetch: async (url, { body, type }, accept) => {
    const response = await fetch(url, { method: 'POST', body, headers: { ...(type && { 'Content-Type': type }), ...(accept && { Accept: accept }) } });
    return { response, status: response.status, data: await response.clone().json() };
  },
  xhr: async (...sent) => { const xhr = await request(...sent); return { status: xhr.status, data: JSON.parse(xhr.responseText) }; },
  axios: async (url, sent, accept = 'application/json, text/plain, */*') => rejecting(await request(url, sent, accept)),
  jquery: async (url, sent) => rejecting(await request(url, sent, 'application/json, text/javascript, */*; q=0.01')),
};
`;

const idOf = (index: number): string => `shape-${index}`;
const titleOf = ({ service, way, body, succeeds }: Shape): string => `${service}: ${way}, ${body}, if ${succeeds}`;

/** Sends a form, and settles with the text that its script shows. */
const SEND_FORM = `
const sendForm = (id) => new Promise((resolve) => {
  const form = document.getElementById(id);
  const output = form.querySelector('output');
  output.value = '';
  new MutationObserver((_, observer) => {
    if (output.value === '') return;
    observer.disconnect();
    resolve(output.value);
  }).observe(output, { childList: true, characterData: true, subtree: true });
  form.requestSubmit();
});
`;

/** The page with a form for each shape, which says how it went. */
function pageOf(action: string): string {
  const forms = SHAPES.map(({ way, body, accepts, fields, suffix = '', succeeds }, index) => {
    const sent = JSON.stringify({ email: 'ada@home.example', message: idOf(index), ...fields });
    return `<form id="${idOf(index)}"><button>Send</button><output></output></form><script>
document.getElementById('${idOf(index)}').addEventListener('submit', async (event) => {
  event.preventDefault();
  const shown = event.target.querySelector('output');
  try {
    const { response, status, data } = await ways['${way}']('${action}${suffix}', bodies['${body}'](${sent}), ${JSON.stringify(accepts)});
    shown.value = (${succeeds}) ? 'Thank you!' : 'Oops! ' + (data.errors ? data.errors.map((error) => error.message).join(', ') : data.message);
  } catch { shown.value = 'Oops!'; }
});</script>`;
  });
  return `<!doctype html><title>Site</title><script>${LIBRARIES}${SEND_FORM}</script>${forms.join('\n')}`;
}

describe.skipIf(!hasChromium())('forms made for other services', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let id: string;
  let site: Server;
  let siteUrl: string;
  let html = '';
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    ({ id } = await owner.deploy());
    await owner.change(id, { submissions_per_minute: 600 });
    site = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(request.url === '/contact/' ? html : `<!doctype html><title>At ${request.url}</title>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const address = site.address();
    siteUrl = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
    browser = await openBrowser();
    context = await browser.newContext();
    page = await context.newPage();
    html = pageOf(`${service.origin}/f/${id}`);
    await page.goto(`${siteUrl}/contact/`);
  });
  afterAll(async () => {
    await context?.close();
    site?.close();
    await service?.close();
  });

  /** Sends the form of a shape, and returns what its script shows. */
  const send = (index: number): Promise<string> => page.evaluate<string>(`sendForm('${idOf(index)}')`);
  const storedMessages = async (): Promise<string[]> => {
    const { text } = await owner.get(`/submissions/${id}/export.ndjson`).expect(200);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.message);
  };

  it('tell their visitors of a success, except those that are named with a reason', async () => {
    const shown = await Promise.all(SHAPES.map(async (shape, index) => [titleOf(shape), await send(index)]));
    expect(shown).toEqual(
      SHAPES.map((shape) => [titleOf(shape), shape.exception ? 'Oops! Submission received' : 'Thank you!']),
    );
    expect(SHAPES.filter(({ exception }) => exception)).toHaveLength(1);
    const messages = await storedMessages();
    expect(messages.toSorted()).toEqual(SHAPES.map((_, index) => idOf(index)).toSorted());
    expect((await owner.get(`/deploy/${id}/spam`)).body.total).toBe(0);
  });

  it('tell their visitors why nothing was sent', async () => {
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z', closed_message: 'Over until spring.' });
    const shown = await Promise.all(
      SHAPES.map(async ({ way, succeeds }, index) => ({ way, succeeds, text: await send(index) })),
    );
    await owner.change(id, { closes_at: null });
    const told = shown.filter(({ succeeds }) => succeeds !== 'response' && succeeds !== 'Boolean(data)');
    for (const { way, succeeds, text } of told) {
      // Neither a success of these, nor a promise that is kept.
      const isSilent = way === 'axios' || way === 'jquery' || succeeds.startsWith('new URL');
      expect([succeeds, text]).toEqual([succeeds, isSilent ? 'Oops!' : 'Oops! Over until spring.']);
    }
  });

  it.each([
    [
      'Formspree',
      '<input name="_gotcha" style="display:none"><input type="hidden" name="_next" value="/thanks.html">',
      '/thanks.html',
    ],
    [
      'FormSubmit',
      '<input type="hidden" name="_captcha" value="false"><input type="hidden" name="_next" value="sent.html">',
      '/contact/sent.html',
    ],
    [
      'Web3Forms',
      '<input type="hidden" name="access_key" value="k"><input type="hidden" name="redirect" value="../done">',
      '/done',
    ],
    [
      'Getform',
      '<input type="checkbox" name="botcheck" style="display:none"><input type="hidden" name="_redirect" value="?sent=1">',
      '/contact/?sent=1',
    ],
  ])('return to the page of their own site: %s', async (_service, inputs, path) => {
    html = `<!doctype html><title>Site</title><form method="post" action="${service.origin}/f/${id}"><input name="a">${inputs}<button>Send</button></form>`;
    const opened = await context.newPage();
    // Chromium sends only the origin of a page to another one, unless the page says otherwise.
    html = html.replace('<title>', '<meta name="referrer" content="no-referrer-when-downgrade"><title>');
    await opened.goto(`${siteUrl}/contact/`);
    await opened.getByRole('button').click();
    await opened.waitForURL(`${siteUrl}${path}`);
    await opened.close();
  });

  it('are thanked for where they name no page', async () => {
    html = `<!doctype html><title>Site</title><form method="post" action="${service.origin}/f/${id}" enctype="multipart/form-data"><input name="a"><button>Send</button></form>`;
    const opened = await context.newPage();
    await opened.goto(`${siteUrl}/contact/`);
    await opened.getByRole('button').click();
    await opened.getByRole('heading', { name: 'Thank you' }).waitFor();
    await opened.close();
  });

  it('work on a site of Netlify: without scripts on the page that the form names, and by a script that posts to the site', async () => {
    const { id: own, url } = await owner.deploy({
      html: `<!doctype html><title>Contact</title>
<form name="contact" method="post" action="/success" data-netlify="true" netlify-honeypot="company">
  <input type="hidden" name="form-name" value="contact"><p hidden><input name="company"></p>
  <input name="email" value="ada@home.example"><button>Send</button></form>`,
      files: { 'success.html': '<!doctype html><title>Sent</title><h1>We got it</h1>' },
    });
    const opened = await context.newPage();
    const sendForm = async (company: string) => {
      await opened.goto(url);
      await opened.locator('[name=company]').evaluate((input, text) => input.setAttribute('value', text), company);
      await opened.getByRole('button').click();
      await opened.waitForURL(`${url}/success`);
      await opened.getByRole('heading', { name: 'We got it' }).waitFor();
    };
    await sendForm('');
    await sendForm('Robots');
    await opened.goto(url);
    const byScript = await opened.evaluate<unknown>(`(async () => {
      const body = new URLSearchParams({ 'form-name': 'contact', email: 'bob@home.example' }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const answers = [await fetch('/', { method: 'POST', headers, body })];
      answers.push(await fetch(location.pathname, { method: 'POST', headers, body }));
      return answers.map(({ status, redirected }) => [status, redirected]);
    })()`);
    expect(byScript).toEqual([
      [200, false],
      [200, false],
    ]);
    await opened.close();
    expect((await owner.get(`/submissions/${own}`)).body.total).toBe(3);
    expect((await owner.get(`/deploy/${own}/spam`)).body.submissions).toMatchObject([{ reason: 'honeypot' }]);
  });
});
