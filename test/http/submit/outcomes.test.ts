import { describe, expect, it } from 'vitest';
import { bareRequest } from '../../support/bare-request.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';

/*
 * Each outcome of a submission, as a program, a visitor and the metrics are told of it.
 */

const service = await testService(
  { STORAGE_LIMITS: 'free:1KB,unlimited:none', MAX_FILE_BYTES: '2000', MAX_FILES_BYTES: '3000' },
  undefined,
  { limits: { submissions: { lockedWaitTimeoutMs: 100 } } },
);
const owner = await service.owner({ plan: 'unlimited' });
const registry = service.exposeMetrics();

/** How many submissions the metrics have counted, by outcome. */
async function counted(): Promise<Record<string, number>> {
  const metric = await registry.getSingleMetric('formhost_submissions_total')?.get();
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [String(labels.outcome), value]) ?? []);
}

type Sent = { id: string; body?: string | Buffer; type?: string; headers?: Record<string, string> };

/** Sends a form, which takes any number of submissions: the status, the code of the error, and what was counted. */
async function send({ id, body = 'a=1', type = 'application/x-www-form-urlencoded', headers }: Sent, accept = '*/*') {
  const before = await counted();
  const answer = await bareRequest(`${service.url}/submit/${id}`, {
    method: 'POST',
    headers: { 'Content-Type': type, Accept: accept, ...headers },
    body,
  });
  const after = await counted();
  const changes = Object.entries(after).map(([outcome, count]) => [outcome, count - (before[outcome] ?? 0)] as const);
  const code = answer.headers['error-code'];
  return {
    status: answer.status,
    code,
    counts: Object.fromEntries(changes.filter(([, change]) => change > 0)),
    ...{ headers: answer.headers, body: String(answer.body) },
  };
}

const deploy = async (settings: object = {}): Promise<string> => {
  const { id } = await owner.deploy();
  if (Object.keys(settings).length > 0) await owner.change(id, settings);
  return id;
};
const withFile = (...sizes: number[]): Pick<Sent, 'body' | 'type'> => ({
  body: multipartBody(...sizes.map((size): [string, string] => ['name="f"; filename="a"', 'x'.repeat(size)])),
  type: 'multipart/form-data; boundary=b',
});
const PAST = new Date(Date.now() - 1_000).toISOString();

type Name = string | undefined;
type Outcome = [what: string, make: () => Promise<Sent>, status: number, code?: Name, heading?: Name, label?: string];

/** Each outcome: how it comes about, the status and the code for programs, the heading for visitors, and its name in the metrics. */
const OUTCOMES: Outcome[] = [
  ['accepted', async () => ({ id: await deploy() }), 200, undefined, undefined, 'accepted'],
  ['a honeypot', async () => ({ id: await deploy(), body: '_hp=x' }), 200, undefined, undefined, 'honeypot'],
  [
    'spam',
    async () => ({ id: await deploy({ spam: { blocklist: ['casino'] } }), body: 'a=casino' }),
    ...([200, undefined, undefined, 'spam'] as const),
  ],
  [
    'repeated',
    async () => {
      const sent = { id: await deploy(), headers: { 'Idempotency-Key': 'one' } };
      await send(sent);
      return sent;
    },
    ...([200, undefined, undefined, 'repeated'] as const),
  ],
  [
    'a key that is reused',
    async () => {
      const sent = { id: await deploy(), headers: { 'Idempotency-Key': 'one' } };
      await send(sent);
      return { ...sent, body: 'a=2' };
    },
    ...([422, 'idempotency-key-reused', 'Your message could not be sent'] as const),
  ],
  [
    'no form',
    async () => ({ id: UNKNOWN_ID }),
    ...([404, 'no-such-form', 'This form is not available', 'no-deployment'] as const),
  ],
  [
    'an id that no form can have',
    async () => ({ id: 'contact' }),
    ...([404, 'no-such-form', 'This form is not available', 'no-deployment'] as const),
  ],
  [
    'another origin',
    async () => ({
      id: await deploy({ allowed_origins: ['https://here.example'] }),
      headers: { Origin: 'https://there.example' },
    }),
    ...([403, 'origin-refused', 'This form cannot be sent from this site', 'origin-refused'] as const),
  ],
  [
    'closed',
    async () => ({ id: await deploy({ closes_at: PAST }) }),
    ...([403, 'form-closed', 'This form is closed', 'form-closed'] as const),
  ],
  [
    'full',
    async () => {
      const id = await deploy({ max_submissions: 1 });
      await send({ id });
      return { id };
    },
    ...([403, 'form-full', 'This form is full', 'form-closed'] as const),
  ],
  [
    'too many',
    async () => {
      const id = await deploy();
      await setAccepted(service.db, id, 10, 20);
      return { id };
    },
    ...([429, 'too-many-submissions', 'Please wait a moment', 'rate-limited'] as const),
  ],
  [
    'a file that is too large',
    async () => ({ id: await deploy(), ...withFile(2_001) }),
    ...([413, 'too-large', 'This is too large to send'] as const),
  ],
  [
    'files for which there is no storage',
    async () => ({ id: (await (await service.owner({ plan: 'free' })).deploy()).id, ...withFile(1_000) }),
    ...([413, 'no-storage-for-files', 'This is too large to send', 'storage-full'] as const),
  ],
  [
    'a body that is unreadable',
    async () => ({ id: await deploy(), body: 'a=%ff' }),
    ...([400, 'bad-request', 'Your message could not be sent'] as const),
  ],
];

describe('a submission', () => {
  it.each(OUTCOMES)('has one outcome: %s', async (_what, make, status, code, heading, label) => {
    const expected = { status, code, counts: label === undefined ? {} : { [label]: 1 } };
    expect(await send(await make())).toMatchObject(expected);
    const visitor = await send(await make(), 'text/html');
    expect(visitor).toMatchObject({ ...expected, status: status === 200 ? 303 : status });
    expect(/<h1>(.*)<\/h1>/.exec(visitor.body)?.[1]).toBe(heading);
  });

  it('is unavailable while its form is locked', async () => {
    const id = await deploy();
    await service.db.transaction(async (transaction) => {
      await transaction.raw('SELECT FROM deployments WHERE id = ? FOR UPDATE', [id]);
      expect(await send({ id })).toMatchObject({ status: 503, code: 'unavailable', counts: { failed: 1 } });
      const visitor = await send({ id }, 'text/html');
      expect(visitor).toMatchObject({ status: 503, code: 'unavailable', counts: { failed: 1 } });
      expect(visitor.body).toContain('<h1>Your message could not be sent yet</h1>');
    });
  });

  it('fails where nobody has foreseen the error', async () => {
    const id = await deploy();
    await service.db.raw('ALTER TABLE submissions ADD CONSTRAINT broken CHECK (false) NOT VALID');
    try {
      expect(await send({ id })).toMatchObject({ status: 500, code: 'internal-error', counts: { failed: 1 } });
      const visitor = await send({ id }, 'text/html');
      expect(visitor).toMatchObject({ status: 500, code: 'internal-error', counts: { failed: 1 } });
      expect(visitor.body).toContain('<h1>Something went wrong</h1>');
    } finally {
      await service.db.raw('ALTER TABLE submissions DROP CONSTRAINT broken');
    }
  });

  it('is refused where one of the deliveries sends it, also as a browser would', async () => {
    const sent = { id: await deploy(), headers: { 'formhost-delivery': 'dl_1' } };
    for (const accept of ['*/*', 'text/html']) {
      const { body, ...answer } = await send(sent, accept);
      expect(answer).toMatchObject({ status: 508, code: 'webhook-loop', counts: {} });
      expect(JSON.parse(body)).toEqual({ error: expect.stringContaining('leads back to this service') });
    }
  });
});
