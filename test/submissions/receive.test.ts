import { describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/db/submissions/form-queries.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { Forms } from '../../src/submissions/live-forms.ts';
import { type Arrival, type SentSubmission, SubmissionIntake } from '../../src/submissions/receive.ts';
import { SpamCheck } from '../../src/submissions/spam-check.ts';
import { SubmissionStore } from '../../src/submissions/submission-store.ts';
import { testLimits } from '../support/test-limits.ts';
import { testService, UNKNOWN_ID } from '../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const { id: deploymentId, slug } = await owner.deploy();
await owner.change(deploymentId, { allowed_origins: ['https://shop.example'] });

const notCalled = () => Promise.reject(new Error('Not called.'));

/** An intake of submissions, and the forms that it has counted. */
function startIntake(forms = new Forms(service.db, (slug) => slug)) {
  const { db } = service;
  const limits = testLimits();
  const counted: string[] = [];
  const parts = { db, limits, bucket: undefined, storageLimits: new Map(), countBatch: () => undefined };
  const rooms = {
    ...{ db, limits, forms },
    spamCheck: new SpamCheck({ altcha: notCalled, ask: notCalled }, limits),
    store: new SubmissionStore({ ...parts, wakeDispatcher: () => undefined }),
    honeypotHits: { add: (id: string) => void counted.push(`honeypot ${id}`) },
    turnedAway: { add: (id: string) => void counted.push(`turned away ${id}`) },
    formsOf: notCalled,
  };
  const intake = new SubmissionIntake(rooms, (of, origin) => origin === `https://${of}.own.example`);
  return { intake, counted, store: rooms.store };
}

const sentTo = (to: string, more: Partial<SentSubmission> = {}): SentSubmission => ({
  ...{ id: newSubmissionId(), deploymentId: to, data: '{"a":"1"}', ipAddress: '127.0.0.1' },
  ...{ isRetry: false, key: undefined, honeypot: undefined, files: [], dataWith: () => '{"a":"1"}' },
  ...more,
});

const NO_PAGE = { origin: undefined, referer: undefined, isSameOrigin: false };

const ARRIVING = { network: '192.0.2.1', isDelivery: false, isSmall: false };

/** A submission that arrives whole. */
const arriving = (sent: SentSubmission, sentFrom: Partial<Arrival['sentFrom']> = {}): Arrival => ({
  deploymentId: sent.deploymentId,
  ...ARRIVING,
  sentFrom: { ...NO_PAGE, ...sentFrom },
  read: async () => sent,
});

class FormsOutOfReach extends Forms {
  override get(): Promise<never> {
    return Promise.reject(new Error('Connection terminated'));
  }
}

describe('SubmissionIntake', () => {
  it.each([
    ['a form that is not there', { deploymentId: UNKNOWN_ID }, 'no-form'],
    ['an id that no form has', { deploymentId: 'd_\0' }, 'no-form'],
    ['a delivery of the service', { deploymentId, isDelivery: true }, 'loop'],
  ])('reads nothing that is sent to %s', async (_what, arrival, kind) => {
    const { intake } = startIntake();
    const all = { ...ARRIVING, sentFrom: NO_PAGE, read: notCalled, ...arrival };
    expect(await intake.receive(all)).toEqual({ kind });
  });

  it('rejects with what reading rejects with', async () => {
    const { intake } = startIntake();
    const read = () => Promise.reject(new Error('half a body'));
    const arrival = { deploymentId, ...ARRIVING, sentFrom: NO_PAGE, read };
    await expect(intake.receive(arrival)).rejects.toThrow('half a body');
  });

  it('reads a submission whose form is out of reach, and says that it can be sent again', async () => {
    const { intake } = startIntake(new FormsOutOfReach(service.db, (slug) => slug));
    let reads = 0;
    const sent = sentTo(deploymentId);
    const arrival = {
      ...arriving(sent),
      async read() {
        reads += 1;
        return sent;
      },
    };
    expect(await intake.receive(arrival)).toMatchObject({ kind: 'unavailable', form: undefined });
    expect(reads).toBe(1);
  });

  it('counts a honeypot, and stores nothing', async () => {
    const { intake, counted } = startIntake();
    const sent = sentTo(deploymentId, { honeypot: 'honeypot' });
    expect(await intake.receive(arriving(sent))).toMatchObject({ kind: 'honeypot', id: sent.id });
    expect(counted).toEqual([`honeypot ${deploymentId}`]);
    expect((await owner.get(`/submissions/${deploymentId}`)).body.total).toBe(0);
  });

  it.each<[string, Partial<Arrival['sentFrom']>, string]>([
    ['no page', {}, 'accepted'],
    ['its own page', { origin: `https://${slug}.own.example` }, 'accepted'],
    ['a listed page', { origin: 'https://shop.example' }, 'accepted'],
    ['a page of the same origin', { origin: 'https://other.example', isSameOrigin: true }, 'accepted'],
    ['a hidden page that Referer names', { origin: 'null', referer: 'https://shop.example/a?b' }, 'accepted'],
    ['a hidden page', { origin: 'null' }, 'origin-refused'],
    ['another page', { origin: 'https://other.example', referer: 'https://shop.example/' }, 'origin-refused'],
  ])('decides by the origin of a form on %s', async (_what, sentFrom, kind) => {
    const { intake } = startIntake();
    await service.db('deployments').where({ id: deploymentId }).update({ recent_submissions: [] });
    expect((await intake.receive(arriving(sentTo(deploymentId), sentFrom))).kind).toBe(kind);
  });

  it('stores a submission that is sent again once, and one with another content not under its key', async () => {
    const { intake } = startIntake();
    const { id: to } = await owner.deploy();
    const key = { hash: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) };
    const first = sentTo(to, { key });
    expect(await intake.receive(arriving(first))).toMatchObject({ kind: 'accepted', id: first.id });
    expect(await intake.receive(arriving(sentTo(to, { key })))).toMatchObject({ kind: 'repeated', id: first.id });
    const other = sentTo(to, { key: { ...key, bodyHash: Buffer.alloc(32, 3) } });
    expect(await intake.receive(arriving(other))).toMatchObject({ kind: 'key-reused' });
    expect((await owner.get(`/submissions/${to}`)).body.total).toBe(1);
  });

  it('counts those that a form has no room for', async () => {
    const { intake, counted } = startIntake();
    const { id: to } = await owner.deploy();
    const all = await Promise.all(Array.from({ length: 11 }, () => intake.receive(arriving(sentTo(to)))));
    expect(all.map(({ kind }) => kind)).toEqual([...Array(10).fill('accepted'), 'rate-limited']);
    expect(counted).toEqual([`turned away ${to}`]);
  });

  describe('of a form that the process does not know', () => {
    const small = (sent: SentSubmission, sentFrom: Partial<Arrival['sentFrom']> = {}): Arrival => ({
      ...arriving(sent, sentFrom),
      isSmall: true,
    });

    it('stores a small submission without looking the form up, where that has no rules', async () => {
      const { id: to, slug: toSlug } = await owner.deploy();
      const { intake } = startIntake(new FormsOutOfReach(service.db, (slug) => slug));
      for (const _ of [1, 2, 3]) {
        const sent = sentTo(to);
        const form = { deploymentId: to, slug: toSlug, rules: NO_RULES };
        expect(await intake.receive(small(sent))).toEqual({ kind: 'accepted', id: sent.id, form });
      }
      expect((await owner.get(`/submissions/${to}`)).body.total).toBe(3);
    });

    it.each<[rule: string, settings: object, sent: Partial<SentSubmission>, kind: string, stored: number]>([
      ['an origin', { allowed_origins: ['https://shop.example'] }, {}, 'origin-refused', 0],
      ['a blocked word', { spam: { blocklist: ['casino'] } }, { data: '{"a":"casino"}' }, 'spam', 0],
      ['a captcha', { spam: { captcha: { provider: 'altcha' } } }, {}, 'spam', 0],
      ['a redirect', { redirect_url: 'https://shop.example/thanks' }, {}, 'accepted', 1],
      ['a honeypot', {}, { honeypot: 'honeypot' }, 'honeypot', 0],
    ])('judges first by %s', async (_rule, settings, more, kind, stored) => {
      const { id: to } = await owner.deploy();
      await owner.change(to, settings);
      const { intake } = startIntake();
      const outcome = await intake.receive(small(sentTo(to, more), { origin: 'https://other.example' }));
      expect(outcome).toMatchObject({ kind, form: { deploymentId: to } });
      expect((await owner.get(`/submissions/${to}`)).body.total).toBe(stored);
    });

    it('judges by a rule that a form at its limit gets, and answers 429 without it', async () => {
      const { id: to } = await owner.deploy();
      await service.db.raw(
        'UPDATE deployments SET recent_submissions = array_fill(clock_timestamp(), ARRAY[10]) WHERE id = ?',
        [to],
      );
      const { intake, store } = startIntake();
      const send = async () => (await intake.receive(small(sentTo(to), { origin: 'https://other.example' }))).kind;
      expect([await send(), await send()]).toEqual(['rate-limited', 'rate-limited']);
      await owner.change(to, { allowed_origins: ['https://shop.example'] });
      store.invalidate(to);
      expect(await send()).toBe('origin-refused');
    });

    it('reads nothing more of a network that sends to a form that is not there', async () => {
      const { intake } = startIntake();
      expect(await intake.receive(small(sentTo(UNKNOWN_ID)))).toEqual({ kind: 'no-form' });
      const unread = { ...small(sentTo(UNKNOWN_ID)), read: notCalled };
      expect(await intake.receive(unread)).toEqual({ kind: 'no-form' });
      await expect(intake.receive({ ...unread, network: '192.0.2.2' })).resolves.toEqual({ kind: 'no-form' });
      const { id: to } = await owner.deploy();
      await expect(intake.receive({ ...unread, network: '192.0.2.3', deploymentId: to })).rejects.toThrow(
        'Not called.',
      );
    });
  });
});
