import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { mailDueWindow } from '../../../src/db/deliveries/digest-queries.ts';
import { newSubmissionId } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { mailsWith, seenMails } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });
/** Each window is mailed once, whichever process does it. */
await service.another();
const owner = await service.owner();

// The windows are those of the clock: one that ends in the middle of a test would be mailed by itself.
beforeEach(async () => {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
  if (leftMs < 60_000) await delay(leftMs + 100);
});

type Page = { id: string; slug: string };

const patch = (id: string, change: object) => owner.change(id, change);

async function deploy(notify_every: 'hour' | 'day', change: object = {}): Promise<Page> {
  const { id, slug } = await owner.deploy();
  await patch(id, { email_notifications: true, notify_every, ...change });
  return { id, slug };
}

/** Adds a confirmed recipient, of whom nobody was asked. */
const addRecipient = (id: string, email: string) =>
  service.db('mail_recipients').insert({
    id: `rcp_${Math.random().toString(36).slice(2).padEnd(24, '0')}`,
    deployment_id: id,
    email,
    position: 1,
    confirmed_at: service.db.fn.now(),
  });

/** Stores submissions at a time, as if they had come then. */
async function store(id: string, at: Date, ...names: string[]): Promise<void> {
  for (const name of names) {
    const { rows } = await service.db.raw(
      `UPDATE deployments SET submission_count = submission_count + 1, last_submission_number = last_submission_number + 1
        WHERE id = ? RETURNING last_submission_number AS number`,
      [id],
    );
    await service.db('submissions').insert({
      deployment_id: id,
      number: rows[0].number,
      id: newSubmissionId(),
      data: JSON.stringify({ name }),
      ip_address: '192.0.2.1',
      created_at: at,
    });
  }
}

/** Has the time come for the digest of a deployment. */
const comeDue = (id: string) =>
  service
    .db('digests')
    .where({ deployment_id: id })
    .update({ next_at: service.db.raw("now() - interval '1 second'") });

/** A time in the window before the one that is open now, and in others before. */
const ago = (windows: number, ms: number, minute = 5): Date =>
  new Date(Math.floor(Date.now() / ms) * ms - windows * ms + minute * 60_000);

const inWords = (time: Date): string =>
  `${time.getUTCDate()} ${time.toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${time.getUTCFullYear()}, ${time.toISOString().slice(11, 16)} UTC`;

const digestOf = (count: number, slug: string) =>
  `${count === 1 ? '1 new submission' : `${count} new submissions`} for ${slug}`;
const aboutOf = (slug: string) => seenMails(smtp).filter(({ subject }) => subject.includes(` for ${slug}`));

/** Waits until the digest of a deployment has been moved to a window that is open. */
const moved = (id: string) =>
  vi.waitFor(async () => {
    const { next_at } = await service.db('digests').where({ deployment_id: id }).first();
    expect(next_at.getTime()).toBeGreaterThan(Date.now());
    const waiting = await service.db('deliveries').where({ deployment_id: id, status: 'pending' });
    expect(waiting).toEqual([]);
  }, PATIENCE);

describe('a digest', () => {
  it.each([
    ['hour', HOUR_MS],
    ['day', DAY_MS],
  ] as const)('of each %s lists what came in it, oldest first, and comes once', async (unit, ms) => {
    const { id, slug } = await deploy(unit);
    await service.anonymous.post(`/submit/${id}`).send({ name: 'too early' }).expect(200);
    await service
      .db('submissions')
      .where({ deployment_id: id })
      .update({ created_at: ago(1, ms, 1) });
    await store(id, ago(1, ms), '<Ada>', 'Bob');
    await store(id, new Date(), 'in the open window');
    expect(aboutOf(slug)).toEqual([]);
    await comeDue(id);
    const [mail] = await mailsWith(smtp, digestOf(3, slug), 1);
    const [from, to] = [ago(1, ms, 0), ago(0, ms, 0)].map(inWords);
    const unsubscribe = (await createLinks(service.db, BASE_URL)()).unsubscribe(id);
    expect(mail?.text).toBe(`3 submissions to ${slug} came from ${from} to ${to}.

1. ${inWords(ago(1, ms, 1))}

name: too early

2. ${inWords(ago(1, ms))}

name: <Ada>

3. ${inWords(ago(1, ms))}

name: Bob

Open the inbox: ${BASE_URL}/dashboard/pages/${id}/inbox

You get this mail because mail about submissions to ${slug} is on.
Open the page: https://${slug}.pages.test
Stop these mails: ${unsubscribe}
`);
    expect(mail?.html).toContain('name</b><div dir="auto">&lt;Ada&gt;</div>');
    await moved(id);
    const { next_at, last_number } = await service.db('digests').where({ deployment_id: id }).first();
    expect([next_at, last_number]).toEqual([ago(-1, ms, 0), 3]);
    await comeDue(id);
    await moved(id);
    expect(aboutOf(slug).length).toBe(1);
    const log = (await owner.get(`/deploy/${id}/mails`)).body.deliveries;
    expect(log).toMatchObject([{ submission_id: null, status: 'succeeded', recipient: 'owner1@test.example' }]);
  });

  it('comes for each window in which something came, also when nobody made them for long', async () => {
    const { id, slug } = await deploy('hour');
    await store(id, ago(30, HOUR_MS), 'one');
    await store(id, ago(5, HOUR_MS), 'two', 'three');
    await store(id, ago(1, HOUR_MS), 'four', 'five', 'six');
    await comeDue(id);
    await moved(id);
    expect(
      aboutOf(slug)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual([1, 2, 3].map((count) => digestOf(count, slug)));
  });

  it('goes to each recipient that has confirmed, with its own link that stops it', async () => {
    const { id, slug } = await deploy('hour', { notify_owner: false });
    await addRecipient(id, 'ada@example.org');
    await addRecipient(id, 'bob@example.org');
    await addRecipient(id, 'eve@example.org');
    await service
      .db('mail_recipients')
      .where({ deployment_id: id, email: 'eve@example.org' })
      .update({ confirmed_at: null });
    await store(id, ago(1, HOUR_MS), 'one');
    await comeDue(id);
    const mails = await mailsWith(smtp, digestOf(1, slug), 2);
    expect(mails.map(({ to }) => to)).toEqual(['ada@example.org', 'bob@example.org']);
    expect(new Set(mails.map(({ unsubscribe }) => unsubscribe)).size).toBe(2);
    expect(new Set(mails.map((mail) => mail.id)).size).toBe(2);
    const path = mails[0]?.unsubscribe ?? '';
    expect((await fetch(service.url + path, { method: 'POST' })).status).toBe(200);
    await store(id, ago(1, HOUR_MS), 'two', 'three');
    await comeDue(id);
    expect((await mailsWith(smtp, digestOf(2, slug), 1)).map(({ to }) => to)).toEqual(['bob@example.org']);
  });

  it('leaves out what was deleted, and does not come when nothing is left', async () => {
    const { id, slug } = await deploy('hour');
    await store(id, ago(1, HOUR_MS), 'one', 'two');
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    await owner.delete(`/submissions/${id}/${submissions[0].id}`).expect(200);
    await comeDue(id);
    const [mail] = await mailsWith(smtp, digestOf(1, slug), 1);
    expect(mail?.text).not.toMatch(/\btwo\b/);
    await store(id, ago(1, HOUR_MS), 'three');
    await comeDue(id);
    // Between the lease and the attempt.
    await service.db('submissions').where({ deployment_id: id, number: 3 }).delete();
    await moved(id);
    expect(aboutOf(slug).length).toBe(1);
  });

  it(`lists ${SIZES.digest.maxListed}, and says how many there are and how to read them`, async () => {
    const { id, slug } = await deploy('day');
    await service.db.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT ?, n, 'sub_' || lpad(n::text, 24, '0'), CAST('{"n":"n' || n || '."}' AS json), '192.0.2.1', CAST(? AS timestamptz)
         FROM generate_series(1, 250) AS n`,
      [id, ago(1, DAY_MS)],
    );
    await service.db('deployments').where({ id }).update({ submission_count: 250, last_submission_number: 250 });
    await comeDue(id);
    const [mail] = await mailsWith(smtp, digestOf(250, slug), 1);
    expect(mail?.text).toContain(`This mail shows the first 100. This request answers all, newest first:

curl "${BASE_URL}/submissions/${id}?limit=100" -H "Authorization: Bearer YOUR_API_KEY"
`);
    const shown = Array.from(mail?.text.matchAll(/^n: n(\d+)\.$/gm) ?? [], ([, n]) => Number(n));
    expect(shown).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });

  it('waits for submissions of its window that are being stored', async () => {
    const { id } = await deploy('hour');
    const storing = await service.db.transaction();
    await storing('deployments').where({ id }).update({ last_submission_number: 1, submission_count: 1 });
    await storing('submissions').insert({
      deployment_id: id,
      number: 1,
      id: newSubmissionId(),
      data: '{}',
      ip_address: '192.0.2.1',
      created_at: ago(1, HOUR_MS, 59),
    });
    await comeDue(id);
    expect(await mailDueWindow(service.db)).toBeUndefined();
    await storing.commit();
    const digests = () => service.db('deliveries').where({ deployment_id: id, event: 'digest' });
    await expect.poll(async () => (await digests()).length).toBe(1);
    expect(JSON.parse((await digests())[0].notice)).toEqual({
      after: 0,
      last: 1,
      from: ago(1, HOUR_MS, 0).toISOString(),
      to: ago(0, HOUR_MS, 0).toISOString(),
    });
  });
});

describe('a change of notify_every', () => {
  it('mails at once what no mail has listed, and then as it says', async () => {
    const { id, slug } = await deploy('day');
    const submit = () => service.anonymous.post(`/submit/${id}`).send({ name: 'Ada' }).expect(200);
    await submit();
    await submit();
    await patch(id, { notify_every: 'hour' });
    await mailsWith(smtp, digestOf(2, slug), 1);
    await submit();
    await patch(id, { notify_every: 'hour' });
    await patch(id, { language: 'de' });
    await patch(id, { notify_every: 'submission' });
    await mailsWith(smtp, digestOf(1, slug), 1);
    expect(await service.db('digests').where({ deployment_id: id })).toEqual([]);
    await submit();
    await mailsWith(smtp, `New submission for ${slug}: Ada`, 1);
    await patch(id, { notify_every: 'day' });
    await patch(id, { notify_every: 'submission' });
    expect(aboutOf(slug).length).toBe(3);
  });

  it('with mail off drops what came, also when mail comes back', async () => {
    const { id, slug } = await deploy('hour');
    await store(id, ago(1, HOUR_MS), 'while on');
    await patch(id, { email_notifications: false });
    await store(id, ago(1, HOUR_MS), 'while off');
    await comeDue(id);
    await moved(id);
    await store(id, ago(1, HOUR_MS), 'while off');
    await patch(id, { email_notifications: true });
    await store(id, ago(1, HOUR_MS), 'while on again');
    await comeDue(id);
    const [mail] = await mailsWith(smtp, digestOf(1, slug), 1);
    expect(mail?.text).toContain('name: while on again');
    await patch(id, { email_notifications: false });
    await store(id, ago(1, HOUR_MS), 'while off');
    await patch(id, { notify_every: 'submission', email_notifications: false });
    await patch(id, { notify_every: 'day', email_notifications: true });
    await comeDue(id);
    await moved(id);
    expect(aboutOf(slug).length).toBe(1);
  });

  it('follows the link that stops mail, and a deleted deployment', async () => {
    const [page, gone] = [await deploy('hour'), await deploy('hour')];
    const links = await createLinks(service.db, '')();
    for (const { id } of [page, gone]) await store(id, ago(1, HOUR_MS), 'one');
    expect((await fetch(service.url + links.unsubscribe(page.id), { method: 'POST' })).status).toBe(200);
    await owner.delete(`/deploy/${gone.id}`).expect(200);
    for (const { id } of [page, gone]) {
      await comeDue(id);
      await moved(id);
    }
    expect([...aboutOf(page.slug), ...aboutOf(gone.slug)]).toEqual([]);
    // A purge removes it with all that it has.
    await owner.delete(`/trash/${gone.id}`).expect(200);
    await expect.poll(() => service.db('digests').where({ deployment_id: gone.id })).toEqual([]);
  });
});
