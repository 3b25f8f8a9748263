import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { NOTICE } from '../../../src/http/response/notice-header.ts';
import { newRecipientId } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { confirmPath, mailsWith, seenMails } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';
import { aDelivery } from '../../support/webhooks.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };
const OWN = 'grace@owner.example';
/** More than any test sends, except the one of the limit. */
const MAX_TESTS = 12;

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, DELIVERY_RETRY_DELAYS: '0,0,0,0,0,0' }, undefined, {
  limits: { owners: { testsPerMinute: MAX_TESTS } },
});
const owner = await service.owner({ email: OWN });
const stranger = await service.owner();
const links = await createLinks(service.db, '')();
// More than an owner may ask.
beforeEach(() => service.db('owners').update({ recent_confirmations: [] }));

type Page = { id: string; slug: string };

const patch = (id: string, change: object, as = owner) => as.patch(`/deploy/${id}`).send(change);

/** One with recipients mails them only. */
async function deploy(change: { recipients?: string[]; notify_owner?: boolean } = {}): Promise<Page> {
  const { id, slug } = await owner.deploy();
  const notify_owner = change.recipients === undefined;
  await patch(id, { email_notifications: true, notify_owner, ...change }).expect(200);
  return { id, slug };
}

const settingsOf = async (id: string, as = owner) => (await as.get(`/deploy/${id}/settings`).expect(200)).body;
const recipientsOf = async (id: string) => (await settingsOf(id)).recipients;
const submit = (id: string, data: object = { text: 'Hello' }) =>
  service.anonymous.post(`/submit/${id}`).send(data).expect(200);
const rowOf = (id: string, email: string) => service.db('mail_recipients').where({ deployment_id: id, email }).first();
const asks = (slug: string, count: number) => mailsWith(smtp, `Do you want mail about ${slug}?`, count);
const news = (slug: string, count: number) => mailsWith(smtp, `New submission for ${slug}`, count);
const toOf = (mails: readonly { to: string }[]) => mails.map(({ to }) => to);

/** Waits until no mail of a deployment is on its way; then lists them. */
const settled = (id: string) =>
  vi.waitFor(async () => {
    const rows = await service.db('deliveries').where({ deployment_id: id }).orderBy('id');
    expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
    return rows;
  }, PATIENCE);

/** A deployment whose recipients have confirmed, and were not asked. It mails them only. */
async function confirmed(...emails: string[]): Promise<Page> {
  const page = await deploy();
  const confirmed_at = new Date();
  await service.db('mail_recipients').insert(
    emails.map((email, position) => ({
      ...{ id: newRecipientId(), deployment_id: page.id, email, position, confirmed_at },
    })),
  );
  await patch(page.id, { notify_owner: false }).expect(200);
  return page;
}

const statusOf = async (id: string) => (await service.db('deliveries').where({ id }).first('status')).status;
const logOf = async (id: string) => (await owner.get(`/deploy/${id}/mails`).expect(200)).body;

describe('recipients', () => {
  it('are read without white space around them and with domains in IDNA, each once', async () => {
    const { id, slug } = await deploy({
      recipients: [' Ada@Bücher.example\n', 'ada@xn--bcher-kva.example', `\u00a0${OWN}\t`],
    });
    const list = [
      { email: 'ada@xn--bcher-kva.example', confirmed: false },
      { email: OWN, confirmed: true },
    ];
    expect(await recipientsOf(id)).toEqual(list);
    expect((await asks(slug, 1)).map(({ to }) => to)).toEqual(['ada@bücher.example']);
    const { body } = await owner
      .patch(`/deploy/${id}`)
      .send({ recipients: ['ädä@example.org'] })
      .expect(400);
    expect(body.error).toMatch(/^recipients has a value that is not an e-mail address/);
    expect(await recipientsOf(id)).toEqual(list);
  });

  it('get nothing but one mail before they have confirmed, then each submission, each in a mail of its own', async () => {
    const { id, slug } = await deploy({ recipients: ['Ada@Example.org', OWN, 'bob@example.org'] });
    const list = (...states: boolean[]) =>
      ['ada@example.org', OWN, 'bob@example.org'].map((email, at) => ({ email, confirmed: states[at] }));
    expect(await recipientsOf(id)).toEqual(list(false, true, false));
    const [ada, bob] = await asks(slug, 2);
    expect([ada?.to, bob?.to]).toEqual(['ada@example.org', 'bob@example.org']);
    await submit(id);
    expect(toOf(await news(slug, 1))).toEqual([OWN]);

    if (!ada) throw new Error('No mail');
    const path = confirmPath(ada);
    const asked = await fetch(service.url + path);
    const html = await asked.text();
    expect([asked.status, asked.headers.get('referrer-policy'), asked.headers.get('x-frame-options')]).toEqual([
      200,
      'no-referrer',
      'DENY',
    ]);
    expect(html).toContain(`<h1>Get mail about ${slug}?</h1>`);
    expect(html).toContain('<form method="post"><button>Send me these mails</button></form>');
    // A program that checks links has opened it: nothing has changed.
    expect(await recipientsOf(id)).toEqual(list(false, true, false));
    for (const _time of [1, 2]) {
      const done = await fetch(service.url + path, { method: 'POST' });
      expect([done.status, await done.text()]).toEqual([
        200,
        expect.stringContaining(`<h1>You get mail about ${slug}</h1>`),
      ]);
      expect(await recipientsOf(id)).toEqual(list(true, true, false));
    }
    await submit(id);
    const mails = await news(slug, 3);
    expect(toOf(mails)).toEqual(['ada@example.org', OWN, OWN]);
    expect(new Set(mails.map((mail) => mail.id)).size).toBe(3);
    expect(new Set(mails.map(({ unsubscribe }) => unsubscribe)).size).toBe(2);
    expect(mails[0]?.text).toContain(
      `You get this mail because you are a recipient of mail about submissions to ${slug}.`,
    );
  });

  it('keep their confirmation while they stay in the list, and lose it with their place', async () => {
    const { id } = await confirmed('ada@example.org', 'bob@example.org');
    const states = async (recipients: string[]) => {
      await patch(id, { recipients }).expect(200);
      return recipientsOf(id);
    };
    expect(await states(['bob@example.org', 'eve@example.org', 'ada@example.org'])).toEqual([
      { email: 'bob@example.org', confirmed: true },
      { email: 'eve@example.org', confirmed: false },
      { email: 'ada@example.org', confirmed: true },
    ]);
    expect(await states(['bob@example.org'])).toEqual([{ email: 'bob@example.org', confirmed: true }]);
    expect(await states(['ada@example.org', 'ADA@example.org'])).toEqual([
      { email: 'ada@example.org', confirmed: false },
    ]);
    expect(await states([])).toEqual([]);
  });

  it('leave the mail to the owner while none of them gets it, whatever notify_owner says', async () => {
    const { id, slug } = await deploy({ recipients: ['ada@example.org'], notify_owner: false });
    await asks(slug, 1);
    await submit(id);
    expect(toOf(await news(slug, 1))).toEqual([OWN]);
    await service.db('mail_recipients').where({ deployment_id: id }).update({ confirmed_at: new Date() });
    await submit(id);
    expect(toOf(await news(slug, 2))).toEqual(['ada@example.org', OWN]);
    // Its address was refused too often.
    await service.db('mail_recipients').where({ deployment_id: id }).update({ switched_off_at: new Date() });
    await submit(id);
    expect(toOf(await news(slug, 3))).toEqual(['ada@example.org', OWN, OWN]);
    await patch(id, { recipients: [] }).expect(200);
  });

  it('get the mail besides the owner, who gets it once: each submission, and tests', async () => {
    const { id, slug } = await confirmed('ada@example.org', OWN);
    await patch(id, { notify_owner: true }).expect(200);
    await submit(id);
    expect(toOf(await news(slug, 2))).toEqual(['ada@example.org', OWN]);
    await patch(id, { recipients: ['ada@example.org'] }).expect(200);
    await submit(id);
    expect(toOf(await news(slug, 4))).toEqual(['ada@example.org', 'ada@example.org', OWN, OWN]);
    await owner.post(`/deploy/${id}/mails/test`).expect(202);
    expect(toOf(await mailsWith(smtp, `Test mail for ${slug}`, 2))).toEqual(['ada@example.org', OWN]);
    await patch(id, { notify_owner: false }).expect(200);
    await owner.post(`/deploy/${id}/mails/test`).expect(202);
    expect(toOf(await mailsWith(smtp, `Test mail for ${slug}`, 3))).toEqual([
      'ada@example.org',
      'ada@example.org',
      OWN,
    ]);
  });

  it('go on getting mail when the owner ends theirs by a link, or the mail server refuses it', async () => {
    const { id, slug } = await confirmed('ada@example.org');
    await patch(id, { notify_owner: true }).expect(200);
    expect((await fetch(service.url + links.unsubscribe(id), { method: 'POST' })).status).toBe(200);
    expect(await settingsOf(id)).toMatchObject({ email_notifications: true, notify_owner: false });
    // Again, by the link in another mail.
    expect((await fetch(service.url + links.unsubscribe(id), { method: 'POST' })).status).toBe(200);
    expect(await settingsOf(id)).toMatchObject({ email_notifications: true, notify_owner: false });
    await patch(id, { notify_owner: true }).expect(200);
    smtp.makeTrouble({ at: 'rcpt', to: OWN, does: { code: 550, text: 'No such mailbox' } });
    await submit(id);
    await expect.poll(() => settingsOf(id)).toMatchObject({ notify_owner: false });
    smtp.makeTrouble();
    expect(await settingsOf(id)).toMatchObject({ email_notifications: true });
    expect((await owner.get(`/deploy/${id}/settings`)).headers[NOTICE]).toContain('Mail to you is off');
    await settled(id);
    await submit(id);
    expect(toOf(await news(slug, 2))).toEqual(['ada@example.org', 'ada@example.org']);
    await patch(id, { notify_owner: true }).expect(200);
    expect((await owner.get(`/deploy/${id}/settings`)).headers).not.toHaveProperty(NOTICE);
  });
});

describe('the mail that asks a recipient', () => {
  it('comes once in 24 hours, also when the address is removed and added again, with any spelling', async () => {
    const { slug, id } = await deploy({ recipients: ['ada@example.org'] });
    await asks(slug, 1);
    for (const recipients of [['ada@example.org'], [], ['ADA@example.org'], ['bob@example.org', 'ada@example.org']]) {
      const { headers } = await patch(id, { recipients }).expect(200);
      const isTold = /^Not confirmed yet, and without mail until then: /.test(headers[NOTICE] ?? '');
      expect(isTold).toBe(recipients.length > 0);
    }
    expect(toOf(await asks(slug, 2))).toEqual(['ada@example.org', 'bob@example.org']);
    await settled(id);
    await service
      .db('mail_recipients')
      .where({ deployment_id: id })
      .update({
        asked_at: service.db.raw("now() - interval '24 hours'"),
      });
    await patch(id, { recipients: ['ada@example.org'] }).expect(200);
    expect(toOf(await asks(slug, 3))).toEqual(['ada@example.org', 'ada@example.org', 'bob@example.org']);
  });

  it(`comes ${SIZES.recipient.maxAsks} times a day at most for an owner: more is a 429 that changes nothing`, async () => {
    const other = await service.owner();
    let address = 0;
    const five = () => Array.from({ length: 5 }, () => `a${++address}@example.org`);
    const pages = await Promise.all(Array.from({ length: 5 }, () => other.deploy()));
    // At once.
    const answers = await Promise.all(pages.map(({ id }) => patch(id, { recipients: five(), language: 'de' }, other)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
    const late = answers.find(({ status }) => status === 429);
    expect(Number(late?.headers['retry-after'])).toBeGreaterThan(24 * 60 * 60 - 60);
    expect(late?.body).toEqual({
      error: expect.stringMatching(/^Nothing was changed: in 24 hours you can have 20 new/),
    });
    const full = pages[answers.findIndex(({ status }) => status === 429)]?.id ?? '';
    expect(await settingsOf(full, other)).toMatchObject({ recipients: [], language: null });
    expect(answer(await patch(full, { recipients: ['more@example.org'] }, other))).toEqual(refused(429));
    // Whom it need not ask is not counted.
    const { email } = await service.db('owners').orderBy('id', 'desc').first();
    await patch(full, { recipients: [email] }, other).expect(200);
    await patch(full, { recipients: [] }, other).expect(200);
  });

  it('does not come without a mail server, and the answer says so', async () => {
    // A service of its own: it would attempt the mails of the others.
    const plain = await testService();
    const its = await plain.owner();
    const { id } = await its.deploy();
    const { headers } = await patch(id, { recipients: ['ada@example.org'] }, its).expect(200);
    expect(headers[NOTICE]).toBe('Mail is off: the operator must set SMTP_URL. Then send recipients again');
    expect(await settingsOf(id, its)).toMatchObject({ recipients: [{ email: 'ada@example.org', confirmed: false }] });
    expect(await plain.db('deliveries').where({ deployment_id: id })).toEqual([]);
    expect(answer(await its.post(`/deploy/${id}/mails/test`))).toEqual({
      status: 409,
      body: { error: 'Nobody would get this mail: the operator must set SMTP_URL, and try again.' },
    });
  });
});

describe('the link that confirms', () => {
  const post = (path: string) => fetch(service.url + path, { method: 'POST' });

  it('is the same page for each that was changed, and where there is nothing to confirm', async () => {
    const { id, slug } = await deploy({ recipients: ['ada@example.org', 'bob@example.org'] });
    const [ada, bob] = await asks(slug, 2);
    const gone = await deploy({ recipients: ['ada@example.org'] });
    const [toGone] = await asks(gone.slug, 1);
    await owner.delete(`/deploy/${gone.id}`).expect(200);
    await patch(id, { recipients: ['ada@example.org'] }).expect(200);
    if (!ada || !bob || !toGone) throw new Error('No mails');
    const path = confirmPath(ada);
    const { id: recipientId } = await rowOf(id, 'ada@example.org');
    const pages: string[] = [];
    for (const wrong of [
      path.replace(/\?.*/, ''),
      path.slice(0, -1),
      path.replace(/expires=\d/, 'expires=9'),
      path.replace(id, UNKNOWN_ID),
      path.replace(recipientId, '%00'),
      path.replace('/confirm/', '/unsubscribe/').replace(/expires=\d+&/, ''),
      links.unsubscribe(id, recipientId).replace('/unsubscribe/', '/confirm/'),
      // Signed, and of nothing that is there.
      confirmPath(bob),
      confirmPath(toGone),
    ]) {
      const [asked, done] = [await fetch(service.url + wrong), await post(wrong)];
      expect([wrong, asked.status, done.status]).toEqual([wrong, 404, 404]);
      if (wrong.startsWith('/confirm')) pages.push(await asked.text(), await done.text());
    }
    expect(new Set(pages).size).toBe(1);
    expect(await recipientsOf(id)).toEqual([{ email: 'ada@example.org', confirmed: false }]);
  });

  it('expires after 7 days', async () => {
    const { id } = await deploy({ recipients: ['ada@example.org'] });
    const { id: recipientId } = await rowOf(id, 'ada@example.org');
    const path = links.confirm({ deploymentId: id, recipientId }, new Date(Date.now() - 1_000));
    const done = await post(path);
    expect([done.status, await done.text()]).toEqual([410, expect.stringContaining('it works for 7 days.')]);
    expect(await recipientsOf(id)).toEqual([{ email: 'ada@example.org', confirmed: false }]);
  });
});

describe('the link by which a recipient stops mail', () => {
  it('ends its mails of that deployment only, with one click, and needs a new confirmation', async () => {
    const [page, other] = [await confirmed('ada@example.org', OWN), await confirmed('ada@example.org')];
    await submit(page.id);
    const [mail] = await news(page.slug, 2);
    const path = mail?.unsubscribe ?? '';
    const asked = await (await fetch(service.url + path)).text();
    expect(asked).toContain(`<h1>Stop the mails about ${page.slug}?</h1>`);
    expect(asked).toContain('<form method="post"><button name="List-Unsubscribe" value="One-Click">');
    expect(await recipientsOf(page.id)).toMatchObject([{ confirmed: true }, { confirmed: true }]);
    for (const _time of [1, 2]) {
      const done = await fetch(service.url + path, {
        method: 'POST',
        body: 'List-Unsubscribe=One-Click',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        redirect: 'manual',
      });
      expect([done.status, done.headers.get('set-cookie')]).toEqual([200, null]);
      expect(await done.text()).toContain(`<h1>No more mails about ${page.slug}</h1>`);
    }
    expect(await recipientsOf(page.id)).toEqual([
      { email: 'ada@example.org', confirmed: false },
      { email: OWN, confirmed: true },
    ]);
    expect(await settingsOf(page.id)).toMatchObject({ email_notifications: true });
    expect(await recipientsOf(other.id)).toEqual([{ email: 'ada@example.org', confirmed: true }]);
    await submit(page.id);
    expect(toOf(await news(page.slug, 3))).toEqual(['ada@example.org', OWN, OWN]);

    // The owner can't ask again before a day is over.
    await patch(page.id, { recipients: ['ada@example.org'] }).expect(200);
    await settled(page.id);
    await asks(page.slug, 0);
    await service
      .db('mail_recipients')
      .where({ deployment_id: page.id })
      .update({
        asked_at: service.db.raw("now() - interval '24 hours'"),
      });
    await patch(page.id, { recipients: ['ada@example.org'] }).expect(200);
    await asks(page.slug, 1);
  });

  it("is not the owner's, and the owner's is not a recipient's", async () => {
    const { id } = await confirmed('ada@example.org');
    const { id: recipientId } = await rowOf(id, 'ada@example.org');
    const [own, recipients] = [links.unsubscribe(id), links.unsubscribe(id, recipientId)];
    const queryOf = (link: string) => link.slice(link.indexOf('?'));
    for (const path of [
      `/unsubscribe/${id}${queryOf(recipients)}`,
      `/unsubscribe/${id}/${recipientId}${queryOf(own)}`,
    ]) {
      expect((await fetch(service.url + path, { method: 'POST' })).status).toBe(404);
    }
    expect(await settingsOf(id)).toMatchObject({ email_notifications: true, recipients: [{ confirmed: true }] });
  });
});

describe('a mail', () => {
  it("has the labels of the page's form instead of names", async () => {
    const html = '<form method="post"><label>Your name: <input name="n"></label><input name="other"></form>';
    const { id, slug } = await deploy();
    await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    await submit(id, { n: 'Ada', other: 'x' });
    const [mail] = await news(slug, 1);
    expect(mail?.text).toContain('\n\nYour name: Ada\nother: x\n\n');
  });
});

describe('GET /deploy/:id/mails', () => {
  it('lists mails newest first, with their recipients, and none that asks or tells', async () => {
    const { id, slug } = await confirmed('ada@example.org', OWN);
    expect(await logOf(id)).toEqual({ deliveries: [], total: 0, page: 1, limit: 50 });
    const { body: submission } = await submit(id);
    await news(slug, 2);
    const test = await owner.post(`/deploy/${id}/mails/test`).expect(202);
    await mailsWith(smtp, `Test mail for ${slug}`, 2);
    await settled(id);
    const mailed = (more: object) => aDelivery({ recipient: expect.any(String), last_status: 250, ...more });
    const log = await logOf(id);
    expect(log).toEqual({
      deliveries: [...[1, 2].map(() => mailed({})), ...[1, 2].map(() => mailed({ submission_id: submission.id }))],
      total: 4,
      page: 1,
      limit: 50,
    });
    const recipients: string[] = log.deliveries.map(({ recipient }: { recipient: string }) => recipient);
    expect([recipients.slice(0, 2).sort(), recipients.slice(2).sort()]).toEqual(
      [1, 2].map(() => ['ada@example.org', OWN]),
    );
    const ids: string[] = log.deliveries.map((delivery: { id: string }) => delivery.id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(ids[1]).toBe(test.body.id);
    // Also once the recipient is removed, and forgotten.
    await patch(id, { recipients: [] }).expect(200);
    expect((await logOf(id)).deliveries).toEqual(log.deliveries);
    const { rowCount } = await service.db.raw(
      `UPDATE mail_recipients SET asked_at = NULL, removed_at = now() - interval '2 days' WHERE deployment_id = ?`,
      [id],
    );
    expect(rowCount).toBe(2);
    await removeOldRows(service.db, { logStart: new Date(Date.now() - 86_400_000) });
    const later = (await logOf(id)).deliveries;
    expect(later.map(({ recipient }: { recipient: string }) => recipient)).toEqual([null, null, null, null]);
  });
});

describe('POST /deploy/:id/mails/test', () => {
  it('sends a sample to the owner, who need not have switched mail on', async () => {
    const { id, slug } = await owner.deploy();
    // A recipient who has not confirmed gets none.
    await patch(id, { recipients: ['ada@example.org'] }).expect(200);
    const made = await owner.post(`/deploy/${id}/mails/test`).expect(202);
    const [mail] = await mailsWith(smtp, `Test mail for ${slug}`, 1);
    expect([mail?.to, mail?.id]).toEqual([OWN, `<${made.body.id}@api.test>`]);
    expect(mail?.text).toMatch(/^This is a test, and no form was submitted\./);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(0);
  });
});

describe('POST /deploy/:id/mails/:deliveryId/retry', () => {
  it('answers 409 when nobody would get the mail any more', async () => {
    const { id, slug } = await confirmed('ada@example.org');
    await submit(id);
    await news(slug, 1);
    const [{ recipient_id: recipientId, id: mailId }] = (await settled(id)).filter(
      ({ event }) => event !== 'confirmation',
    );
    const retry = () => owner.post(`/deploy/${id}/mails/${mailId}/retry`);
    await patch(id, { email_notifications: false }).expect(200);
    expect((await retry()).status).toBe(409);
    await patch(id, { email_notifications: true }).expect(200);
    expect((await retry()).status).toBe(202);
    await news(slug, 2);
    await settled(id);
    await fetch(service.url + links.unsubscribe(id, recipientId), { method: 'POST' });
    expect((await retry()).status).toBe(409);
    expect((await logOf(id)).deliveries).toMatchObject([{ status: 'succeeded' }]);
  });
});

describe('a mail that has succeeded', () => {
  it('counts as a test when it is sent again, as a test of a webhook does; one that has failed does not', async () => {
    const tester = await service.owner();
    const { id } = await tester.deploy();
    const { id: mailId } = (await tester.post(`/deploy/${id}/mails/test`).expect(202)).body;
    const again = () => tester.post(`/deploy/${id}/mails/${mailId}/retry`);
    await settled(id);
    await again().expect(202);
    const { body: webhook } = await tester
      .post(`/webhooks/${id}`)
      .send({ url: 'https://nowhere.invalid/' })
      .expect(201);
    await tester.patch(`/webhooks/${id}/${webhook.id}`).send({ active: false }).expect(200);
    for (let tests = 2; tests < MAX_TESTS; tests += 1) {
      await tester.post(`/webhooks/${id}/${webhook.id}/test`).expect(202);
    }
    await expect.poll(() => statusOf(mailId)).toBe('succeeded');
    const refusal = await again();
    expect([refusal.status, Number(refusal.headers['retry-after']) > 0]).toEqual([429, true]);
    await service.db('deliveries').where({ id: mailId }).update({ status: 'failed' });
    await again().expect(202);
    await expect.poll(() => statusOf(mailId)).toBe('succeeded');
  });
});

describe('an address that the mail server refuses', () => {
  const refuse = (to: string) => smtp.makeTrouble({ at: 'rcpt', to, does: { code: 550, text: 'No such mailbox' } });

  it(`gets no more mail after ${SIZES.recipient.maxRefusals} times in a row, and the owner is told`, async () => {
    const { id, slug } = await confirmed('ada@example.org', OWN);
    refuse('ada@example.org');
    await submit(id);
    const [told] = await mailsWith(smtp, 'Mail to ada@example.org was switched off', 1);
    expect(told?.to).toBe(OWN);
    expect(told?.text).toContain('Last failure: the mail server answered 550');
    smtp.makeTrouble();
    await settled(id);
    // A mail that still waited for the address is not lost.
    const { deliveries } = await logOf(id);
    const refused = deliveries.find(({ recipient }: { recipient: string }) => recipient === 'ada@example.org');
    expect(deliveries).toHaveLength(2);
    expect(refused).toMatchObject({
      status: 'failed',
      attempts: SIZES.recipient.maxRefusals,
      last_status: 550,
      last_error: 'the mail server answered 550',
    });
    const again = () => owner.post(`/deploy/${id}/mails/${refused.id}/retry`);
    await again().expect(409);
    expect(await recipientsOf(id)).toMatchObject([{ confirmed: true }, { confirmed: true }]);
    const notice =
      'ada@example.org gets no mail, the mail server refused it 5 times in a row: check it, and send recipients again';
    expect((await owner.get(`/deploy/${id}/settings`)).headers[NOTICE]).toBe(notice);
    expect((await owner.get('/me')).headers[NOTICE]).toBe(
      `Mail about a page was switched off because the mail server refused an address, see GET /deploy/:id/settings: ${id}`,
    );
    expect((await stranger.get('/me')).headers).not.toHaveProperty(NOTICE);
    await submit(id);
    expect(toOf(await news(slug, 2))).toEqual([OWN, OWN]);
    await patch(id, { recipients: ['ada@example.org', OWN] }).expect(200);
    expect((await owner.get(`/deploy/${id}/settings`)).headers).not.toHaveProperty(NOTICE);
    await submit(id);
    expect(toOf(await news(slug, 4))).toEqual(['ada@example.org', OWN, OWN, OWN]);
    await again().expect(202);
    expect(toOf(await news(slug, 5))).toEqual(['ada@example.org', 'ada@example.org', OWN, OWN, OWN]);
  });

  it('is named to the owner with a request that keeps the other recipients, and that a shell reads as it is', async () => {
    const odd = "o'`id`'@example.org";
    const { id, slug } = await confirmed('bob@example.org', odd, OWN);
    refuse(odd);
    await submit(id);
    const [told] = await mailsWith(smtp, `Mail to ${odd} was switched off`, 1);
    smtp.makeTrouble();
    await settled(id);
    expect(toOf(await news(slug, 2))).toEqual(['bob@example.org', OWN]);
    const [, body = ''] = / -d '([^']*)'\n/.exec(told?.text ?? '') ?? [];
    expect(JSON.parse(body)).toEqual({ recipients: ['bob@example.org', odd, OWN] });
  });

  it('is counted again from a success, and not for other failures', async () => {
    const { id, slug } = await confirmed('ada@example.org');
    const recipient = service.db('mail_recipients').where({ deployment_id: id });
    const becomes = (state: object) =>
      vi.waitFor(async () => expect(await rowOf(id, 'ada@example.org')).toMatchObject(state), PATIENCE);
    const almost = { failures: SIZES.recipient.maxRefusals - 1 };
    await recipient.clone().update(almost);
    await submit(id);
    await news(slug, 1);
    await becomes({ failures: 0 });
    await settled(id);
    const [{ id: mailId }] = (await logOf(id)).deliveries;
    const fail = async (at: 'mail' | 'message', code: number) => {
      await recipient.clone().update(almost);
      // The last of its attempts: it fails with this one.
      await service.db('deliveries').where({ id: mailId }).update({ attempts: 99 });
      smtp.makeTrouble({ at, does: { code, text: 'No' } });
      await owner.post(`/deploy/${id}/mails/${mailId}/retry`).expect(202);
      await settled(id);
      smtp.makeTrouble();
    };
    await fail('mail', 550);
    await becomes({ ...almost, switched_off_at: null });
    await fail('message', 554);
    await becomes({ switched_off_at: expect.any(Date) });
  });

  it("is the owner's: email_notifications goes off, and a header says why until it is on again", async () => {
    const other = await service.owner();
    const { id } = await other.deploy();
    await patch(id, { email_notifications: true }, other).expect(200);
    const { email } = await service.db('owners').orderBy('id', 'desc').first();
    refuse(email);
    await submit(id);
    await expect.poll(() => settingsOf(id, other)).toMatchObject({ email_notifications: false, notify_owner: true });
    smtp.makeTrouble();
    await settled(id);
    expect((await other.get(`/deploy/${id}/mails`)).body.deliveries).toMatchObject([
      { status: 'failed', last_status: 550 },
    ]);
    const noticeAt = async (path: string) => (await other.get(path)).headers[NOTICE];
    expect(await noticeAt(`/deploy/${id}/settings`)).toBe(
      'Mail to you is off because your address does not work, the mail server refused it 5 times in a row: check it, and send email_notifications and notify_owner true',
    );
    expect(await noticeAt('/me')).toMatch(/^Mail about a page was switched off .*d_\w+$/);
    expect(seenMails(smtp).filter(({ subject }) => subject === `Mail to ${email} was switched off`)).toEqual([]);
    await patch(id, { email_notifications: true }, other).expect(200);
    expect([await noticeAt(`/deploy/${id}/settings`), await noticeAt('/me')]).toEqual([undefined, undefined]);
  });
});
