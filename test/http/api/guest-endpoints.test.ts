import { describe, expect, it } from 'vitest';
import { makeKey } from '../../../src/db/account/owner-queries.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { suspendOwner } from '../../support/suspend-owner.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, TRUST_PROXY: '1' });
const owner = await service.owner({ email: 'owner@test.example' });

const ID = expect.stringMatching(/^gst_[0-9A-Za-z]{24}$/);

const invite = (id: string, body: object, who = owner) => who.post(`/deploy/${id}/guests`).send(body);
const list = async (id: string, query = '') => (await owner.get(`/deploy/${id}/guests${query}`).expect(200)).body;

/** An owner whose invitations are counted apart. */
async function another(email: string) {
  const { key } = await makeKey(service.db, { email, defaultPlan: 'unlimited' });
  return asOwner(service.url, key);
}

let addresses = 0;
const newAddress = (): string => {
  addresses += 1;
  return `guest-${addresses}@test.example`;
};

async function mailTo(address: string, count = 1): Promise<string> {
  const all = () => smtp.received.filter(({ to }) => to.includes(address));
  await expect.poll(() => all().length, { interval: 20 }).toBe(count);
  return readMail(all().at(-1)?.raw ?? Buffer.alloc(0)).parts[0]?.text ?? '';
}
const linkIn = (text: string, path: string): string =>
  new RegExp(`${BASE_URL}(${path}/[0-9A-Za-z]{43})`).exec(text)?.[1] ?? '';
const press = (path: string, headers: Record<string, string> = { Origin: BASE_URL }) =>
  service.anonymous.post(path).set(headers).redirects(0);

describe('the guests of a deployment', () => {
  it('are invited, listed oldest first, changed and removed', async () => {
    const { id } = await owner.deploy();
    const [first, second] = [newAddress(), newAddress()];
    const made = await invite(id, { email: ` ${first.toUpperCase()}`, role: 'reader' }).expect(201);
    expect(made.body).toEqual({ id: ID, email: first, role: 'reader', invited_at: aTime, accepted_at: null });
    expect(made.headers.location).toBe(`/deploy/${id}/guests/${made.body.id}`);
    const { body: editor } = await invite(id, { email: second, role: 'editor' }).expect(201);
    expect(await list(id)).toEqual({ guests: [made.body, editor], total: 2, page: 1, limit: 50 });
    expect(await list(id, '?page=2&limit=1')).toEqual({ guests: [editor], total: 2, page: 2, limit: 1 });

    const path = `/deploy/${id}/guests/${made.body.id}`;
    expect(answer(await owner.patch(path).send({ role: 'editor' }))).toEqual({
      status: 200,
      body: { ...made.body, role: 'editor' },
    });
    expect(answer(await owner.delete(path))).toEqual({
      status: 200,
      body: { message: 'Guest removed', id: made.body.id },
    });
    for (const again of [await owner.delete(path), await owner.patch(path).send({ role: 'reader' })]) {
      expect(answer(again)).toEqual(refused(404));
    }
    expect((await list(id)).guests).toEqual([editor]);
  });

  it('have an address and one of two roles', async () => {
    const { id } = await owner.deploy();
    const { body: guest } = await invite(id, { email: newAddress(), role: 'reader' }).expect(201);
    const good = { email: newAddress(), role: 'reader' };
    for (const wrong of [
      { role: 'owner' },
      { role: null },
      { role: undefined },
      { email: 'x' },
      { email: undefined },
      { email: 7 },
    ]) {
      expect(answer(await invite(id, { ...good, ...wrong }))).toEqual(refused(400));
    }
    for (const role of ['owner', null, 7, undefined]) {
      expect(answer(await owner.patch(`/deploy/${id}/guests/${guest.id}`).send({ role }))).toEqual(refused(400));
    }
    expect((await list(id)).guests).toEqual([guest]);
  });

  it('are invited once, also when that is asked at once, and are not the owner', async () => {
    const { id } = await owner.deploy();
    const guest = { email: newAddress(), role: 'reader' };
    const statuses = (await Promise.all([invite(id, guest), invite(id, guest)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 409]);
    expect(answer(await invite(id, { email: 'Owner@test.example', role: 'editor' }))).toEqual(refused(409));
    expect((await list(id)).total).toBe(1);
  });

  it('are at most 50', async () => {
    const { id } = await owner.deploy();
    const { maxPerDeployment } = SIZES.guest;
    await service.db('guests').insert(
      Array.from({ length: maxPerDeployment }, (_, n) => ({
        ...{ id: `gst_${String(n).padStart(24, '0')}`, deployment_id: id, email: `${n}@test.example` },
        ...{ role: 'reader', invited_at: service.db.fn.now() },
      })),
    );
    expect(answer(await invite(id, { email: newAddress(), role: 'reader' }))).toEqual(refused(409));
  });

  it('are invited at most 50 times an hour, refused invitations not counted', async () => {
    const who = await another('busy@test.example');
    const { max } = SIZES.guest.invitations;
    const [{ id }, { id: other }] = [await who.deploy(), await who.deploy()];
    for (let n = 0; n < max; n += 1) {
      await invite(n % 2 === 0 ? id : other, { email: `busy-${n}@test.example`, role: 'reader' }, who).expect(201);
      if (n === 0) await invite(id, { email: 'busy-0@test.example', role: 'reader' }, who).expect(409);
    }
    const refusal = await invite(id, { email: newAddress(), role: 'reader' }, who);
    expect(answer(refusal)).toEqual(refused(429));
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    // Others still invite.
    const { id: mine } = await owner.deploy();
    await invite(mine, { email: newAddress(), role: 'reader' }).expect(201);
  });

  it('are invited at most 50 times an hour with one address, by all owners together', async () => {
    const { max } = SIZES.guest.invitations;
    const [one, other] = [await another('one@test.example'), await another('other@test.example')];
    const [{ id }, { id: second }] = [await one.deploy(), await other.deploy()];
    const email = newAddress();
    for (let n = 0; n < max; n += 1) {
      const [page, who] = n % 2 === 0 ? [id, one] : [second, other];
      const { body } = await invite(page, { email, role: 'reader' }, who).expect(201);
      await who.delete(`/deploy/${page}/guests/${body.id}`).expect(200);
    }
    for (const [page, who] of [[id, one] as const, [second, other] as const]) {
      const refusal = await invite(page, { email, role: 'reader' }, who);
      expect(answer(refusal)).toEqual(refused(429));
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
      await invite(page, { email: newAddress(), role: 'reader' }, who).expect(201);
    }
  });

  it('are the owner’s alone to see, and those of one page', async () => {
    const { id } = await owner.deploy();
    const { id: other } = await owner.deploy();
    const { body: guest } = await invite(id, { email: newAddress(), role: 'reader' }).expect(201);
    const stranger = await another('stranger@test.example');
    for (const refusal of [
      await stranger.get(`/deploy/${id}/guests`),
      await invite(id, { email: newAddress(), role: 'reader' }, stranger),
      await stranger.patch(`/deploy/${id}/guests/${guest.id}`).send({ role: 'editor' }),
      await stranger.delete(`/deploy/${id}/guests/${guest.id}`),
      await owner.delete(`/deploy/${other}/guests/${guest.id}`),
    ]) {
      expect(answer(refusal)).toEqual(refused(404));
    }
    expect((await list(id)).guests).toEqual([guest]);
  });
});

it('a service without a mail server invites nobody', async () => {
  const mailless = await testService();
  const who = await mailless.owner();
  const { id } = await who.deploy();
  expect(answer(await invite(id, { email: newAddress(), role: 'reader' }, who))).toEqual(refused(403));
  expect((await who.get(`/deploy/${id}/guests`)).body.total).toBe(0);
});

describe('an invitation', () => {
  async function invited() {
    const { id } = await owner.deploy({ html: '<title>Spring fair</title>' });
    const email = newAddress();
    const { body } = await invite(id, { email, role: 'reader' }).expect(201);
    const text = await mailTo(email);
    return { id, email, guestId: body.id, text, link: linkIn(text, '/invitations') };
  }
  const acceptedAt = async (id: string) => (await list(id)).guests[0]?.accepted_at;

  it('is a mail with a link that asks, then signs in once, and leads to the page', async () => {
    const { id, email, text, link } = await invited();
    expect(text).toContain('owner@test.example lets you read the submissions of Spring fair');
    const asked = await service.anonymous.get(link);
    expect([asked.status, asked.headers['referrer-policy'], asked.headers['x-frame-options']]).toEqual([
      200,
      'same-origin',
      'DENY',
    ]);
    expect(asked.text).toContain(`You will be signed in as ${email} in this browser.`);
    expect(await acceptedAt(id)).toBe(null);
    const used = await press(link);
    expect([used.status, used.headers.location]).toEqual([303, `/dashboard/pages/${id}`]);
    expect(used.headers['set-cookie']?.[0]).toMatch(/HttpOnly/);
    expect(await acceptedAt(id)).toEqual(aTime);
    for (const again of [await service.anonymous.get(link), await press(link)]) {
      expect([again.status, again.headers['set-cookie']]).toEqual([404, undefined]);
    }
  });

  it('signs in once, also where its link is opened twice at once', async () => {
    const { guestId, link } = await invited();
    const lock = await service.db.transaction();
    await lock('guests').where({ id: guestId }).forUpdate();
    const both = [press(link), press(link)].map((pressed) => pressed.then(({ status }) => status));
    const waiting = async () =>
      (
        await service.db.raw(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE guests%'`,
        )
      ).rows.length;
    await expect.poll(waiting).toBe(2);
    await lock.commit();
    expect((await Promise.all(both)).toSorted()).toEqual([303, 404]);
  });

  it('signs nobody in for another site', async () => {
    const { id, link } = await invited();
    for (const headers of [{ Origin: 'https://a.test' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      expect((await press(link, headers)).status).toBe(403);
    }
    expect(await acceptedAt(id)).toBe(null);
  });

  it('ends with the guest, after seven days, and while the page is in the trash', async () => {
    const removed = await invited();
    await owner.delete(`/deploy/${removed.id}/guests/${removed.guestId}`).expect(200);
    const expired = await invited();
    await service.db('guests').where({ id: expired.guestId }).update({ link_expires_at: service.db.fn.now() });
    const trashed = await invited();
    await owner.delete(`/deploy/${trashed.id}`).expect(200);
    for (const { link } of [removed, expired, trashed, { link: `/invitations/${'0'.repeat(43)}` }]) {
      expect([(await service.anonymous.get(link)).status, (await press(link)).status]).toEqual([404, 404]);
    }
  });

  it('signs nobody in whose address is suspended, and stays open', async () => {
    const { id, email, link } = await invited();
    await service.owner({ email });
    await suspendOwner(service.db, email);
    expect((await service.anonymous.get(link)).status).toBe(404);
    const pressed = await press(link);
    expect([pressed.status, pressed.headers['set-cookie'], await acceptedAt(id)]).toEqual([404, undefined, null]);
    await suspendOwner(service.db, email, false);
    expect((await press(link)).status).toBe(303);
  });

  it('is accepted by the first sign-in, by mail too, without an account', async () => {
    const { id, email } = await invited();
    await service.anonymous.post('/session/mail').send({ email }).expect(202);
    const link = linkIn(await mailTo(email, 2), '/session/mail');
    expect(await acceptedAt(id)).toBe(null);
    expect((await press(link)).status).toBe(303);
    expect(await acceptedAt(id)).toEqual(aTime);
  });

  it('is accepted by a sign-in with a key of the guest', async () => {
    const { id } = await owner.deploy();
    const email = newAddress();
    const { key } = await makeKey(service.db, { email, defaultPlan: 'unlimited' });
    await invite(id, { email, role: 'editor' }).expect(201);
    await service.anonymous.post('/session').send({ key }).expect(200);
    expect(await acceptedAt(id)).toEqual(aTime);
  });
});

it('a page that is removed for good takes its guests with it', async () => {
  const { id } = await owner.deploy();
  await invite(id, { email: newAddress(), role: 'reader' }).expect(201);
  await owner.delete(`/deploy/${id}`).expect(200);
  await owner.delete(`/trash/${id}`).expect(200);
  await expect.poll(() => service.db('guests').where({ deployment_id: id })).toEqual([]);
});
