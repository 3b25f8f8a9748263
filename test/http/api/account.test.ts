import { describe, expect, it } from 'vitest';
import { changeEmail } from '../../../src/db/account/owner-queries.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { NOTICE } from '../../../src/http/response/notice-header.ts';
import { FIRST_OWNER } from '../../../src/lib/mail-address.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { mailsWith } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { asOwner, BASE_URL, type Owner, testService } from '../../support/test-service.ts';

const CONFIRM = 'Confirm your new address';
const CHANGED = 'Your address was changed';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });

const change = (owner: Owner, body: object) => owner.patch('/me').send(body);
const emailOf = async (owner: Owner): Promise<string> => (await owner.get('/me')).body.email;

/** The paths of the links that an address was sent, as soon as there are so many. */
async function pathsTo(address: string, count = 1): Promise<string[]> {
  const mails = () => smtp.received.filter(({ to }) => to.includes(address)).length;
  await expect.poll(mails, { interval: 20 }).toBe(count);
  const all = await mailsWith(smtp, CONFIRM, smtp.received.filter(({ raw }) => raw.includes(CONFIRM)).length);
  return all
    .filter(({ to }) => to === address)
    .map(({ text }) => new RegExp(`^${BASE_URL}(/me/email/\\w{43})$`, 'm').exec(text)?.[1] ?? '');
}

describe('the time zone of PATCH /me', () => {
  it('is stored, shown and taken back, of this owner alone', async () => {
    const [owner, other] = [await service.owner(), await service.owner()];
    const before = (await owner.get('/me')).body;
    const zones = [];
    for (const body of [{ time_zone: 'Europe/Berlin' }, {}, { time_zone: 'UTC' }, { time_zone: null }]) {
      const changed = await change(owner, body);
      expect(answer(changed)).toEqual({ status: 200, body: (await owner.get('/me')).body });
      zones.push(changed.body.time_zone);
    }
    expect(zones).toEqual(['Europe/Berlin', 'Europe/Berlin', 'UTC', null]);
    expect((await owner.get('/me')).body).toEqual(before);
    await change(owner, { time_zone: 'Asia/Tokyo' });
    expect((await other.get('/me')).body.time_zone).toBeNull();
  });

  it('is that of the times in mails', async () => {
    const owner = await service.owner();
    const { id, slug } = await owner.deploy();
    await change(owner, { time_zone: 'Asia/Tokyo' }).expect(200);
    await owner.change(id, { email_notifications: true });
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
    const [mail] = await mailsWith(smtp, `New submission for ${slug}`, 1);
    const { created_at: at } = (await owner.get(`/submissions/${id}`)).body.submissions[0];
    const inTokyo = new Date(Date.parse(at) + 9 * 60 * 60 * 1_000).toISOString().slice(11, 16);
    expect(mail?.text).toContain(`, ${inTokyo} GMT+9.`);
  });

  it.each(['', 'Berlin', '+01:00', 'Europe/Berlin\u0000', 1])('is a 400 for %j', async (time_zone) => {
    expect(answer(await change(await service.owner(), { time_zone }))).toEqual(refused(400));
  });
});

describe('the e-mail address of PATCH /me', () => {
  it('changes when the button behind a link in a mail to it is pressed, once; the old address hears of it', async () => {
    const owner = await service.owner({ email: 'old@test.example' });
    const { status, body, headers } = await change(owner, { email: 'New@Test.Example', time_zone: 'UTC' });
    expect([status, body.email, body.time_zone]).toEqual([200, 'old@test.example', 'UTC']);
    expect(headers[NOTICE]).toContain('new@test.example');
    const [path = ''] = await pathsTo('new@test.example');
    const asked = await service.anonymous.get(path);
    expect(asked.text).toContain('Mail for your account will go to new@test.example');
    expect([asked.headers['referrer-policy'], await emailOf(owner)]).toEqual(['no-referrer', 'old@test.example']);
    const used = await service.anonymous.post(path);
    expect([used.status, await emailOf(owner)]).toEqual([200, 'new@test.example']);
    expect(used.text).toContain('<h1>Your address was changed</h1>');
    expect(used.text).toContain('href="/dashboard/account"');
    const [told] = await mailsWith(smtp, CHANGED, 1);
    expect([told?.to, told?.text.includes('goes to new@test.example from now on')]).toEqual(['old@test.example', true]);
    const entry = { actor: 'old@test.example', action: 'account.change', target: expect.stringMatching(/^own_\d+$/) };
    expect((await owner.get('/audit').expect(200)).body.entries).toMatchObject([
      { ...entry, via: 'session', ip_address: '127.0.0.1' },
      { ...entry, via: 'key' },
    ]);
    for (const again of [await service.anonymous.get(path), await service.anonymous.post(path)]) {
      expect([again.status, again.text.includes('This link cannot be opened')]).toEqual([404, true]);
    }
  });

  it('stays while the owner is suspended, or is being deleted', async () => {
    const owner = await service.owner({ email: 'held@test.example' });
    await change(owner, { email: 'away@test.example' }).expect(200);
    const [path = ''] = await pathsTo('away@test.example');
    const suspend = (suspendedAt: Date | null) =>
      service.db('owners').where({ email: 'held@test.example' }).update({ suspended_at: suspendedAt });
    await suspend(new Date());
    expect((await service.anonymous.get(path)).status).toBe(404);
    expect((await service.anonymous.post(path)).status).toBe(404);
    await suspend(null);
    expect(await emailOf(owner)).toBe('held@test.example');
    await service.anonymous.post(path).expect(200);
    expect(await emailOf(owner)).toBe('away@test.example');
  });

  it('is confirmed by the last link only, for 24 hours', async () => {
    const owner = await service.owner({ email: 'steady@test.example' });
    await change(owner, { email: '\u2003First@Test.example ' }).expect(200);
    const [first = ''] = await pathsTo('first@test.example');
    await change(owner, { email: 'second@test.example' }).expect(200);
    const [second = ''] = await pathsTo('second@test.example');
    expect((await service.anonymous.post(first)).status).toBe(404);
    const { rows } = await service.db.raw(
      "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM email_changes WHERE email = 'second@test.example'",
    );
    expect(rows[0].left > 86_000 && rows[0].left <= 86_400).toBe(true);
    await service.db('email_changes').update({ expires_at: new Date() });
    for (const path of [second, '/me/email/x', `/me/email/${'a'.repeat(43)}`, '/me/email/%00']) {
      expect((await service.anonymous.post(path)).status).toBe(404);
    }
    expect(await emailOf(owner)).toBe('steady@test.example');
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect(await service.db('email_changes').where({ email: 'second@test.example' })).toEqual([]);
  });

  it.each<[string, (owner: Owner) => Promise<unknown>]>([
    ['the present address', async (owner) => change(owner, { email: await emailOf(owner) }).expect(200)],
    ['the end of all sessions', (owner) => owner.delete('/sessions').expect(200)],
    [
      'a revoked key',
      async (owner) => {
        const { id } = (await owner.post('/keys').send({ name: 'stolen' }).expect(201)).body;
        await owner.delete(`/keys/${id}`).expect(200);
      },
    ],
    ["the operator's change", async (owner) => changeEmail(service.db, await emailOf(owner), 'moved-by@test.example')],
  ])('no longer changes after %s', async (_, act) => {
    const owner = await service.owner();
    const wanted = `thief-${await emailOf(owner)}`;
    await change(owner, { email: wanted }).expect(200);
    const [path = ''] = await pathsTo(wanted);
    await act(owner);
    expect((await service.anonymous.post(path)).status).toBe(404);
    expect(await emailOf(owner)).not.toBe(wanted);
  });

  it('is no recipient of mail about submissions once it has changed', async () => {
    const owner = await service.owner({ email: 'leaving@test.example' });
    const { id } = await owner.deploy();
    const recipients = ['leaving@test.example', 'helper@test.example'];
    await owner.change(id, { recipients });
    await change(owner, { email: 'arriving@test.example' }).expect(200);
    const [path = ''] = await pathsTo('arriving@test.example');
    await service.anonymous.post(path).expect(200);
    const { body } = await owner.get(`/deploy/${id}/settings`);
    expect(body.recipients).toEqual([{ email: 'helper@test.example', confirmed: false }]);
  });

  it('ends links that sign in, which were sent to the old address', async () => {
    const owner = await service.owner({ email: 'moving@test.example' });
    await service.owner({ email: 'staying@test.example' });
    for (const email of ['moving@test.example', 'staying@test.example'])
      await service.anonymous.post('/session/mail').send({ email }).expect(202);
    await mailsWith(smtp, 'Sign in to formhost', 2);
    await change(owner, { email: 'moved@test.example' }).expect(200);
    const [path = ''] = await pathsTo('moved@test.example');
    await service.anonymous.post(path).expect(200);
    const { rows } = await service.db.raw(
      'SELECT owners.email FROM sign_in_links JOIN api_keys ON api_keys.id = key_id JOIN owners ON owners.id = owner_id',
    );
    expect(rows).toEqual([{ email: 'staying@test.example' }]);
  });

  it('is a 409 when another owner has it, at once and when the link is opened', async () => {
    const owner = await service.owner({ email: 'mine@test.example' });
    await service.owner({ email: 'theirs@test.example' });
    expect(answer(await change(owner, { email: 'theirs@test.example', time_zone: 'UTC' }))).toEqual(refused(409));
    expect((await owner.get('/me')).body).toMatchObject({ email: 'mine@test.example', time_zone: null });
    await change(owner, { email: 'soon@test.example' }).expect(200);
    const [path = ''] = await pathsTo('soon@test.example');
    await service.owner({ email: 'soon@test.example' });
    for (const late of [await service.anonymous.get(path), await service.anonymous.post(path)]) {
      expect([late.status, await emailOf(owner)]).toEqual([409, 'mine@test.example']);
      expect(late.text).toContain('another account has this one');
    }
  });

  it(`is a 429 after ${SIZES.emailChange.maxAsks} addresses in an hour, also where they are taken`, async () => {
    const owner = await service.owner();
    const told = (r: number) => expect.stringMatching(new RegExp(`^"email-changes"; r=${r}; t=3[56]\\d\\d$`));
    await service.owner({ email: 'taken@test.example' });
    for (let count = 0; count < SIZES.emailChange.maxAsks; count += 1) {
      const { status, headers } = await change(owner, { email: 'taken@test.example' });
      expect([status, headers.ratelimit]).toEqual([409, told(SIZES.emailChange.maxAsks - 1 - count)]);
    }
    const late = await change(owner, { email: 'taken@test.example' });
    expect([late.status, late.headers.ratelimit, Number(late.headers['retry-after']) > 3_500]).toEqual([
      429,
      told(0),
      true,
    ]);
    expect(late.headers['ratelimit-policy']).toMatch(/^"email-changes"; q=5; w=3600; pk=:\w{16}:$/);
    expect((await change(owner, { time_zone: 'UTC' })).headers).not.toHaveProperty('ratelimit');
    expect((await change(await service.owner(), { email: 'taken@test.example' })).status).toBe(409);
  });

  it('is not mailed when it is the address already, and a 400 when it is none', async () => {
    const owner = await service.owner({ email: 'same@test.example' });
    const { status, headers } = await change(owner, { email: 'Same@test.example' });
    expect([status, headers[NOTICE]]).toEqual([200, undefined]);
    for (const email of ['', 'x', 'a@b.test, c@d.test', 1, null]) {
      expect([email, answer(await change(owner, { email }))]).toEqual([email, refused(400)]);
    }
    expect(await service.db('email_changes').where({ email: 'same@test.example' })).toEqual([]);
  });

  it('is a 409 that names SMTP_URL where the service sends no mail; the time zone can be changed there', async () => {
    const { key } = await service.owner();
    const { url } = await service.another({ SMTP_URL: '' });
    const { status, body } = await change(asOwner(url, key), { email: 'x@test.example' });
    expect([status, body.error]).toEqual([409, expect.stringContaining('SMTP_URL')]);
    await change(asOwner(url, key), { time_zone: 'Europe/Paris' }).expect(200);
  });

  it('can be given to the first owner, whose old address gets no mail', async () => {
    const owner = await service.owner({ email: FIRST_OWNER });
    await change(owner, { email: 'real@test.example' }).expect(200);
    const [path = ''] = await pathsTo('real@test.example');
    await service.anonymous.post(path).expect(200);
    expect(await emailOf(owner)).toBe('real@test.example');
    expect(smtp.received.some(({ to }) => to.includes(FIRST_OWNER))).toBe(false);
  });
});
