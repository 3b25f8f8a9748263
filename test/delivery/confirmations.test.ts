import { describe, expect, it, onTestFinished } from 'vitest';
import { reserveConfirmation } from '../../src/db/deliveries/visitor-confirmation-queries.ts';
import { removeOldRows } from '../../src/db/old-rows.ts';
import { NOTICE } from '../../src/http/response/notice-header.ts';
import { FIRST_OWNER } from '../../src/lib/mail-address.ts';
import { SIZES } from '../../src/sizes.ts';
import { answer, refused } from '../support/answers.ts';
import { seenMails } from '../support/mail.ts';
import { decodeWords, headerOf, readMail, type Trouble, testSmtpServer } from '../support/smtp.ts';
import { asOwner, type Owner, testService } from '../support/test-service.ts';
import { aDelivery, eventually } from '../support/webhooks.ts';

const PER_DAY = 3;
const MAX_TESTS = 6;
const smtp = await testSmtpServer();
const settings = {
  ...{ SMTP_URL: smtp.url, MAIL_FROM: 'Forms <forms@pages.example>' },
  // No test waits for a retry.
  ...{ DELIVERY_RETRY_DELAYS: '600,600', CONFIRMATIONS_PER_DAY: String(PER_DAY) },
};
const service = await testService(settings, undefined, { limits: { owners: { testsPerMinute: MAX_TESTS } } });

const NO_ADDRESS = 'the field email of the submission is not one plain mail address';
const OF_ADDRESS = 'the address gets one confirmation of this page a day';
const OF_OWNER = 'the confirmations of this day are used up (CONFIRMATIONS_PER_DAY)';
const REFUSED = 'the mail server has refused the address before';

type Page = { owner: Owner; id: string; slug: string; subject: string };

/** A page that confirms submissions, with a subject of its own. */
async function confirming(given?: Owner): Promise<Page> {
  const owner = given ?? (await service.owner());
  const { id, slug } = await owner.deploy();
  const subject = `Thank you from ${slug}`;
  await owner.change(id, { confirmation: { field: 'email', subject, text: 'It is here.' } });
  return { owner, id, slug, subject };
}

const submit = (page: Page, email: unknown): Promise<string> => service.submit(page.id, JSON.stringify({ email }));

const mailsOf = ({ subject }: Page) => seenMails(smtp).filter((mail) => mail.subject.includes(subject));
const logOf = async ({ owner, id }: Page) => (await owner.get(`/deploy/${id}/mails`).expect(200)).body.deliveries;

/** The recipient and the error of each mail of a page, oldest first, once none is on its way. */
async function fates(page: Page): Promise<[recipient: string | null, error: string | null][]> {
  await eventually(async () => (await logOf(page)).some(({ status }: { status: string }) => status === 'pending')).toBe(
    false,
  );
  return (await logOf(page))
    .map(({ recipient, last_error }: Record<string, string | null>) => [recipient, last_error])
    .toReversed();
}

function makeTrouble(trouble: Trouble): void {
  smtp.makeTrouble(trouble);
  onTestFinished(() => smtp.makeTrouble());
}

/** Has all that was counted be of the day before. */
async function nextDay({ id }: Page): Promise<void> {
  await service
    .db('visitor_confirmations')
    .where({ deployment_id: id })
    .update({ day: service.db.raw('day - 1') });
  await service.db.raw(
    'UPDATE owners SET confirmations_day = confirmations_day - 1 FROM deployments WHERE owner_id = owners.id AND deployments.id = ?',
    [id],
  );
}

/** Has the time come for a confirmation that the mail server has put off so many times. */
async function comeDue({ id }: Page, attempts: number): Promise<void> {
  const waiting = () =>
    service.db('deliveries').where({ deployment_id: id, status: 'pending', leased: false, attempts });
  await eventually(async () => (await waiting()).length).toBe(1);
  await waiting().update({ next_attempt_at: service.db.fn.now() });
}

describe('a confirmation', () => {
  it("has the owner's text, and nothing of the submission except its id", async () => {
    const page = await confirming();
    const { owner, id, slug } = page;
    const confirmation = {
      field: 'your mail',
      subject: `Größe {{reference}} from ${slug}`,
      text: '{{date}}: <b>{{page}}</b>\r\n\r\n{{reference}} {{reference}}',
    };
    await owner.change(id, { confirmation });
    const data = { email: 'other@home.example', message: 'Visit {{page}} http://evil.example' };
    const submission = await service.submit(page.id, JSON.stringify({ ...data, 'your mail': 'Ada+1@home.example' }));
    expect(await fates(page)).toEqual([['Ada+1@home.example', null]]);

    const [mail, ...others] = smtp.received.filter(({ raw }) => raw.includes(slug));
    expect([mail?.from, mail?.to, others]).toEqual(['forms@pages.example', ['Ada+1@home.example'], []]);
    const { headers, parts } = readMail(mail?.raw ?? Buffer.of());
    const names = ['From', 'To', 'Reply-To', 'Auto-Submitted', 'Subject'] as const;
    expect(names.map((name) => decodeWords(headerOf(headers, name)))).toEqual([
      ...['Forms <forms@pages.example>', 'Ada+1@home.example', (await owner.get('/me')).body.email, 'auto-replied'],
      `Größe ${submission} from ${slug}`,
    ]);
    expect(headers.filter(([name]) => /^(?:Cc|Bcc|List-)/.test(name))).toEqual([]);
    const { created_at: time } = (await owner.get(`/submissions/${id}/${submission}`)).body;
    const address = `${slug} (https://${slug}.pages.test)`;
    expect(parts[0]?.text).toBe(`${time.slice(0, 10)}: <b>${address}</b>\n\n${submission} ${submission}\n`);
    // The language of the owner's text is not known.
    expect(parts[1]?.text).toContain('<html lang="">');
    expect(parts[1]?.text).toContain(
      `>${time.slice(0, 10)}: &lt;b&gt;${address}&lt;/b&gt;<br><br>${submission} ${submission}<`,
    );
    expect(parts.filter(({ text }) => /evil|Visit|home\.example/.test(text))).toEqual([]);
    expect(await logOf(page)).toEqual([
      aDelivery({ submission_id: submission, last_status: 250, recipient: 'Ada+1@home.example' }),
    ]);
  });

  it('goes to one plain address only, and the log says why not', async () => {
    const page = await confirming();
    const values = [
      ...[
        '"a@b.example, d@e.example"',
        '"a@b.example\\r\\nBcc: x@y.example"',
        '["a@b.example"]',
        '{"a":"a@b.example"}',
      ],
      ...[`"${'a'.repeat(50)}@${'b'.repeat(250)}"`, '"ä@b.example"', '"Ada <a@b.example>"', '""'],
      '"a@b.example","email":"d@e.example"',
    ];
    for (const value of values) await service.submit(page.id, `{"email":${value}}`);
    await service.submit(page.id, '{"Email":"a@b.example"}');
    expect(await fates(page)).toEqual(Array(values.length + 1).fill([null, NO_ADDRESS]));
    expect(mailsOf(page)).toEqual([]);
    const metrics = await (await service.exposeMetrics()).metrics();
    const [, skipped] = /attempts_total\{kind="mail",result="skipped"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(skipped)).toBeGreaterThanOrEqual(values.length + 1);
  });

  it('goes to an address without the white space around it, with its domain in IDNA, once a day', async () => {
    const page = await confirming();
    for (const email of ['\u3000Ada@Bücher.example\r\n', 'ada@xn--bcher-kva.example ', 'ada@BÜCHER。example']) {
      await submit(page, email);
      await fates(page);
    }
    expect(await fates(page)).toEqual([
      ['Ada@xn--bcher-kva.example', null],
      ['ada@xn--bcher-kva.example', OF_ADDRESS],
      ['ada@xn--bcher-kva.example', OF_ADDRESS],
    ]);
    expect(mailsOf(page).map(({ to }) => to)).toEqual(['Ada@bücher.example']);
    const raws = smtp.received.filter(({ to }) => to.includes('Ada@bücher.example')).map(({ raw }) => `${raw}`);
    expect(raws).toEqual([expect.stringContaining('\r\nTo: Ada@xn--bcher-kva.example\r\n')]);
    const { submissions } = (await page.owner.get(`/submissions/${page.id}`)).body;
    expect(submissions.at(-1).data).toEqual({ email: '\u3000Ada@Bücher.example\r\n' });
  });

  it('goes to an address once a day for a page', async () => {
    const owner = await service.owner();
    const [page, other] = [await confirming(owner), await confirming(owner)];
    await submit(page, 'ada@home.example');
    await fates(page);
    await submit(page, 'ADA@home.example');
    await submit(other, 'ada@home.example');
    expect(await fates(page)).toEqual([
      ['ada@home.example', null],
      ['ADA@home.example', OF_ADDRESS],
    ]);
    expect(await fates(other)).toEqual([['ada@home.example', null]]);
    await nextDay(page);
    await submit(page, 'ada@home.example');
    expect((await fates(page))[2]).toEqual(['ada@home.example', null]);
    expect(mailsOf(page).map(({ to }) => to)).toEqual(['ada@home.example', 'ada@home.example']);
  });

  it("stops at the owner's limit of a day, whatever the page and the alias", async () => {
    const owner = await service.owner();
    const [page, other] = [await confirming(owner), await confirming(owner)];
    for (const alias of [1, 2, 3, 4]) {
      await submit(page, `a+${alias}@home.example`);
      await fates(page);
    }
    await submit(other, 'a+5@home.example');
    expect((await fates(page)).map(([, error]) => error)).toEqual([null, null, null, OF_OWNER]);
    expect(await fates(other)).toEqual([['a+5@home.example', OF_OWNER]]);
    const ofOther = await confirming();
    await submit(ofOther, 'a+5@home.example');
    expect(await fates(ofOther)).toEqual([['a+5@home.example', null]]);
    await nextDay(page);
    await submit(page, 'a+4@home.example');
    expect((await fates(page)).at(-1)).toEqual(['a+4@home.example', null]);
    expect(mailsOf(page)).toHaveLength(PER_DAY + 1);
  });

  it('keeps both limits when many are sent at once, by two processes', async () => {
    const page = await confirming();
    const { url } = await service.another(settings);
    const post = (origin: string) =>
      fetch(`${origin}/submit/${page.id}`, {
        method: 'POST',
        body: new URLSearchParams({ email: 'ada@home.example' }),
      });
    await Promise.all([service.url, url, service.url, url, service.url, url].map(post));
    const all = await fates(page);
    expect(all.map(([, error]) => error).toSorted()).toEqual([null, ...Array(5).fill(OF_ADDRESS)]);
    expect(mailsOf(page)).toHaveLength(1);

    const { id: deploymentId } = await confirming();
    const [{ owner_id: ownerId }] = await service.db('deployments').where({ id: deploymentId }).select('owner_id');
    const reserve = (n: number) =>
      reserveConfirmation(service.db, { id: `dl_${n}`, deploymentId, ownerId, address: `a${n}@home.example` }, PER_DAY);
    const reserved = await Promise.all(Array.from({ length: 8 }, (_, n) => reserve(n)));
    expect(reserved.toSorted()).toEqual([...Array(5).fill('owner-limit'), ...Array(PER_DAY).fill('reserved')]);
  });

  it('is not made for a test', async () => {
    const page = await confirming();
    await page.owner
      .post(`/submissions/${page.id}/test`)
      .send({ fields: { email: 'ada@home.example' } })
      .expect(200);
    expect(await logOf(page)).toEqual([]);
    await submit(page, 'ada@home.example');
    expect(await fates(page)).toEqual([['ada@home.example', null]]);
  });

  it('is not sent for spam before its release', async () => {
    const page = await confirming();
    const { owner, id } = page;
    await owner.change(id, { spam: { blocklist: ['casino'] } });
    await service.submit(page.id, '{"email":"ada@home.example","text":"casino"}');
    expect(await logOf(page)).toEqual([]);
    const [spam] = (await owner.get(`/deploy/${id}/spam`)).body.submissions;
    await owner.post(`/deploy/${id}/spam/${spam.id}/release`).expect(200);
    expect(await fates(page)).toEqual([['ada@home.example', null]]);
    expect((await logOf(page))[0].submission_id).toBe(spam.id);
  });

  it('is sent beside the mail about the submission', async () => {
    const page = await confirming();
    await page.owner.change(page.id, { email_notifications: true });
    await submit(page, 'ada@home.example');
    const { email } = (await page.owner.get('/me')).body;
    expect((await fates(page)).toSorted()).toEqual([
      ['ada@home.example', null],
      [email, null],
    ]);
  });

  it('is tried again, and counted once, when the mail server puts it off', async () => {
    const page = await confirming();
    makeTrouble({ at: 'message', does: { code: 451, text: 'Later' } });
    await submit(page, 'ada@home.example');
    for (const attempts of [1, 2]) await comeDue(page, attempts);
    expect(await fates(page)).toEqual([['ada@home.example', 'the mail server answered 451']]);
    smtp.makeTrouble();
    const [{ id }] = await logOf(page);
    await page.owner.post(`/deploy/${page.id}/mails/${id}/retry`).expect(202);
    expect(await fates(page)).toEqual([['ada@home.example', null]]);
    expect(mailsOf(page)).toHaveLength(1);
    const counts = service.db('owners').join('deployments', 'owner_id', 'owners.id').where('deployments.id', page.id);
    expect(await counts.pluck('confirmations_count')).toEqual([1]);

    const again = answer(await page.owner.post(`/deploy/${page.id}/mails/${id}/retry`));
    expect(again).toEqual({ status: 409, body: { error: 'This confirmation has been sent: a visitor gets it once.' } });
  });

  it('is not tried again where the mail server refuses it for good, because of its content or a blocklist too', async () => {
    const page = await confirming();
    makeTrouble({ at: 'rcpt', to: 'ada@home.example', does: { code: 550, text: '5.7.1 Blocked' } });
    await submit(page, 'ada@home.example');
    expect(await fates(page)).toEqual([['ada@home.example', 'the mail server answered 550']]);
    smtp.makeTrouble();
    await nextDay(page);
    await submit(page, 'ada@home.example');
    expect((await fates(page))[1]).toEqual(['ada@home.example', null]);
  });

  it('is not sent to an address that the mail server has refused, and mail to the owner stays on', async () => {
    const page = await confirming();
    await page.owner.change(page.id, { email_notifications: true, notify_every: 'day' });
    makeTrouble({ at: 'rcpt', to: 'gone@home.example', does: { code: 550, text: 'No such user' } });
    for (let day = 0; day <= SIZES.recipient.maxRefusals; day += 1) {
      await submit(page, 'gone@home.example');
      await fates(page);
      await nextDay(page);
    }
    expect(await fates(page)).toEqual([
      ['gone@home.example', 'the mail server answered 550'],
      ...Array(SIZES.recipient.maxRefusals).fill(['gone@home.example', REFUSED]),
    ]);
    await submit(page, 'here@home.example');
    expect((await fates(page)).at(-1)).toEqual(['here@home.example', null]);
    const { body, headers } = await page.owner.get(`/deploy/${page.id}/settings`);
    expect([body.email_notifications, headers[NOTICE]]).toEqual([true, undefined]);
  });

  it.each<[string, (page: Page) => PromiseLike<unknown>]>([
    ['switched off', ({ owner, id }) => owner.patch(`/deploy/${id}`).send({ confirmation: null })],
    ['taken down', ({ id }) => service.db('deployments').where({ id }).update({ taken_down_at: new Date() })],
  ])('that waits is not sent once the page is %s', async (_what, change) => {
    const page = await confirming();
    makeTrouble({ at: 'mail', does: { code: 451, text: 'Later' } });
    await submit(page, 'ada@home.example');
    await eventually(async () => (await logOf(page))[0]).toMatchObject({ status: 'pending', last_status: 451 });
    await change(page);
    await comeDue(page, 1);
    await eventually(() => logOf(page)).toEqual([]);
  });

  it('is forgotten after its day, and a refused address after a year', async () => {
    const page = await confirming();
    const rows = service.db('visitor_confirmations').where({ deployment_id: page.id });
    const add = (name: string, age: number, is_refused: boolean) =>
      service.db('visitor_confirmations').insert({
        ...{ deployment_id: page.id, address_hash: Buffer.from(name), delivery_id: name, is_refused },
        day: service.db.raw("CAST(now() AT TIME ZONE 'UTC' AS date) - CAST(? AS int)", [age]),
      });
    const { refusedDays } = SIZES.confirmation;
    for (const [name, age, isRefused] of [
      ...([
        ['today', 0, false],
        ['yesterday', 1, false],
      ] as const),
      ...([
        ['refused', refusedDays, true],
        ['refused-long-ago', refusedDays + 1, true],
      ] as const),
    ]) {
      await add(name, age, isRefused);
    }
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect((await rows.pluck('delivery_id')).toSorted()).toEqual(['refused', 'today']);
  });
});

describe('POST /deploy/:id/confirmation/preview', () => {
  const preview = ({ owner, id }: Page) => owner.post(`/deploy/${id}/confirmation/preview`);

  it('sends the owner the mail with an example, which counts for no limit', async () => {
    const page = await confirming();
    const { owner, id, slug, subject } = page;
    const text = 'Reference {{reference}}, {{page}}';
    await owner.put(`/deploy/${id}`).send({ html: '<title>Letters</title>' }).expect(200);
    await owner.change(id, { confirmation: { field: 'email', subject, text } });
    for (let count = 0; count <= PER_DAY; count += 1) {
      expect(answer(await preview(page))).toEqual({ status: 202, body: { id: expect.stringMatching(/^dl_/) } });
    }
    const { email } = (await owner.get('/me')).body;
    expect(await fates(page)).toEqual(Array(PER_DAY + 1).fill([email, null]));
    const [mail] = mailsOf(page);
    expect(mail).toMatchObject({ to: email, subject: `Preview: ${subject}` });
    expect(mail?.text).toMatch(
      new RegExp(`^Reference sub_[0-9A-Za-z]{24}, Letters \\(https://${slug}\\.pages\\.test\\)\\n$`),
    );
    await submit(page, 'ada@home.example');
    expect((await fates(page)).at(-1)).toEqual(['ada@home.example', null]);
  });

  it('comes also when the page is taken down', async () => {
    const page = await confirming();
    await service.db('deployments').where({ id: page.id }).update({ taken_down_at: new Date() });
    await preview(page).expect(202);
    expect((await fates(page)).map(([, error]) => error)).toEqual([null]);
  });

  it('answers 409 when nobody would get it, and says what to do', async () => {
    const nobody = (todo: string) => ({
      status: 409,
      body: { error: `Nobody would get this mail: ${todo}, and try again.` },
    });
    const page = await confirming();
    const { owner, id } = page;
    await owner.change(id, { confirmation: null });
    expect(answer(await preview(page))).toEqual(nobody('set confirmation with PATCH /deploy/:id'));
    const { url } = await service.another({ SMTP_URL: '' });
    const withoutMail = { ...page, owner: asOwner(url, owner.key) };
    expect(answer(await preview(withoutMail))).toEqual(nobody('the operator must set SMTP_URL'));
    const first = await confirming(await service.owner({ email: FIRST_OWNER }));
    expect(answer(await preview(first))).toEqual(
      nobody(`change your address, which is ${FIRST_OWNER}, under Account or with PATCH /me`),
    );
  });

  it('answers 429 to more tests than an owner may send', async () => {
    const page = await confirming();
    for (let count = 0; count < MAX_TESTS; count += 1) await preview(page).expect(202);
    expect(answer(await preview(page))).toEqual(refused(429));
  });
});
