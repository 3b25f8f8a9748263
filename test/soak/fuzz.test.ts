import { connect as connectSocket } from 'node:net';
import { expect, it } from 'vitest';
import { inParallel, ms, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { freePort } from '../support/process.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { testProcess } from '../support/test-process.ts';
import { BASE_URL, JSON_TYPE, PAGES_DOMAIN } from '../support/test-service.ts';

const REQUESTS = 20_000;
const WARM_UP = 6_000;
const AT_ONCE = 64;
const FORMS = 40;
/** When a client says that no more will come: so long after its bytes, or after the last that it was answered. */
const PATIENCE_MS = 200;
const QUIET_MS = 10;
/** The test leaves a connection that has not ended long after that. */
const END_MS = 10_000;
/** So many times as much memory as before. */
const HEAP_RATIO = 1.4;
const RESIDENT_RATIO = 1.8;
/** FUZZ_SEED=… makes a run again. */
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Pieces that have confused a reader of requests somewhere. */
const PIECES = [
  ...['\0', '\r\n', '\n', '\r\n\r\n', '\r', ' ', '\t', ':', ',', ';', '"', "'", '\\', '/', '//', '?', '#', '%', '%00'],
  ...['%ff', '%c0%af', '&', '=', '[', ']', '{', '}', '[[[[[[[[', '{"a":', '\\u0000', '\\ud800', '"\\udc00"', '1e999'],
  ...['-0', '123456789012345678901234567890', '__proto__', 'constructor', '_hp', 'a[50000000]', 'toString', '\ufeff'],
  ...['\u2028', 'é', '😀', '../', '..%2f', 'null', 'true', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 0\r\n'],
  ...['Content-Length: 99999999999999999999\r\n', 'Content-Length: -1\r\n', 'Host: \r\n', 'Host: a\r\n'],
  ...['Expect: 100-continue\r\n', 'Expect: x\r\n', 'Connection: upgrade\r\nUpgrade: websocket\r\n'],
  ...['Content-Encoding: gzip\r\n', 'Content-Encoding: br\r\n', 'charset=utf-16', 'Range: bytes=0-\r\n'],
  ...['Content-Type: multipart/form-data; boundary=""\r\n', 'If-None-Match: *\r\n', 'ffffffffffffffff\r\n'],
  ...['0\r\n\r\n', '--b', '--b--', '\r\n--b\r\n', 'Content-Disposition: form-data', 'name=', 'filename*=utf-8'],
  ...['HTTP/0.9', 'HTTP/2.0', 'GET', 'CONNECT', 'TRACE', 'PROPFIND', 'a'.repeat(300), `X: ${'y'.repeat(9_000)}\r\n`],
  ...['page=-1', 'limit=99999999999', "';--"],
].map((piece) => Buffer.from(piece));

/** A message with a few of its bytes flipped, removed, repeated, put elsewhere or added to. */
function mutate(message: Buffer, random: (below: number) => number): Buffer {
  let bytes = message;
  for (let left = 1 + random(4); left > 0; left -= 1) {
    const at = random(bytes.length + 1);
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at);
    const some = 1 + random(random(4) === 0 ? 400 : 8);
    const piece = PIECES[random(PIECES.length)] ?? Buffer.of();
    const ways = [
      [before, Buffer.of(random(256)), after.subarray(1)],
      [before, after.subarray(some)],
      [before, after.subarray(0, some), after],
      [after, before],
      [before, piece, after.subarray(some)],
      [before],
      ...[0, 1].map(() => [before, piece, after]),
    ];
    bytes = Buffer.concat(ways[random(ways.length)] ?? []);
  }
  return bytes;
}

type Message = { line: string; headers: Record<string, string>; body: string | Buffer };

/** The bytes of a request: as a rule its body is as long as it says, or in chunks. */
function bytesOf(line: Buffer, headers: Buffer, body: Buffer, isChunked: boolean): Buffer {
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const framed = isChunked
    ? [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from(body.length > 0 ? '\r\n0\r\n\r\n' : '\r\n')]
    : [body];
  return Buffer.concat([line, Buffer.from(' HTTP/1.1\r\n'), headers, Buffer.from(`${length}\r\n\r\n`), ...framed]);
}

/** A request with its body, its path, its headers or all of it mutated. */
function mutated(message: Message, random: (below: number) => number): Buffer {
  const line = Buffer.from(message.line);
  const headers = Buffer.from(
    Object.entries(message.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  );
  const body = Buffer.from(message.body);
  const isChunked = random(5) === 0;
  const what = random(10);
  if (what < 5 && body.length > 0) return bytesOf(line, headers, mutate(body, random), isChunked);
  if (what < 7) {
    // Nothing in it that would end it, or the request would be mutated as a whole.
    const path = mutate(line.subarray(line.indexOf('/') + 1), random)
      .toString('latin1')
      .replaceAll(/[\s\0]/g, '%20');
    return bytesOf(
      Buffer.from(`${line.subarray(0, line.indexOf('/') + 1)}${path}`, 'latin1'),
      headers,
      body,
      isChunked,
    );
  }
  if (what < 9) {
    const all = headers.toString('latin1').split('\r\n').filter(Boolean);
    const at = random(all.length);
    const [name = '', ...value] = (all[at] ?? '').split(':');
    const other = mutate(Buffer.from(value.join(':'), 'latin1'), random)
      .toString('latin1')
      .replaceAll(/[\r\n\0]/g, '');
    all[at] = `${name}:${other}`;
    return bytesOf(line, Buffer.from(`${all.join('\r\n')}\r\n`, 'latin1'), body, isChunked);
  }
  return mutate(bytesOf(line, headers, body, isChunked), random);
}

const randomBytes = (random: (below: number) => number): Buffer =>
  Buffer.from(Array.from({ length: 1 + random(300) }, () => random(256)));

const metricsPort = await freePort();
// No form that takes submissions has a webhook: nobody is sent what a mutated one would send.
const { service, newOwner } = await testProcess({
  ...{ LOG_LEVEL: 'error', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  ...measurable(metricsPort),
});

it('answers no mutated request and no raw bytes with a 5xx, lives on, and grows no more', async () => {
  const owner = await newOwner('owner');
  const forms: { id: string; slug: string }[] = [];
  for (let count = 0; count < FORMS; count += 1) forms.push(await owner.deploy());
  const quiet = await owner.deploy();
  const webhook = await owner.post(`/webhooks/${quiet.id}`).send({ url: 'http://127.0.0.1:9/' });
  const random = randomOf(SEED);

  const host = new URL(BASE_URL).host;
  const api = { Host: host };
  const keyed = { ...api, Authorization: `Bearer ${owner.key}` };
  const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const MULTIPART_TYPE = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const form = () => forms[random(forms.length)] ?? quiet;
  const page = () => ({ Host: `${form().slug}.${PAGES_DOMAIN}` });
  const fields = { name: 'Ada', 'e-mail': 'ada@example.org', many: [1, 2.5e3, null, true, { deep: ['x'] }], _hp: '' };
  const get = (path: string, headers: Record<string, string>): Message => ({ line: `GET ${path}`, headers, body: '' });
  const json = (line: string, body: object, headers: Record<string, string>): Message => ({
    ...{ line, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) },
  });
  const parts = multipartBody(
    ['name="a"', '1'],
    ['name="b"; filename="x.txt"', 'file'],
    ['name="a"', Buffer.of(0, 255, 10)],
  );
  const hooks = `/webhooks/${quiet.id}`;

  const messages: (() => Message | Buffer)[] = [
    () => json(`POST /submit/${form().id}`, fields, api),
    () => ({
      line: `POST /submit/${form().id}`,
      headers: { ...api, ...FORM_TYPE },
      body: 'a=1&b=%C3%A9&a=2&c[]=3&_hp=&d.e=+x',
    }),
    () => ({ line: `POST /submit/${form().id}`, headers: { ...api, ...MULTIPART_TYPE }, body: parts }),
    () => ({ line: 'POST /', headers: { ...page(), ...FORM_TYPE, Accept: 'text/html' }, body: 'a=1' }),
    () => get('/', { ...page(), 'Accept-Encoding': 'br, gzip' }),
    () => get('/', { ...page(), 'If-None-Match': '"x", W/"y"' }),
    () => ({
      line: `OPTIONS /submit/${form().id}`,
      headers: { ...api, 'Access-Control-Request-Headers': 'x-a' },
      body: '',
    }),
    () => json('POST /deploy', { html: '<title>Page</title>{{FORM_ACTION}}', slug: 'a-page' }, keyed),
    () => json(`PUT /deploy/${form().id}`, { html: '<p>é😀' }, keyed),
    () => json(`PATCH /deploy/${form().id}`, { email_notifications: false }, keyed),
    () => json(`POST ${hooks}`, { url: 'http://127.0.0.1:9/', type: 'slack', events: ['submission'] }, keyed),
    () => json(`PATCH ${hooks}/${webhook.body.id}`, { url: 'http://127.0.0.1:10/', active: true }, keyed),
    () => get(`/deploy/${form().id}`, keyed),
    () => ({ line: `DELETE /deploy/${quiet.id.slice(0, -1)}0`, headers: keyed, body: '' }),
    () => get(`/submissions/${form().id}?page=1&limit=50`, keyed),
    () => get(hooks, keyed),
    () => get(`${hooks}/${webhook.body.id}/deliveries?page=1&limit=5`, keyed),
    () => get('/healthz', api),
    () => Buffer.of(),
  ];

  const statuses = new Map<string, number>();
  const failures: { status: string; sent: string; answer: string }[] = [];
  let unanswered = 0;

  /** Sends bytes, and the end of them, and notes what is answered until the end. */
  const send = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(service.url);
      const chunks: Buffer[] = [];
      const socket = connectSocket(Number(port), hostname, () => socket.write(bytes));
      let ending = setTimeout(() => socket.end(), PATIENCE_MS);
      const timer = setTimeout(() => {
        unanswered += 1;
        socket.destroy();
      }, END_MS);
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        clearTimeout(ending);
        ending = setTimeout(() => socket.end(), QUIET_MS);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(timer);
        clearTimeout(ending);
        const answer = Buffer.concat(chunks).toString('latin1');
        for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status.startsWith('5')) failures.push({ status, sent: bytes.toString('latin1'), answer });
        }
        resolve();
      });
    });

  const lags: number[] = [];
  const health: number[] = [];
  const watching = new AbortController();
  const watch = async (): Promise<void> => {
    while (!watching.signal.aborted) {
      const { ms: took } = await timed(() =>
        fetch(`${service.url}/healthz`).then((response) => response.arrayBuffer()),
      );
      health.push(took);
      const metrics = await readMetrics(metricsPort);
      lags.push((metrics.get('nodejs_eventloop_lag_max_seconds') ?? Number.NaN) * 1_000);
    }
  };
  const fuzz = (count: number): Promise<void> =>
    inParallel(Array.from({ length: count }), AT_ONCE, async () => {
      const message = messages[random(messages.length)]?.();
      await send(message === undefined || Buffer.isBuffer(message) ? randomBytes(random) : mutated(message, random));
    });

  await fuzz(WARM_UP);
  const before = await footprint(service, metricsPort);
  const watched = watch();
  await fuzz(REQUESTS - WARM_UP);
  watching.abort();
  await watched;
  const after = await footprint(service, metricsPort);

  const longestLag = Math.max(...lags);
  const counts = [...statuses].toSorted().map(([status, count]) => `${count} of ${status}`);
  record('fuzz', {
    requests: `${REQUESTS} (seed ${SEED})`,
    'answers of 5xx': failures.length,
    'resident, MiB': `${before.residentMiB} to ${after.residentMiB}`,
    'heap, MiB': `${before.heapMiB} to ${after.heapMiB}`,
    descriptors: `${before.descriptors} to ${after.descriptors}`,
    'longest stall': ms(longestLag),
    'slowest /healthz': ms(Math.max(...health)),
    'never ended': unanswered,
    answered: counts.join(', '),
  });
  expect(failures.slice(0, 5)).toEqual([]);
  expect([service.child.exitCode, unanswered]).toEqual([null, 0]);
  expect(after.heapMiB).toBeLessThan(HEAP_RATIO * before.heapMiB);
  expect(after.residentMiB).toBeLessThan(RESIDENT_RATIO * before.residentMiB);
  const { code, stderr } = await service.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
