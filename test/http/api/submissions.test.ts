import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aTime } from '../../support/answers.ts';
import { asOwner, type Owner, startTestService, type TestService } from '../../support/service.ts';

type Submission = { id: string; data: unknown; ip_address: string; created_at: string };
type Listed = { submissions: Submission[]; total: number; page: number; limit: number };

const STORED = 123;

let service: TestService;
let owner: Owner;
/** A deployment with 123 submissions, `{"n":1}` to `{"n":123}`, and their ids, newest first. */
let full: string;
let ids: string[];
let span: [start: number, end: number];

beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
  full = await deploy();
  ids = [];
  const start = Date.now();
  for (let n = 1; n <= STORED; n += 1) {
    if (n % 10 === 1) await service.db('deployments').where({ id: full }).update({ recent_submissions: [] });
    ids.unshift(await submit(full, { data: { n } }));
  }
  span = [start, Date.now()];
});
afterAll(() => service.close());

const deploy = async (): Promise<string> => (await owner.deploy()).id;

/** Submits to a deployment; the submission's id. */
async function submit(
  id: string,
  {
    data = {},
    url = service.url,
    headers = {},
  }: { data?: object; url?: string; headers?: Record<string, string> } = {},
): Promise<string> {
  const response = await fetch(`${url}/submit/${id}`, {
    method: 'POST',
    body: JSON.stringify(data),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`POST /submit answered ${response.status}: ${text}`);
  return JSON.parse(text).id;
}

/** What GET answers with 200. */
async function list(query = '', id = full): Promise<Listed> {
  const response = await owner.get(`/submissions/${id}${query}`);
  if (response.status !== 200) throw new Error(`GET /submissions answered ${response.status}: ${response.text}`);
  return response.body;
}

/** What the submissions numbered from `newest` down to `oldest` are listed as. */
const expected = (newest: number, oldest: number): Submission[] =>
  ids.slice(STORED - newest, STORED - oldest + 1).map((id, index) => ({
    id,
    data: { n: newest - index },
    ip_address: '127.0.0.1',
    created_at: aTime,
  }));

describe('GET /submissions/:deployId', () => {
  it('answers a page of 50, newest first, in the order of acceptance', async () => {
    expect(await list()).toEqual({ submissions: expected(123, 74), total: STORED, page: 1, limit: 50 });
  });

  it('answers exactly the fields of the interface, as JSON that no cache keeps', async () => {
    const response = await owner.get(`/submissions/${full}?limit=1`);
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(response.body).toStrictEqual({ submissions: expected(123, 123), total: STORED, page: 1, limit: 1 });
  });

  it('answers an empty list for a deployment without submissions', async () => {
    expect(await list('', await deploy())).toEqual({ submissions: [], total: 0, page: 1, limit: 50 });
  });

  it.each<[string, number, number, number, number]>([
    ['?page=1&limit=10', 123, 114, 1, 10],
    ['?page=2', 73, 24, 2, 50],
    ['?page=3', 23, 1, 3, 50],
    ['?limit=100', 123, 24, 1, 100],
    ['?limit=101', 123, 24, 1, 100],
    ['?limit=2147483647', 123, 24, 1, 100],
    ['?page=2&limit=500', 23, 1, 2, 100],
    ['?page=13&limit=10', 3, 1, 13, 10],
    ['?limit=1&page=123', 1, 1, 123, 1],
    ['?page=002&limit=0050', 73, 24, 2, 50],
    ['?page=%32', 73, 24, 2, 50],
    ['?', 123, 74, 1, 50],
    ['?Page=x&pages=0&page%5B%5D=2&limit%5Ba%5D=3&other', 123, 74, 1, 50],
  ])('answers %s with numbers %i to %i, page %i and limit %i', async (query, newest, oldest, page, limit) => {
    expect(await list(query)).toEqual({ submissions: expected(newest, oldest), total: STORED, page, limit });
  });

  it.each<[string, number, number]>([
    ['?page=4', 4, 50],
    ['?page=3&limit=100', 3, 100],
    ['?page=2147483647', 2147483647, 50],
    ['?page=2147483647&limit=2147483647', 2147483647, 100],
  ])('answers %s, past the end, with an empty page and the true total', async (query, page, limit) => {
    expect(await list(query)).toEqual({ submissions: [], total: STORED, page, limit });
  });

  it('gives every submission on one page, and only on one', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 18; page += 1) {
      const { submissions } = await list(`?page=${page}&limit=7`);
      seen.push(...submissions.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
  });

  it('gives times of receipt in UTC with milliseconds, which fall from one to the next', async () => {
    const { submissions } = await list('?limit=100');
    const times = submissions.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(submissions.map(({ created_at }) => new Date(created_at).toISOString())).toEqual(
      submissions.map(({ created_at }) => created_at),
    );
    // The database's clock may be a machine away: a minute is near enough.
    expect(Math.min(...times)).toBeGreaterThan(span[0] - 60_000);
    expect(Math.max(...times)).toBeLessThan(span[1] + 60_000);
  });

  it('lists what came in while pages were turned at the front', async () => {
    const id = await deploy();
    const sent: string[] = [];
    for (let n = 0; n < 4; n += 1) sent.unshift(await submit(id, { data: { n } }));
    expect((await list('?limit=2', id)).submissions.map((one) => one.id)).toEqual(sent.slice(0, 2));
    sent.unshift(await submit(id));
    const { submissions, total } = await list('?limit=2', id);
    expect([submissions.map((one) => one.id), total]).toEqual([sent.slice(0, 2), 5]);
  });

  it('shows each owner only what came for their own deployment', async () => {
    const [one, other] = await Promise.all([service.owner(), service.owner()]);
    const [mine, theirs] = await Promise.all([one.deploy(), other.deploy()]);
    await submit(mine.id, { data: { of: 'one' } });
    await submit(theirs.id, { data: { of: 'other' } });
    const shown = async (who: Owner, id: string) => {
      const { submissions, total } = (await who.get(`/submissions/${id}`)).body;
      return [submissions.map(({ data }: Submission) => data), total];
    };
    expect(await shown(one, mine.id)).toEqual([[{ of: 'one' }], 1]);
    expect(await shown(other, theirs.id)).toEqual([[{ of: 'other' }], 1]);
  });

  it('shows all keys of an owner the same, in every process', async () => {
    const second = await service.owner({ email: 'twice@test.example' });
    const first = await service.owner({ email: 'Twice@test.example' });
    const { id } = await first.deploy();
    await submit(id);
    const { url } = await service.another();
    expect((await asOwner(url, second.key).get(`/submissions/${id}`)).body).toEqual(
      (await first.get(`/submissions/${id}`)).body,
    );
  });
});

describe('ip_address', () => {
  /** What is listed as the address of a submission with this X-Forwarded-For, at a service with these settings. */
  async function addressOf(url: string, forwarded?: string, more: Record<string, string> = {}): Promise<string> {
    const id = await deploy();
    const headers = { ...(forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }), ...more };
    await submit(id, { url, headers });
    const { submissions } = await list('', id);
    return submissions[0]?.ip_address ?? '';
  }

  const urls = new Map<string, Promise<string>>();
  /** One service for each value of TRUST_PROXY. */
  function trusting(trust: string): Promise<string> {
    const url = urls.get(trust) ?? service.another({ TRUST_PROXY: trust }).then((other) => other.url);
    urls.set(trust, url);
    return url;
  }

  it("is the socket's peer, whatever proxies say", async () => {
    expect(await addressOf(service.url)).toBe('127.0.0.1');
    const said = { Forwarded: 'for=203.0.113.1', 'X-Real-IP': '203.0.113.1', 'CF-Connecting-IP': '203.0.113.1' };
    expect(await addressOf(service.url, '203.0.113.1', said)).toBe('127.0.0.1');
    expect(await addressOf(await trusting('0'), '203.0.113.1')).toBe('127.0.0.1');
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  it.skipIf(!hasIPv6)('is an IPv4-mapped peer written as IPv4, and an IPv6 peer as it is', async () => {
    const { port } = new URL((await service.another({ HOST: '::' })).url);
    expect(await addressOf(`http://127.0.0.1:${port}`)).toBe('127.0.0.1');
    expect(await addressOf(`http://[::1]:${port}`)).toBe('::1');
  });

  it.each<[string, string | undefined, string]>([
    ['1', undefined, '127.0.0.1'],
    ['1', '203.0.113.7', '203.0.113.7'],
    ['1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['1', 'spoofed, 203.0.113.7', '203.0.113.7'],
    ['2', '192.0.2.1, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
    ['2', '203.0.113.7', '203.0.113.7'],
    ['1', '2001:db8::7', '2001:db8::7'],
    ['1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['1', '[2001:db8::7]', '2001:db8::7'],
    ['1', '203.0.113.7:4711', '203.0.113.7'],
    ['1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['1', '::FFFF:203.0.113.7', '203.0.113.7'],
    ['1', '::ffff:cb00:7107', '203.0.113.7'],
    ['1', '[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['127.0.0.0/8', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.0/8,10.0.0.0/8', '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['127.0.0.0/8,10.0.0.0/8', '198.51.100.1, 203.0.113.7, 10.1.2.3:5555', '203.0.113.7'],
    ['127.0.0.0/8,10.0.0.0/8', '198.51.100.1, 203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
    ['127.0.0.0/8,10.0.0.0/8', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['127.0.0.0/8,10.0.0.0/8', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1,2001:db8::/32', '203.0.113.7, 2001:db8::1', '203.0.113.7'],
    ['10.0.0.0/8', '203.0.113.7', '127.0.0.1'],
    ['10.0.0.0/8', '203.0.113.7, 10.1.2.3', '127.0.0.1'],
  ])('is, with TRUST_PROXY=%s and X-Forwarded-For: %s, %s', async (trust, forwarded, address) => {
    expect(await addressOf(await trusting(trust), forwarded)).toBe(address);
  });

  it.each([
    '',
    ',',
    ', ,',
    'unknown',
    '_hidden',
    '999.1.1.1',
    '1.2.3',
    '127.1',
    '<script>',
    "';--",
    'fe80::1%a-b',
    '203.0.113.7, unknown',
  ])('is the peer when the proxy says nothing that is an address: %s', async (forwarded) => {
    expect(await addressOf(await trusting('1'), forwarded)).toBe('127.0.0.1');
  });

  it('never is an address from beyond what is not one', async () => {
    const url = await trusting('127.0.0.0/8,10.0.0.0/8');
    expect(await addressOf(url, '198.51.100.1, unknown, 10.1.2.3')).toBe('10.1.2.3');
    expect(await addressOf(url, `${'198.51.100.1, '.repeat(500)}203.0.113.7`)).toBe('203.0.113.7');
  });
});

describe('deliveries, committed with the submission', () => {
  type Delivery = { submission_id: string; webhook_id: string | null };

  const createWebhook = async (id: string): Promise<string> =>
    (await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/' }).expect(201)).body.id;

  const deliveries = (id: string): Promise<Delivery[]> =>
    service.db('deliveries').where({ deployment_id: id }).select('submission_id', 'webhook_id');

  it('are one for each webhook that is active and listens for submission, and one for the mail', async () => {
    const [id, silent] = await Promise.all([deploy(), deploy()]);
    const [first, second, inactive, deaf] = [
      await createWebhook(id),
      await createWebhook(id),
      await createWebhook(id),
      await createWebhook(id),
    ];
    await service.db('webhooks').where({ id: inactive }).update({ active: false });
    await service
      .db('webhooks')
      .where({ id: deaf })
      .update({ events: ['another'] });
    const webhooks = [first, second];
    for (const [email_notifications, receivers] of [
      [false, webhooks],
      [true, [...webhooks, null]],
      [false, webhooks],
    ] as const) {
      await owner.patch(`/deploy/${id}`).send({ email_notifications }).expect(200);
      const submission_id = await submit(id);
      const made = (await deliveries(id)).filter((delivery) => delivery.submission_id === submission_id);
      expect(new Set(made.map(({ webhook_id }) => webhook_id))).toEqual(new Set(receivers));
      expect(made.length).toBe(receivers.length);
    }
    await submit(silent);
    expect(await deliveries(silent)).toEqual([]);
  });
});
