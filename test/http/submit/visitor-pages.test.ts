import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { HttpError } from '../../../src/http/response/errors.ts';
import type { Fields } from '../../../src/http/submit/form-body.ts';
import { VisitorPages } from '../../../src/http/submit/visitor-pages.ts';
import { bareRequest } from '../../support/bare-request.ts';
import { serve } from '../../support/http-server.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { idleApp } from '../../support/test-app.ts';
import { testLimits } from '../../support/test-limits.ts';
import { openSocket, PAGES_DOMAIN, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';
const TOO_LONG = `a=${'x'.repeat(256 * 1024)}`;

const JSON_TYPE = 'application/json; charset=utf-8';
const BROWSER = 'text/html,*/*;q=0.8';

const service = await testService({ MAX_FILE_BYTES: '2048', MAX_FILES_BYTES: '4096' }, undefined, {
  limits: { submissions: { lockedWaitTimeoutMs: 100 } },
});
const owner = await service.owner();

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };
type Sent = {
  host?: string | undefined;
  type?: string;
  accept?: string;
  body?: string | Buffer;
  url?: string;
  headers?: Record<string, string>;
};

async function ask(path: string, method: string, headers: Record<string, string>, { url = service.url, body }: Sent) {
  const answer = await bareRequest(url + path, { method, headers, body });
  return { ...answer, body: String(answer.body) };
}

const hostHeader = (host: string | undefined) => (host === undefined ? {} : { Host: host });

/** Posts a form, as a browser does unless told otherwise. */
function post(path: string, { host, type = FORM_TYPE, accept = BROWSER, headers: more, ...sent }: Sent = {}) {
  const headers = { ...hostHeader(host), 'Content-Type': type, Accept: accept, ...more };
  return ask(path, 'POST', headers, { body: 'a=1', ...sent });
}

/** Gets an address, as a browser does unless told otherwise. */
const get = (path: string, { host, method = 'GET', accept = BROWSER, ...sent }: Sent & { method?: string } = {}) =>
  ask(path, method, { ...hostHeader(host), Accept: accept }, sent);

const hostOf = (slug: string): string => `${slug}.${PAGES_DOMAIN}`;
const pageOf = (slug: string): string => `https://${hostOf(slug)}/`;

async function stored(id: string): Promise<unknown[]> {
  const { submissions }: { submissions: { data: unknown }[] } = (await owner.get(`/submissions/${id}`)).body;
  return submissions.map(({ data }) => data).reverse();
}

/** A deployment that takes no more for so many seconds. */
async function deployFull(seconds = 30) {
  const deployed = await owner.deploy();
  await setAccepted(service.db, deployed.id, 10, 60 - seconds);
  return deployed;
}

/** The control that keeps a text. */
const area = (name: string, value: string): string => `<textarea name="${name}" hidden>\n${value}</textarea>`;

const STYLE = /<style>([^<]*)<\/style>/;

/** Where a form that was kept is sent again: an id and a digest, which are others each time. */
const ATTEMPT = /action="\?attempt=sub_[0-9A-Za-z]{24}\.[\w-]{43}"/;

/** A page of ours in English: its title, without the name of the page, and what stands below it, the id and the digest of a form that was kept aside. */
function pageIn({ headers, body }: Answer): { title: string; content: string } {
  const style = STYLE.exec(body)?.[1] ?? '';
  const [, title = '', name, of, heading, content = ''] =
    /^<!doctype html>\n<html lang="en" dir="ltr">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>([^<]+?)(?: · ([^<]+))?<\/title>\n<link rel="icon" href="data:,">\n<style>[^<]*<\/style>\n<\/head>\n<body>\n<main>\n(?:<p class="of"><bdi>([^<]+)<\/bdi><\/p>\n)?<svg class="(?:done|wait|problem)" .*?<\/svg>\n<h1>([^<]+)<\/h1>\n(.*)\n<\/main>(?:\n<script>[^<]*<\/script>)?\n<\/body>\n<\/html>\n$/s.exec(
      body,
    ) ?? [];
  expect([heading, of]).toEqual([title, name]);
  const script = /<script>([^<]*)<\/script>/.exec(body)?.[1];
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scripts = script === undefined ? '' : ` script-src ${hashOf(script)};`;
  const policy = `${headers['content-security-policy']}`;
  expect(
    policy.startsWith(`default-src 'none'; style-src ${hashOf(style)}; img-src data:;${scripts} form-action `),
  ).toBe(true);
  return { title, content: content.replace(ATTEMPT, 'action="?attempt"') };
}

/** The headers of an answer except those of the connection and the request. */
function saidIn({ status, headers }: Answer) {
  const { date, connection, 'x-request-id': requestId, 'error-code': code, ...said } = headers;
  expect([requestId, code !== undefined]).toEqual([expect.stringMatching(/\S/), status >= 400]);
  return said;
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After, error-code' };
const pageHeaders = ({ body }: Answer, formAction: string) => ({
  'cache-control': 'no-store',
  'content-length': String(Buffer.byteLength(body)),
  'content-security-policy': expect.stringMatching(
    new RegExp(
      `^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action ${formAction}; base-uri 'none'$`,
    ),
  ),
  'content-type': 'text/html; charset=utf-8',
  'origin-agent-cluster': '?1',
  'x-content-type-options': 'nosniff',
});

/** The headers of the page of an error. They vary because a client may ask for the error as a document. */
const errorHeaders = (...page: Parameters<typeof pageHeaders>) => ({ ...pageHeaders(...page), vary: 'Accept' });

const BACK = (slug: string): string => `<p><a href="${pageOf(slug)}">Back to the page</a></p>`;
const GO_BACK = '<p>Go back in your browser: what you filled in should still be there.</p>';
/** Returns cases for both hosts: the path, the host of the page, and the headers that only answers of the API have. */
function onBothHosts(path: string, ownPath: string, slug: string) {
  const ofApi = [path, undefined, CORS] as const;
  return [ofApi, [ownPath, hostOf(slug), {}] as const];
}
/** Where a browser is sent after a success, and with which headers. */
const thanksAt = (location: string, cors: object) => [
  303,
  '',
  { location, 'cache-control': 'no-store', 'content-length': '0', ...cors },
];

const sentence = { error: expect.stringMatching(/\S/) };
const accepted = { message: 'Submission received', id: expect.stringMatching(/^sub_[0-9A-Za-z]{20,}$/) };
const PARTS = { type: MULTIPART_TYPE, body: multipartBody(['name="a"', '1']) };

/** The status for each way to send a form. */
const OUTCOMES: readonly [string, Sent, number][] = [
  ['accepted', { body: 'a=1&b=2' }, 303],
  ['accepted (multipart)', PARTS, 303],
  ['a trap sprung', { body: 'a=1&_hp=x' }, 303],
  ['too large', { body: TOO_LONG }, 413],
  ['not UTF-8', { body: 'a=%ff' }, 400],
  ['no form', { type: 'text/plain' }, 415],
  ['JSON', { type: 'application/json', body: '{"a":1}' }, 200],
];
const isFormEncoded = ({ type = FORM_TYPE }: Sent): boolean => type.includes('form');

describe('a form sent by a browser that shows the answer', () => {
  it.each(OUTCOMES)(
    'is answered with a page, or led to one, if it is form-encoded: %s',
    async (_what, sent, status) => {
      const { id, slug } = await owner.deploy();
      for (const [path, host, cors] of onBothHosts(`/submit/${id}?from=there`, '/', slug)) {
        const answer = await post(path, { ...sent, host });
        expect(answer.status).toBe(status);
        if (!isFormEncoded(sent)) {
          const json = status === 200 ? accepted : sentence;
          expect([answer.headers['content-type'], JSON.parse(answer.body)]).toEqual([JSON_TYPE, json]);
        } else if (status === 303) {
          const location = host === undefined ? `/submit/${id}/thanks` : '/thanks';
          expect([answer.status, answer.body, saidIn(answer)]).toEqual(thanksAt(location, cors));
        } else {
          const { 'accept-encoding': advice, ...said } = saidIn(answer);
          expect(said).toEqual({ ...errorHeaders(answer, "'none'"), ...cors });
          expect(pageIn(answer).content).toContain(`\n${GO_BACK}\n${BACK(slug)}`);
        }
      }
    },
  );

  it('is none whose Accept does not name text/html', async () => {
    const { id, slug } = await owner.deploy();
    for (const host of [undefined, hostOf(slug)]) {
      const answer = await post(host === undefined ? `/submit/${id}` : '/', { host, accept: '*/*' });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, accepted]);
      const length = String(answer.body.length);
      const said = { 'content-type': JSON_TYPE, 'content-length': length, 'cache-control': 'no-store' };
      expect(saidIn(answer)).toEqual({ ...said, ...(host === undefined ? CORS : {}) });
    }
    const refused = await post(`/submit/${UNKNOWN_ID}`, { accept: '*/*' });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([404, sentence]);
  });

  it.each([UNKNOWN_ID, '%00'])('gets a page for the form %s, which is none', async (id) => {
    const answer = await post(`/submit/${id}`);
    expect([answer.status, saidIn(answer)]).toEqual([404, { ...errorHeaders(answer, "'none'"), ...CORS }]);
    const content = '<p>The page it belongs to is no longer online. Nothing was sent.</p>';
    expect(pageIn(answer)).toEqual({ title: 'This form is not available', content });
  });

  it('gets a page when the head of its request is refused', async () => {
    const { id } = await owner.deploy();
    const answer = await post(`/submit/${id}`, { headers: { Expect: 'a miracle' } });
    expect([answer.status, pageIn(answer).title]).toEqual([417, 'Your message could not be sent']);
  });
});

describe('the page of a form that is full', () => {
  const words = (seconds: string): string => {
    const counted = `<span role="timer" data-seconds="${Number.parseInt(seconds, 10)}">in ${seconds}</span>`;
    return `<p>Too many people sent this form in the last minute.<span data-without-script> Please try again in ${seconds}.</span><span data-with-script hidden> The form is sent again by itself ${counted}.</span></p>`;
  };
  const kept = (enctype: string, controls: string): string =>
    `<p>What you filled in has been kept.</p>\n<form method="post" action="?attempt" enctype="${enctype}" autocomplete="off" data-auto>\n${controls}${controls && '\n'}<button>Send it again</button>\n</form>`;
  const seconds = ({ headers }: Answer): string => `${headers['retry-after']} seconds`;

  it('says when to try again and keeps what was filled in, on both hosts, from memory too', async () => {
    const { id, slug } = await deployFull();
    for (const [path, host, cors] of onBothHosts(`/submit/${id}`, '/?x', slug)) {
      for (const _time of ['first', 'second']) {
        const answer = await post(path, { host, body: 'a=1&_redirect=/%23ok&_hp=' });
        expect([answer.status, answer.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]\d?$/)]);
        const { 'retry-after': retryAfter, ...said } = saidIn(answer);
        // pageIn() compares the policy, which allows the script that counts down.
        const headers = errorHeaders(answer, `'self' https://${hostOf(slug)}`);
        expect(said).toEqual({ ...headers, ...cors, 'content-security-policy': expect.stringContaining('script-src') });
        const controls = [area('a', '1'), area('_redirect', '/#ok'), area('_hp', '')].join('\n');
        expect(pageIn(answer)).toEqual({
          title: 'Please wait a moment',
          content: `${words(seconds(answer))}\n${kept(FORM_TYPE, controls)}\n${BACK(slug)}`,
        });
      }
    }
  });

  it.each<[string, string, string[]]>([
    [
      'markup and line breaks',
      'a=%3C/textarea%3E%3Cscript%3E%26amp;&n%22%20autofocus%20onfocus=%22%27&b=%0D%0Ax%0D%0A&p=$%26$1$`',
      [
        ...[area('a', '&lt;/textarea&gt;&lt;script&gt;&amp;amp;'), area('n&quot; autofocus onfocus', '&quot;&#39;')],
        ...[area('b', '\r\nx\r\n'), area('p', '$&amp;$1$`')],
      ],
    ],
    [
      'special names, repeats, and NUL, which HTML does not have',
      '__proto__=1&_charset_=x&10=a&2=b&10=c&a%00b=c%00%00',
      [
        ...[area('__proto__', '1'), area('_charset_', 'x'), area('10', 'a'), area('2', 'b'), area('10', 'c')],
        area('a\uFFFDb', 'c\uFFFD\uFFFD'),
      ],
    ],
    ['nothing', '', []],
  ])('keeps %s', async (_what, body, controls) => {
    const { id } = await deployFull();
    const answer = await post(`/submit/${id}`, { body });
    expect(pageIn(answer).content).toContain(`\n${kept(FORM_TYPE, controls.join('\n'))}\n`);
  });

  it('keeps no more than 16 MiB, of all pages on their way together', async () => {
    const pages = new VisitorPages(idleApp(loadConfig({ PAGES_DOMAIN: 'pages.test', BASE_URL: 'http://api.test' })));
    const { url } = await serve((request, response) => {
      const fields: Fields = [['a', 'x'.repeat(Number(request.url?.slice(1)))]];
      const resubmission = { id: 'sub_x', isRetry: false, links: { resubmission: () => 'signature' } };
      const visitor = { enctype: FORM_TYPE, isOnPage: false, slug: 'a', page: undefined, fields, resubmission };
      const refusal = { kind: 'unavailable', error: undefined, form: undefined } as const;
      pages.refuse(response, visitor, { refusal, error: new HttpError(503, '') }, {});
    });
    const isKept = async (chars: number): Promise<boolean> => {
      const body = await (await fetch(`${url}/${chars}`)).text();
      expect(body.includes(GO_BACK)).toBe(!body.includes('<textarea'));
      return body.includes('<textarea');
    };
    const most = testLimits().submissions.maxKeptFormChars - 1;
    expect([await isKept(most + 1), await isKept(most)]).toEqual([false, true]);
    await expect.poll(() => isKept(1)).toBe(true);
    // One who does not read on keeps the others' from being kept, until they leave.
    const slow = openSocket(url);
    slow.write(`GET /${most} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(slow, 'readable');
    expect(await isKept(1)).toBe(false);
    slow.destroy();
    await expect.poll(() => isKept(1)).toBe(true);
  });
});

describe('the page of a service that cannot take a form', () => {
  it('keeps what was filled in while the deployment is held', async () => {
    const { id, slug } = await owner.deploy();
    await service.db.transaction(async (transaction) => {
      await transaction.raw('SELECT FROM deployments WHERE id = ? FOR UPDATE', [id]);
      const answer = await post(`/submit/${id}`, { body: 'a=1&_redirect=/' });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
      const { 'retry-after': retryAfter, ...said } = saidIn(answer);
      expect(said).toEqual({ ...errorHeaders(answer, `'self' https://${hostOf(slug)}`), ...CORS });
      expect(pageIn(answer)).toEqual({
        title: 'Your message could not be sent yet',
        content: `<p>The service is busy right now. Please try again in 2 seconds.</p>\n<p>What you filled in has been kept.</p>\n<form method="post" action="?attempt" enctype="application/x-www-form-urlencoded" autocomplete="off">\n<textarea name="a" hidden>\n1</textarea>\n<textarea name="_redirect" hidden>\n/</textarea>\n<button>Send it again</button>\n</form>\n${BACK(slug)}`,
      });
    });
    expect(await stored(id)).toEqual([]);
  });

  it('keeps it too when something unforeseen has happened', async () => {
    const { id, slug } = await owner.deploy();
    await service.db.raw('ALTER TABLE submissions RENAME TO gone');
    onTestFinished(async () => void (await service.db.raw('ALTER TABLE gone RENAME TO submissions')));
    for (const [path, host] of [[`/submit/${id}`], ['/', hostOf(slug)]] as const) {
      const answer = await post(path, { host });
      expect([answer.status, pageIn(answer).title]).toEqual([500, 'Something went wrong']);
      expect(answer.body).toContain(area('a', '1'));
      const json = await post(path, { host, accept: '*/*' });
      expect([json.status, json.body]).toEqual([500, '{"error":"Internal server error"}']);
    }
  });
});

describe('_redirect', () => {
  it('sends a browser on with 303, a robot just the same, and is stored like any other field', async () => {
    const { id, slug } = await owner.deploy();
    const body = 'a=1&_redirect=%2F%3Fsent%3D1%23thanks';
    const multipart = multipartBody(['name="a"', '1'], ['name="_redirect"', '/?sent=1#thanks']);
    for (const [path, host, cors] of onBothHosts(`/submit/${id}`, '/', slug)) {
      for (const sent of [{ body }, { body: `_hp=x&${body}` }, { type: MULTIPART_TYPE, body: multipart }]) {
        const answer = await post(path, { ...sent, host });
        expect([answer.status, answer.body, saidIn(answer)]).toEqual(thanksAt(`${pageOf(slug)}?sent=1#thanks`, cors));
      }
    }
    expect(await stored(id)).toEqual(Array(4).fill({ a: '1', _redirect: '/?sent=1#thanks' }));
  });
});

describe('the page that thanks', () => {
  it('is a page of its own on both hosts, with a link back', async () => {
    const { id, slug } = await owner.deploy();
    const thanks = { title: 'Thank you', content: `<p>Your message has been sent.</p>\n${BACK(slug)}` };
    for (const [path, host, cors] of onBothHosts(`/submit/${id}/thanks`, '/thanks?from=there', slug)) {
      const answer = await get(path, { host });
      const said = { ...pageHeaders(answer, "'none'"), ...cors };
      expect([answer.status, pageIn(answer), saidIn(answer)]).toEqual([200, thanks, said]);
      // Whatever is accepted: it is what a script finds at the end of the redirect.
      expect((await get(path, { host, accept: '*/*' })).body).toBe(answer.body);
      const head = await get(path, { host, method: 'HEAD' });
      expect([head.status, head.body, saidIn(head)]).toEqual([200, '', saidIn(answer)]);
    }
  });

  it('is a 404 page where there is no form, and once it was deleted', async () => {
    const { id, slug } = await owner.deploy();
    const thanked = async () => (await get('/thanks', { host: hostOf(slug) })).status;
    expect([(await get(`/submit/${id}/thanks`)).status, await thanked()]).toEqual([200, 200]);
    await owner.delete(`/deploy/${id}`).expect(200);
    for (const gone of [id, UNKNOWN_ID, 'nonsense', '%00']) {
      const answer = await get(`/submit/${gone}/thanks`);
      expect([answer.status, pageIn(answer).content]).toEqual([
        404,
        '<p>The page it belongs to is no longer online.</p>',
      ]);
    }
    expect(await thanked()).toBe(404);
    expect((await get('/thanks', { host: 'a.b.pages.test' })).status).toBe(404);
  });

  it('thanks even when the form cannot be looked up', async () => {
    // A form that is not in memory.
    const { id } = await owner.deploy();
    await service.db.raw('ALTER TABLE pages RENAME TO gone');
    onTestFinished(async () => void (await service.db.raw('ALTER TABLE gone RENAME TO pages')));
    const answer = await get(`/submit/${id}/thanks`);
    expect([answer.status, pageIn(answer).content]).toEqual([200, '<p>Your message has been sent.</p>']);
  });
});

describe('a form without method="post"', () => {
  it.each(['GET', 'HEAD'])(
    'gets a page that says what is wrong, and nothing of what was filled in: %s',
    async (method) => {
      const { id, slug } = await owner.deploy();
      const answer = await get(`/submit/${id}?name=secret&text=%3Cb%3E`, { method });
      const { allow, 'referrer-policy': referrer, ...said } = saidIn(answer);
      expect([answer.status, allow, referrer]).toEqual([405, 'OPTIONS, POST', 'no-referrer']);
      if (method === 'HEAD') {
        expect([answer.body, said['content-type']]).toEqual(['', 'text/html; charset=utf-8']);
        return;
      }
      expect(said).toEqual(errorHeaders(answer, "'none'"));
      expect(pageIn(answer)).toEqual({
        title: 'This form could not be sent',
        content: `<p>The form is not set up correctly. Nothing was sent.</p>\n${BACK(slug).replace('<a', '<a class="button"')}\n<p class="note">If you made this page: add <code dir="ltr">method=&quot;post&quot;</code> to the <code dir="ltr">&lt;form&gt;</code> tag of the form.</p>`,
      });
      expect(await stored(id)).toEqual([]);
    },
  );

  it('gets the page where there is no such form, too', async () => {
    const answer = await get(`/submit/${UNKNOWN_ID}?a=1`);
    expect([answer.status, pageIn(answer).title]).toEqual([405, 'This form could not be sent']);
  });
});

describe('/favicon.ico of a page', () => {
  it('is nothing, for a day, wherever there is a page and where there is none', async () => {
    const { slug } = await owner.deploy();
    for (const host of [hostOf(slug), hostOf('nobody')]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get('/favicon.ico', { host, method });
        expect([answer.status, answer.body]).toEqual([204, '']);
        expect(saidIn(answer)).toEqual({ 'cache-control': 'public, max-age=86400' });
      }
      expect((await get('/favicon.ico', { host, method: 'PUT' })).status).toBe(404);
    }
  });
});

describe('the page of a form whose files are too large', () => {
  const MULTIPART = { type: MULTIPART_TYPE };
  const KEPT =
    '<p>What you filled in has been kept. Files are not kept: please choose them again, or send the form without them.</p>';
  const form = (controls: string): string =>
    `<form method="post" action="?attempt" enctype="multipart/form-data" autocomplete="off">\n${controls}\n<button>Send</button>\n</form>`;

  it('names the file and keeps the texts, before and after it', async () => {
    const { id, slug } = await owner.deploy();
    const body = multipartBody(
      ['name="a"', '1'],
      ['name="big"; filename="photo.png"', 'x'.repeat(2_049)],
      ['name="ok"; filename="cv.pdf"', 'y'],
      ['name="none"; filename=""', ''],
      ['name="b"', '2'],
    );
    const answer = await post(`/submit/${id}`, { ...MULTIPART, body });
    const input = (name: string, id: string, label: string): string =>
      `<p><label for="${id}">${label}</label>\n<input type="file" name="${name}" id="${id}"></p>`;
    const controls = [
      ...[area('a', '1'), input('big', 'file1', 'Choose again: <bdi>photo.png</bdi>')],
      ...[input('ok', 'file2', 'Choose again: <bdi>cv.pdf</bdi>'), area('none', ''), area('b', '2')],
    ].join('\n');
    const content = `<p>The file <bdi>photo.png</bdi> is larger than 2 kB.</p>\n${KEPT}\n${form(controls)}\n${BACK(slug)}`;
    expect([answer.status, pageIn(answer)]).toEqual([413, { title: 'This is too large to send', content }]);
    expect(answer.headers['content-security-policy']).toContain(`form-action 'self' https://${hostOf(slug)};`);
    const json = await post(`/submit/${id}`, { ...MULTIPART, body, accept: '*/*' });
    expect([json.status, json.body]).toEqual([
      413,
      '{"error":"A file is too large: send at most 2048 bytes in each."}',
    ]);
  });

  const LONG = '😀'.repeat(500);

  it.each<[string, string | string[], number, string]>([
    ['all together too large', 'abc', 2_000, 'Together, the files are larger than 4 kB.'],
    ['too many', 'abcdefghijk', 0, 'No more than 10 files can be sent at once.'],
    ['with a very long name', [LONG], 3_000, `The file <bdi>${LONG.slice(0, 160)}…</bdi> is larger than 2 kB.`],
  ])('says why: %s', async (_what, names, size, words) => {
    const parts = Array.from(names, (name): [string, string] => [`name="f"; filename="${name}"`, 'x'.repeat(size)]);
    const { id } = await owner.deploy();
    const body = multipartBody(...parts);
    const answer = await post(`/submit/${id}`, { ...MULTIPART, body });
    expect([answer.status, pageIn(answer).content.split('\n')[0]]).toEqual([413, `<p>${words}</p>`]);
    expect(answer.body).toContain(
      parts.length > 1 ? '<input type="file" name="f" multiple id="file1">' : ' id="file1">',
    );
  });

  it('offers no files to a form that may have none', async () => {
    const { url } = await service.another({ MAX_FILE_BYTES: '0' });
    const { id } = await owner.deploy();
    const body = multipartBody(['name="a"', '1'], ['name="f"; filename="a.txt"', 'x']);
    const answer = await post(`/submit/${id}`, { ...MULTIPART, url, body });
    expect(pageIn(answer).content).toContain(
      `<p>This form cannot receive files.</p>\n<p>What you filled in has been kept.</p>\n${form('<textarea name="a" hidden>\n1</textarea>\n<textarea name="f" hidden>\n</textarea>')}`,
    );
  });

  const FAR_TOO_LARGE = 'x'.repeat(3 * 1024 * 1024);

  it('is a short one for an upload that far exceeds all limits', async () => {
    const { id, slug } = await owner.deploy();
    const body = multipartBody(['name="a"', '1'], ['name="f"; filename="film.mp4"', FAR_TOO_LARGE]);
    const answer = await post(`/submit/${id}`, { ...MULTIPART, body });
    const content = `<p>Please shorten what you wrote, or choose smaller files.</p>\n${GO_BACK}\n${BACK(slug)}`;
    expect([answer.status, pageIn(answer)]).toEqual([413, { title: 'This is too large to send', content }]);
  });

  it('comes before the upload, as JSON does', async () => {
    const { id } = await owner.deploy();
    const { length } = FAR_TOO_LARGE;
    for (const accept of [BROWSER, '*/*']) {
      const socket = openSocket(service.url);
      socket.write(
        `POST /submit/${id} HTTP/1.1\r\nHost: api.test\r\nAccept: ${accept}\r\nContent-Type: ${MULTIPART_TYPE}\r\nContent-Length: ${length}\r\n\r\n`,
      );
      const [head] = await once(socket, 'data');
      expect(String(head)).toMatch(/^HTTP\/1\.1 413 /);
    }
  });
});

describe('the look of the small pages', () => {
  it("is that of a page host's errors", async () => {
    const { slug } = await owner.deploy();
    const answer = await post('/other', { host: hostOf(slug), accept: '*/*' });
    expect(saidIn(answer)).toEqual(pageHeaders(answer, "'none'"));
    expect([answer.status, pageIn(answer)]).toEqual([
      404,
      { title: 'Page not found', content: '<p>There is no page at this address.</p>' },
    ]);
  });
});
