import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { testService } from '../../support/test-service.ts';

/*
 * A form that is remembered as being at its rate limit: which outcomes still win over the 429, and the bytes of the 429.
 */

const service = await testService({ MAX_FILE_BYTES: '2000' });
const owner = await service.owner({ plan: 'unlimited' });

const FORM = 'application/x-www-form-urlencoded';
const JSON_TEXT = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const KEY = { 'Idempotency-Key': 'k-17' };

type Sent = { query?: string; type?: string; body?: string | Buffer; headers?: Readonly<Record<string, string>> };

/** The bytes of a POST to a form's address. */
function requestTo(id: string, { query = '', type = JSON_TEXT, body = '{"city":"Utrecht"}', headers = {} }: Sent = {}) {
  const fields = { Host: 'api.test', 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`POST /submit/${id}${query} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ]);
}

/** Sends requests at once over one connection, the last of which closes it; all bytes of the answers. */
async function exchange(...requests: Buffer[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(Buffer.concat(requests));
  return text(socket);
}

const CLOSE = { Connection: 'close' };
const statusesOf = (answers: string): number[] =>
  Array.from(answers.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status));

async function send(id: string, sent: Sent = {}): Promise<{ status: number | undefined; answer: string }> {
  const answer = await exchange(requestTo(id, { ...sent, headers: { ...sent.headers, ...CLOSE } }));
  return { status: statusesOf(answer)[0], answer };
}

/** Brings a form to its limit, which the process then remembers. */
async function fill(id: string): Promise<void> {
  await setAccepted(service.db, id, 10);
  expect((await send(id)).status).toBe(429);
}

async function fullForm(settings: object = {}): Promise<string> {
  const { id } = await owner.deploy();
  if (Object.keys(settings).length > 0) await owner.change(id, settings).expect(200);
  await fill(id);
  return id;
}

/** The address and the fields of the form on a page that asks to send it again. */
function formIn(page: string): Sent {
  const [, query = ''] = /action="(\?attempt=[^"]*)"/.exec(page) ?? [];
  return { query, type: FORM, body: 'city=Utrecht', headers: { Accept: 'text/html' } };
}

type Winner = [what: string, status: number, code: string | undefined, sent: Sent, settings?: object];

/** What a submission to a full form gets in place of the 429. */
const WINNERS: Winner[] = [
  ['a delivery of the service', 508, 'webhook-loop', { headers: { 'formhost-delivery': 'dl_9' } }],
  ['JSON that is malformed', 400, 'bad-request', { body: '{"city":' }],
  ['JSON that is no object', 400, 'bad-request', { body: '["Utrecht"]' }],
  ['JSON that is too large', 413, 'too-large', { body: JSON.stringify({ city: 'u'.repeat(400_000) }) }],
  ['JSON that is not UTF-8', 400, 'bad-request', { body: Buffer.from('{"city":"\xfc"}', 'latin1') }],
  ['a form that is not UTF-8', 400, 'bad-request', { type: FORM, body: 'city=%fc' }],
  ['a multipart body without a boundary', 400, 'bad-request', { type: 'multipart/form-data', body: 'city' }],
  ['a content type that is not supported', 415, 'wrong-type', { type: 'text/csv', body: 'city' }],
  [
    'a content encoding that is not supported',
    ...([415, 'wrong-type', { headers: { 'Content-Encoding': 'zstd' } }] as const),
  ],
  [
    'a file that is too large',
    ...([413, 'too-large'] as const),
    { type: MULTIPART, body: multipartBody(['name="map"; filename="map.txt"', 'm'.repeat(2_001)]) },
  ],
  [
    'another origin',
    ...([403, 'origin-refused', { headers: { Origin: 'https://elsewhere.example' } }] as const),
    { allowed_origins: ['https://shop.example'] },
  ],
  ['a honeypot', 200, undefined, { body: '{"_hp":"me"}' }],
  ['a honeypot of another service', 200, undefined, { type: FORM, body: '_gotcha=me&city=Utrecht' }],
  ['a blocked word', 200, undefined, { body: '{"city":"jackpot"}' }, { spam: { blocklist: ['jackpot'] } }],
  ['a key that is malformed', 400, 'bad-request', { headers: { 'Idempotency-Key': 'k'.repeat(5_000) } }],
];

describe('a form that is remembered as full', () => {
  it.each(WINNERS)('answers first to %s', async (_what, status, code, sent, settings) => {
    const id = await fullForm(settings);
    const { status: answered, answer } = await send(id, sent);
    expect([answered, /^error-code: (.*)\r$/m.exec(answer)?.[1]]).toEqual([status, code]);
    expect((await send(id)).status).toBe(429);
  });

  it('answers a key of one that is stored as before, and that key with another body with 422', async () => {
    const { id } = await owner.deploy();
    const { answer: first } = await send(id, { headers: KEY });
    await fill(id);
    const { status, answer } = await send(id, { headers: KEY });
    expect([status, answer.split('\r\n\r\n')[1]]).toEqual([200, first.split('\r\n\r\n')[1]]);
    expect((await send(id, { headers: KEY, body: '{"city":"Delft"}' })).status).toBe(422);
    expect((await send(id, { headers: { 'Idempotency-Key': 'k-18' } })).status).toBe(429);
  });

  it('answers one that was stored and is sent again as a success', async () => {
    const id = await fullForm();
    const again = formIn((await send(id, formIn(''))).answer);
    expect((await send(id, again)).status).toBe(429);
    // The process forgets the limit when a setting changes.
    await setAccepted(service.db, id, 0);
    await owner.change(id, { submissions_per_minute: 10 }).expect(200);
    await expect.poll(async () => (await send(id, again)).status).toBe(303);
    await fill(id);
    expect((await send(id, again)).status).toBe(303);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
  });

  it('answers in order on one connection, which stays open', async () => {
    const id = await fullForm();
    const { id: other } = await owner.deploy();
    const large = requestTo(id, { body: JSON.stringify({ city: 'u'.repeat(100_000) }) });
    const answers = await exchange(
      requestTo(id),
      requestTo(other),
      large,
      requestTo(id, { body: '{"_hp":"me"}' }),
      requestTo(id, { headers: CLOSE }),
    );
    expect(statusesOf(answers)).toEqual([429, 200, 429, 200, 429]);
  });
});

const secondsIn = (answer: string): string => /^Retry-After: ([1-9][0-9]?)\r$/m.exec(answer)?.[1] ?? '';

/** The lines of an answer's head without those that differ from one answer to the next, and its body. */
function parts(answer: string): { head: string[]; body: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => !/^(?:Date: .+|x-request-id: [0-9a-z]+-[0-9a-z]+)$/.test(line));
  return { head: lines, body };
}

const headFor = (seconds: string): string[] => [
  'HTTP/1.1 429 Too Many Requests',
  'error-code: too-many-submissions',
  `Retry-After: ${seconds}`,
  'Access-Control-Allow-Origin: *',
  'Access-Control-Expose-Headers: Retry-After, error-code',
  'Vary: Accept',
];

describe('the 429 of a form that is remembered as full', () => {
  it.each([
    ['application/json; charset=utf-8', '*/*', '{"error":"Too many submissions: try again in SS seconds."}'],
    [
      'application/problem+json',
      'application/problem+json',
      '{"type":"http://api.test/docs/errors/too-many-submissions","title":"Too many submissions","status":429,' +
        '"detail":"Too many submissions: try again in SS seconds.","code":"too-many-submissions"}',
    ],
  ])('is %s, to the byte', async (type, accept, template) => {
    const id = await fullForm();
    for (let count = 0; count < 2; count += 1) {
      const { answer } = await send(id, { headers: { Accept: accept } });
      const seconds = secondsIn(answer);
      const body = template.replace('SS', seconds);
      const entity = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Cache-Control: no-store'];
      expect(parts(answer)).toEqual({ head: [...headFor(seconds), ...entity, 'Connection: close'], body });
    }
  });

  it('is a page for visitors, with the same headers', async () => {
    const id = await fullForm();
    const { answer } = await send(id, formIn(''));
    const { head, body } = parts(answer);
    const seconds = secondsIn(answer);
    expect(head.slice(0, 3)).toEqual(headFor(seconds).slice(0, 3));
    expect(head).toEqual(expect.arrayContaining([...headFor(seconds), `Content-Length: ${Buffer.byteLength(body)}`]));
    expect(body).toContain('<h1>Please wait a moment</h1>');
    expect(body).toContain(`="${seconds}"`);
  });

  it('says the seconds of each form', async () => {
    const [soon, late] = [await fullForm(), await fullForm()];
    await setAccepted(service.db, soon, 10, 50);
    await owner.change(soon, { submissions_per_minute: 10 }).expect(200);
    const secondsOf = async (id: string): Promise<number> => Number(secondsIn((await send(id)).answer));
    await expect.poll(() => secondsOf(soon)).toBeLessThanOrEqual(10);
    expect(await secondsOf(late)).toBeGreaterThan(await secondsOf(soon));
  });
});
