import { Agent, get as getHttp } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { median, ms, record, timed } from '../support/figures.ts';
import { startServiceProcess } from '../support/process.ts';
import { testProcess } from '../support/test-process.ts';
import { BASE_URL, PAGES_DOMAIN, UNKNOWN_ID, UNKNOWN_KEY } from '../support/test-service.ts';

/** Characters of what is generated. Node takes 16 KiB of headers, of which the others take the rest. */
const LENGTH = 15_500;
/** Requests of one place that are sent at once. */
const AT_ONCE = 6;
/** A wait that is looked into. */
const SUSPECT_MS = 30;
/** How often what looks slow is compared with what is harmless, and how many are sent at once then. */
const ROUNDS = 5;
const EQUAL = 3;
/** How many times as long as beside harmless requests /healthz may take. */
const MAX_RATIO = 20;
/** The test leaves a request that has no answer by then, such as one that never ends. */
const TIMEOUT_MS = 10_000;

/** Each is repeated. A target or a header leaves out a piece that it cannot have, or percent-encodes it. */
const PIECES = [
  ...[' ', '\t', ';', ',', '"', "'", '\\', '\\"', '=', '/', '%', '%41', '%2', '%22', '%25', '%ff', ':', '::'],
  ...['.', '-', '_', '[', ']', '(', ')', '{', '}', '<', '@', '&', '+', '*', '?', '#', '!', '$', '|', '~'],
  ...['\x80', 'é', '0', '1', 'a', 'a ', ' ;', '; ', ', ', 'a;', 'a=b;', 'a="b";', ';a="', '";"', 'a,', '"a",'],
  ...[',a="', 'a/b,', 'a/b;q=1,', '*/*,', '../', 'a/../', '//', 'a/', 'a&', 'a=&', 'a@', 'a:@', 'a:', '1:'],
  ...['1.', 'a.', 'xn--a0b9', '::1,', '127.0.0.1,', '::ffff:1.2.3.4,', '{"a":', '"a":1,', '[],', '"",', '1,'],
  ...['\\u0041', '\\ud800', '"_hp":"",', 'bytes=0-,', '0-,', '0-1,', 'no-cache ,', 'W/"a",', '\r\n', '\n'],
  ...['\r\n ', '\r\n--b', '\r\n--b ', '\r\n--b--x', '--b\r\n', '--', 'a: b\r\n'],
  ...['\r\nContent-Disposition: form-data'],
];

/** Letters that are all different, as far as there are so many: some algorithms compare each with each. */
const LETTERS = Array.from({ length: LENGTH }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7) % 20_000)));

/** The fillings for one place of a request: runs of each piece, ended in a few ways. */
const FILLINGS: readonly string[] = [
  ...PIECES.flatMap((piece) => {
    const run = piece.repeat(LENGTH / piece.length);
    return ['', 'y', '"'].map((end) => run + end);
  }),
  LETTERS.slice(0, LENGTH / 3).join(''),
  LETTERS.slice(0, LENGTH / 3)
    .map((letter, index) => (index % 20 === 0 ? '.' : letter))
    .join(''),
];

/** It believes proxies of these networks; the other believes as many proxies as can be configured. */
const { service, settings, newOwner } = await testProcess({ LOG_LEVEL: 'info', TRUST_PROXY: '127.0.0.0/8,::1/128' });
const trusting = await startServiceProcess({ ...settings, TRUST_PROXY: '99' });
afterAll(() => trusting.stop());
await trusting.ready();
const owner = await newOwner('owner');
const form = await owner.deploy();

type Headers = Readonly<Record<string, string>>;
/** A request with a filling in one place; undefined where it can't be. */
type Parser = (filling: string) => Buffer | undefined;

function write(method: string, target: string, headers: Headers, body = ''): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ Host: new URL(BASE_URL).host, 'Content-Length': `${bytes.length}`, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'), bytes]);
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };
const KEYED = { Authorization: `Bearer ${owner.key}` };
const KEYED_JSON = { ...KEYED, ...JSON_BODY };
const AT_PAGE = { Host: `${form.slug}.${PAGES_DOMAIN}` };
const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };
const BROWSER = { Accept: 'text/html' };
// A form that exists: the body of another one is not read.
const SUBMIT = `/submit/${form.id}`;
const POST = `POST ${SUBMIT}`;
const HOOK = `POST /webhooks/${form.id}`;
const DOCS = 'GET /docs/swagger-ui.css';

/** In a header, behind `prefix`. */
const inHeader =
  (line: string, name: string, prefix = '', headers: Headers = {}, body = ''): Parser =>
  (filling) => {
    const [method = '', target = ''] = line.split(' ');
    // The characters that a header can have (RFC 9110, 5.5).
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(filling)) return undefined;
    return write(method, target, { ...headers, [name]: prefix + filling }, body);
  };

/** In a target, behind `line`. */
const inTarget =
  (line: string, headers: Headers = {}): Parser =>
  (filling) => {
    const [method = '', target = ''] = line.split(' ');
    const encoded = filling.slice(0, LENGTH).replaceAll(/[^\x21-\x7e]/g, (letter) => encodeURIComponent(letter));
    return write(method, (target + encoded).slice(0, LENGTH), headers);
  };

/** In a body, between `before` and `behind`. */
const inBody =
  (line: string, headers: Headers, before = '', behind = ''): Parser =>
  (filling) => {
    const [method = '', target = ''] = line.split(' ');
    return write(method, target, headers, before + filling + behind);
  };

const submitted = (headers: Headers, before = '', behind = ''): Parser => inBody(POST, headers, before, behind);
/** A form that is thanked for, and not stored. */
const thanked = (headers: Headers, before: string, behind = ''): Parser =>
  inBody(`POST /submit/${form.id}`, { ...headers, ...BROWSER }, before, behind);
const part = (header: string, content = ''): string =>
  `--b\r\nContent-Disposition: form-data; ${header}\r\n\r\n${content}`;
const END = '\r\n--b--\r\n';
const submittedPart = (before: string, behind: string): Parser => submitted(MULTIPART, before, behind);

/** Each place of a request that is read before, or without, any limit. */
const PARSERS: Readonly<Record<string, Parser>> = {
  'Content-Type': inHeader(POST, 'Content-Type'),
  'Content-Type, a parameter': inHeader(POST, 'Content-Type', 'application/x-www-form-urlencoded;x=a'),
  'Content-Type, a quoted parameter': inHeader(POST, 'Content-Type', 'multipart/form-data;boundary="'),
  'Content-Type of the API': inHeader('POST /deploy', 'Content-Type', 'application/json;', KEYED, '{}'),
  'Content-Type of a browser': inHeader(POST, 'Content-Type', 'multipart/form-data;', BROWSER),
  'Accept of a form': inHeader(POST, 'Accept', '', FORM),
  'Accept of a form, quoted': inHeader(POST, 'Accept', 'text/html;a="', FORM),
  Accept: inHeader('GET /', 'Accept', 'text/html,'),
  'Accept-Encoding': inHeader('GET /', 'Accept-Encoding', '', AT_PAGE),
  'Accept-Encoding, quoted': inHeader('GET /', 'Accept-Encoding', 'br;a="', AT_PAGE),
  Authorization: inHeader('GET /deploy', 'Authorization'),
  'Authorization, a key': inHeader('GET /deploy', 'Authorization', 'Bearer fh_'),
  Host: inHeader('GET /', 'Host'),
  'Host of a page': (filling) => inHeader('GET /', 'Host', 'a')(`${filling}.${PAGES_DOMAIN}`),
  'Host of a port': inHeader('GET /', 'Host', 'a:'),
  'X-Forwarded-For': inHeader(POST, 'X-Forwarded-For', '', FORM),
  'X-Forwarded-For, IPv6': inHeader(POST, 'X-Forwarded-For', '::1', FORM),
  'X-Forwarded-For, brackets': inHeader(POST, 'X-Forwarded-For', '[', FORM),
  'X-Forwarded-For, a zone': inHeader(POST, 'X-Forwarded-For', 'fe80::1%', FORM),
  'X-Forwarded-For of an unknown key': inHeader('GET /deploy', 'X-Forwarded-For', '', {
    Authorization: `Bearer ${UNKNOWN_KEY}`,
  }),
  'If-None-Match of a page': inHeader('GET /', 'If-None-Match', '', AT_PAGE),
  'If-None-Match': inHeader('GET /openapi.json', 'If-None-Match'),
  'If-None-Match of a file': inHeader(DOCS, 'If-None-Match'),
  'If-Match': inHeader(DOCS, 'If-Match'),
  'If-Modified-Since': inHeader(DOCS, 'If-Modified-Since', 'Thu, '),
  'If-Unmodified-Since': inHeader(DOCS, 'If-Unmodified-Since', 'Thu, '),
  'If-Range': inHeader(DOCS, 'If-Range', '', { Range: 'bytes=0-1' }),
  Range: inHeader(DOCS, 'Range', 'bytes='),
  'Cache-Control': inHeader('GET /openapi.json', 'Cache-Control', 'no-cache', { 'If-None-Match': '"a"' }),
  Expect: inHeader(POST, 'Expect'),
  'Content-Encoding': inHeader(POST, 'Content-Encoding', '', FORM),
  'Content-Length': inHeader(POST, 'Content-Length', '0'),
  'Transfer-Encoding': inHeader(POST, 'Transfer-Encoding', 'chunked', { ...FORM, 'Content-Length': '0' }),
  Connection: inHeader('GET /healthz', 'Connection'),
  Upgrade: inHeader('GET /healthz', 'Upgrade', '', { Connection: 'upgrade' }),
  'Access-Control-Request-Headers': inHeader(`OPTIONS ${SUBMIT}`, 'Access-Control-Request-Headers'),
  'another header': inHeader(POST, 'X-Another', '', FORM),

  'a path': inTarget('GET /'),
  'a path of the API': inTarget('GET /deploy/', KEYED),
  'a path of submissions': inTarget('POST /submit/'),
  'a deep path': inTarget(`GET /webhooks/${UNKNOWN_ID}/a/deliveries/`, KEYED),
  'a path of a page': inTarget('GET /', AT_PAGE),
  'a path of no scheme': inTarget('GET //a@'),
  'an absolute target': inTarget('GET http://'),
  'the path of an absolute target': inTarget('GET http://a/'),
  'a query': inTarget('GET /deploy?', KEYED),
  page: inTarget('GET /deploy?page=', KEYED),
  limit: inTarget('GET /deploy?limit=1', KEYED),
  domain: inTarget('GET /internal/tls?domain=', { Host: 'localhost' }),
  'domain, IPv6': inTarget('GET /internal/tls?domain=[1::', { Host: 'localhost' }),

  'a JSON body': submitted(JSON_BODY),
  'a JSON value': submitted(JSON_BODY, '{"a":', '}'),
  'a JSON name': submitted(JSON_BODY, '{"', '":1}'),
  'a JSON string': submitted(JSON_BODY, '{"a":"', '"}'),
  'a JSON list': submitted(JSON_BODY, '{"a":[', '1]}'),
  'JSON members': submitted(JSON_BODY, '{', '"a":1}'),
  'a JSON honeypot': submitted(JSON_BODY, '{"_hp":[', '""]}'),
  'an urlencoded body': submitted(FORM),
  'an urlencoded body of a browser': submitted({ ...FORM, ...BROWSER }, '%ff='),
  _redirect: thanked(FORM, '_hp=x&_redirect='),
  '_redirect to a host': thanked(FORM, '_hp=x&_redirect=//'),
  '_redirect to a host of a scheme': thanked(FORM, '_hp=x&_redirect=https:'),
  '_redirect in multipart': thanked(
    MULTIPART,
    `${part('name="_hp"', 'x')}\r\n${part('name="_redirect"')}https://`,
    END,
  ),
  'a multipart body': submittedPart('', END),
  'a multipart epilogue': submittedPart('--b--', ''),
  'a first delimiter': submittedPart('--b', `\r\n${part('name="a"')}${END}`),
  'a last delimiter': submittedPart(`${part('name="a"')}\r\n--b--`, ''),
  "a part's header": submittedPart('--b\r\n', `\r\n\r\n${END}`),
  "a part's parameters": submittedPart('--b\r\nContent-Disposition: form-data', `\r\n\r\n${END}`),
  "a part's name": submittedPart('--b\r\nContent-Disposition: form-data; name="', `"\r\n\r\n${END}`),
  "a part's filename": submittedPart('--b\r\nContent-Disposition: form-data; name=a; filename="', `"\r\n\r\n${END}`),
  "a part's encoded filename": submittedPart(
    "--b\r\nContent-Disposition: form-data; name=a; filename*=utf-8''",
    `\r\n\r\n${END}`,
  ),
  "a part's charset": submittedPart(part('name=a\r\nContent-Type: text/plain; charset=').trimEnd(), `\r\n\r\n${END}`),
  'a part in base64': submittedPart(part('name=a\r\nContent-Transfer-Encoding: base64'), END),
  'a part in quoted-printable': submittedPart(part('name=a\r\nContent-Transfer-Encoding: quoted-printable'), END),
  "a part's type": submittedPart(`${part('name=a; filename=b\r\nContent-Type: a/b')}`.trimEnd(), `\r\n\r\n${END}`),
  "a part's content": submittedPart(part('name="a"'), END),
  'the content of a part with a long boundary': submitted(
    { 'Content-Type': `multipart/form-data; boundary=${'-'.repeat(70)}` },
    `--${'-'.repeat(70)}\r\nContent-Disposition: form-data; name=a\r\n\r\n`,
    `\r\n--${'-'.repeat(72)}`,
  ),

  'a page': inBody('PUT /deploy/x', KEYED_JSON, '{"html":"', '"}'),
  'a title': inBody('POST /deploy', KEYED_JSON, '{"html":"<title>', '","slug":"www"}'),
  'a slug': inBody('POST /deploy', KEYED_JSON, '{"html":"x","slug":"', '-"}'),
  settings: inBody(`PATCH /deploy/${form.id}`, KEYED_JSON, '{"email_notifications":[', '1]}'),
  'a webhook': inBody(HOOK, KEYED_JSON, '{"type":"x","url":"http://', '"}'),
  'events of a webhook': inBody(HOOK, KEYED_JSON, '{"url":"http://a/","events":[', '1]}'),
};

const statuses = new Map<string, number>();
/** The statuses of one test that no request here should get: it was a fault, or nobody read the request. */
const wrong = new Set<string>();

/** Sends a request, and ends when the answer begins; the status is '' when there is none. */
const send = (url: string, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    let status = '';
    const socket = connectSocket(Number(port), hostname, () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
    socket.once('data', (answer) => {
      status = answer.toString('latin1', 9, 12);
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(status);
    });
  });

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());
const askHealth = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    getHttp(`${url}/healthz`, { agent }, (response) => void response.resume().once('end', resolve)).once(
      'error',
      reject,
    );
  });

/** The longest that /healthz took, over a connection of its own, while these requests were answered. */
async function longestWait(url: string, requests: readonly Buffer[]): Promise<number> {
  let left = requests.length;
  const sending = requests.map(async (bytes) => {
    const status = await send(url, bytes);
    left -= 1;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status.startsWith('5') || status === '431') wrong.add(status);
  });
  let longest = 0;
  do longest = Math.max(longest, (await timed(() => askHealth(url))).ms);
  while (left > 0);
  await Promise.all(sending);
  // Nothing is left that the next ones would wait for.
  await askHealth(url);
  return longest;
}

/**
 * How long /healthz waits beside a few of one request, in the quickest of some rounds, and beside a harmless one as a
 * rule.
 */
async function compare(url: string, request: Buffer, harmless: Buffer): Promise<{ wait: number; usual: number }> {
  const waits: number[] = [];
  const usual: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    usual.push(await longestWait(url, Array(EQUAL).fill(harmless)));
    waits.push(await longestWait(url, Array(EQUAL).fill(request)));
  }
  // A request costs the same in each round; other load of the machine is in some rounds only.
  return { wait: Math.min(...waits), usual: median(usual) };
}

let kinds = 0;
let longest = 0;

/** The first filling that a parser stands still for, told in words; undefined when there is none. */
async function findSlow(url: string, parser: Parser): Promise<string | undefined> {
  const harmless = parser('a');
  if (!harmless) throw new Error('Not even a letter can be here');
  await longestWait(url, [harmless]);
  const all = FILLINGS.flatMap((filling) => {
    const request = parser(filling);
    return request ? [{ filling, request }] : [];
  });
  kinds += all.length;
  while (all.length > 0) {
    const some = all.splice(0, AT_ONCE);
    const wait = await longestWait(
      url,
      some.map(({ request }) => request),
    );
    if (wait <= SUSPECT_MS) {
      longest = Math.max(longest, wait);
      continue;
    }
    // It may have been any of them, or the machine.
    for (const { filling, request } of some) {
      const { wait, usual } = await compare(url, request, harmless);
      longest = Math.max(longest, wait);
      if (wait <= MAX_RATIO * usual) continue;
      const pieces = `${JSON.stringify(filling.slice(0, 20))}…${JSON.stringify(filling.slice(-3))}`;
      return `${pieces}: ${ms(wait)} beside ${EQUAL} of them, ${ms(usual)} beside harmless ones`;
    }
  }
  return undefined;
}

afterAll(() => {
  const counts = [...statuses].toSorted().map(([status, count]) => `${count} of ${status || 'none'}`);
  record('worst-requests', {
    'requests of 16 KB': `${kinds} in ${Object.keys(PARSERS).length} places, ${AT_ONCE} at once`,
    '/healthz waited at most': ms(longest),
    answered: counts.join(', '),
  });
});

it.each(Object.entries(PARSERS))('stands still for nothing in %s', async (name, parser) => {
  wrong.clear();
  // How many proxies are believed matters for these alone.
  const urls = name.startsWith('X-Forwarded-For') ? [service.url, trusting.url] : [service.url];
  for (const url of urls) expect(await findSlow(url, parser)).toBeUndefined();
  expect([...wrong]).toEqual([]);
});
