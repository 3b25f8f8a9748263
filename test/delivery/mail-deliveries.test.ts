import { describe, expect, it, onTestFinished } from 'vitest';
import { seenMails } from '../support/mail.ts';
import { neverAnswers, startRawReceiver, startReceiver, startToldReceiver } from '../support/receivers.ts';
import { decodeWords, headerOf, readMail, type Trouble, testSmtpServer } from '../support/smtp.ts';
import { testService } from '../support/test-service.ts';
import { eventually, Forms, idIn } from '../support/webhooks.ts';

const smtp = await testSmtpServer();
/** Retries after 600 and 700 seconds, which no test waits for. */
const service = await testService({
  ...{ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '600,700' },
  ...{ SMTP_URL: smtp.url, MAIL_FROM: 'Forms <forms@pages.example>' },
});
const owner = await service.owner();
const forms = new Forms(service, owner);

const OWNER = 'owner1@test.example';

/** A deployment whose owner gets mail. */
async function mailForm(): Promise<{ id: string; slug: string }> {
  const form = await owner.deploy();
  await owner.change(form.id, { email_notifications: true });
  return form;
}

/** The mails that came about a deployment. */
const mailsOf = ({ slug }: { slug: string }) => seenMails(smtp).filter(({ subject }) => subject.includes(slug));

/** Sees a mail about a new submission: whatever was due before has been sent, too. */
async function mailPasses(): Promise<void> {
  const form = await mailForm();
  await forms.submit(form.id);
  await eventually(() => mailsOf(form).length).toBe(1);
}

function makeTrouble(trouble: Trouble): void {
  smtp.makeTrouble(trouble);
  onTestFinished(() => smtp.makeTrouble());
}

describe('mail', () => {
  it('tells the owner of a submission, as text and as HTML', async () => {
    const form = await mailForm();
    const data = '{"name":"Ada <3","email":"ada@home.example","_cc":"x","message":"Hello,\\nworld"}';
    await forms.submit(form.id, data);
    await eventually(() => mailsOf(form).length).toBe(1);
    const [mail] = smtp.received.filter(({ raw }) => raw.includes(form.slug));
    expect([mail?.from, mail?.to]).toEqual(['forms@pages.example', [OWNER]]);
    const { headers, parts } = readMail(mail?.raw ?? Buffer.of());
    expect(['Reply-To', 'Subject'].map((name) => headerOf(headers, name))).toEqual([
      'ada@home.example',
      `New submission for ${form.slug}: Ada <3`,
    ]);
    const shown = parts.map(({ text }) => ['<3', '&lt;3', '_cc'].filter((piece) => text.includes(piece)));
    expect(shown).toEqual([['<3'], ['&lt;3']]);
  });

  it('calls a page by its title, in the subject and in the text', async () => {
    const form = await owner.deploy({ html: '<title>Garden &amp; \n Café</title><form></form>' });
    await owner.change(form.id, { email_notifications: true });
    await forms.submit(form.id, '{"name":"Ada"}');
    const seen = () => smtp.received.filter(({ raw }) => raw.includes(form.slug));
    await eventually(() => seen().length).toBe(1);
    const { headers, parts } = readMail(seen()[0]?.raw ?? Buffer.of());
    expect(decodeWords(headerOf(headers, 'Subject'))).toBe('New submission for Garden & Café: Ada');
    expect(parts[0]?.text).toContain('A form of Garden & Café was submitted');
  });

  it('comes while it is switched on; what waits for a retry is not sent when it is off, or the deployment deleted', async () => {
    const [never, gone, off] = [await owner.deploy(), await mailForm(), await mailForm()];
    makeTrouble({ at: 'mail', does: { code: 451, text: 'Later' } });
    for (const { id } of [never, gone, off]) await forms.submit(id);
    const waiting = () =>
      service.db('deliveries').whereIn('deployment_id', [gone.id, off.id]).whereNotNull('last_error');
    await eventually(async () => (await waiting()).length).toBe(2);
    smtp.makeTrouble();
    await owner.delete(`/deploy/${gone.id}`).expect(200);
    await owner.change(off.id, { email_notifications: false });
    for (const { id } of [gone, off]) expect(await forms.comeDue(id)).toBe(1);
    await eventually(() => Promise.all([never, gone, off].map(({ id }) => forms.rows(id)))).toEqual([[], [], []]);
    await forms.submit(off.id);
    await mailPasses();
    expect([never, gone, off].flatMap(mailsOf)).toEqual([]);
  });

  it('is tried again, the same mail, while the webhooks beside it go out, and given up after the last retry', async () => {
    const receiver = await startReceiver();
    const form = await mailForm();
    const webhook = await forms.addWebhook(form.id, receiver.url);
    makeTrouble({ at: 'message', does: { code: 451, text: 'Later' } });
    const met = smtp.met();
    await forms.submit(form.id);
    await eventually(() => forms.fates(webhook)).toEqual(['succeeded 1']);
    for (const tries of [1, 2]) {
      await eventually(async () => (smtp.met() === met + tries ? forms.comeDue(form.id) : 0)).toBe(1);
    }
    await eventually(async () => (await forms.rows(form.id)).toSorted()).toEqual(['failed', 'succeeded']);
    const log = (await owner.get(`/deploy/${form.id}/mails`)).body.deliveries;
    smtp.makeTrouble();
    await owner.post(`/deploy/${form.id}/mails/${log[0].id}/retry`).expect(202);
    await eventually(() => mailsOf(form).map(({ id }) => id)).toEqual([`<${log[0].id}@pages.example>`]);
    expect(smtp.met()).toBe(met + 3);
  });

  it('delays neither the visitor nor a webhook while the mail server hangs', async () => {
    const receiver = await startReceiver();
    const form = await mailForm();
    const webhook = await forms.addWebhook(form.id, receiver.url);
    const met = smtp.met();
    makeTrouble({ at: 'mail', does: 'hang' });
    await forms.submit(form.id);
    await eventually(() => smtp.met()).toBe(met + 1);
    await forms.submit(form.id);
    await eventually(() => forms.fates(webhook)).toEqual(['succeeded 1', 'succeeded 1']);
    smtp.makeTrouble();
    for (const socket of smtp.sockets.values()) socket.destroy();
  });

  it.each<Trouble['at']>(['greeting', 'message'])(
    'comes once from a server that is later than any webhook may be (%s), and delays no webhook',
    async (at) => {
      const quick = { DELIVERY_TIMEOUT_MS: '150', DELIVERY_LEASE_MS: '300', DELIVERY_RETRY_DELAYS: '0,0,0,600' };
      const slow = await testSmtpServer();
      const impatient = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', SMTP_URL: slow.url, ...quick });
      const its = await impatient.owner();
      const pages = new Forms(impatient, its);
      const form = await its.deploy();
      await its.change(form.id, { email_notifications: true });
      slow.makeTrouble({ at, does: 'wait' });
      await pages.submit(form.id);
      await eventually(() => slow.met()).toBe(1);
      // Four calls take longer than one, and than the lease of one.
      const silent = await pages.to((await startRawReceiver(neverAnswers)).url);
      const other = await pages.to((await startReceiver()).url);
      for (const { id } of [silent, other]) await pages.submit(id);
      await eventually(() => pages.fates(silent.webhook)).toEqual(['pending 4']);
      // A call has little time here, and is made again on a busy machine.
      expect(await pages.fates(other.webhook)).toEqual([expect.stringMatching(/^succeeded/)]);
      slow.makeTrouble();
      const log = async () => (await its.get(`/deploy/${form.id}/mails`)).body.deliveries;
      await eventually(log).toMatchObject([{ status: 'succeeded', attempts: 1, last_status: 250 }]);
      expect([slow.received.length, slow.connections.opened]).toEqual([1, 1]);
    },
  );

  it('tells the owner of a webhook that was switched off, once a day however often that is', async () => {
    const receiver = await startToldReceiver(410);
    const { id, slug, webhook } = await forms.to(`${receiver.url}/secret-path`);
    const webhooks = service.db('webhooks').where({ id: idIn(webhook) });
    const isActive = () => forms.isActive({ id });
    const isBusy = async () => (await service.db('deliveries').where({ deployment_id: id, leased: true })).length > 0;
    const about = () => mailsOf({ slug }).map(({ to, subject }) => ({ to, subject }));
    const notice = { to: OWNER, subject: `A webhook of ${slug} was switched off` };
    await forms.submit(id);
    await eventually(isActive).toBe(false);
    await eventually(about).toEqual([notice]);
    expect(mailsOf({ slug })[0]?.text).toContain(`\nURL: ${receiver.url}/secret-path\n`);
    for (const [age, mails] of [
      ['23 hours 59 minutes', 1],
      ['1 day', 2],
    ] as const) {
      await eventually(isBusy).toBe(false);
      await webhooks.clone().update({ noticed_at: service.db.raw('now() - CAST(? AS interval)', [age]) });
      await owner.patch(webhook).send({ active: true }).expect(200);
      await forms.submit(id);
      await eventually(isActive).toBe(false);
      await eventually(about).toEqual(Array(mails).fill(notice));
      await mailPasses();
      expect(about()).toEqual(Array(mails).fill(notice));
    }
  });
});
