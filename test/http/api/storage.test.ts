import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { mailsWith } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

const KB = 1_000;
const LIMITS = { STORAGE_LIMITS: 'free:100KB,pro:none', PLAN_LIMITS: 'free:none,pro:none' };
const DAY_MS = 24 * 60 * 60 * 1_000;

const service = await testService({ ...LIMITS, PAGE_VERSIONS: '2' });

const page = (bytes: number, letter = 'a') => ({ html: letter.repeat(bytes) });

const usedBy = async (owner: Owner): Promise<number> => (await owner.get('/me')).body.storage_used;

/** Purges a deployment; settles when all of it has been removed. */
async function purge(owner: Owner, id: string, { db } = service): Promise<void> {
  await owner.delete(`/deploy/${id}`).expect(200);
  await owner.delete(`/trash/${id}`).expect(200);
  await expect.poll(async () => (await db('deployments').where({ id })).length).toBe(0);
}

const upload = (id: string, bytes: number, fields: Record<string, string> = {}, url = service.url) =>
  request(url).post(`/submit/${id}`).field(fields).attach('cv', Buffer.alloc(bytes, 'x'), 'cv.txt');

/** Owners whose counted bytes are not those that are stored. */
const WRONG = `
  SELECT owners.id, coalesce(used, 0) AS used, stored.bytes FROM owners LEFT JOIN storage ON owner_id = owners.id
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(bytes), 0) AS bytes FROM (
       SELECT deployment_id, octet_length(html) AS bytes FROM pages
        UNION ALL SELECT deployment_id, octet_length(html) FROM page_versions
        UNION ALL SELECT deployment_id, octet_length(html) FROM page_drafts
        UNION ALL SELECT deployment_id, size FROM submission_files
     ) AS each JOIN deployments ON deployments.id = deployment_id WHERE deployments.owner_id = owners.id
   ) AS stored
   WHERE coalesce(used, 0) <> stored.bytes`;
const wrong = async (): Promise<unknown> => (await service.db.raw(WRONG)).rows;

describe('storage_used', () => {
  it('counts pages, kept versions and files, also in the trash and in spam, until they are removed', async () => {
    const owner = await service.owner({ plan: 'pro' });
    const { id } = await owner.deploy(page(10));
    expect(await usedBy(owner)).toBe(10);
    await owner.put(`/deploy/${id}`).send(page(200)).expect(200);
    expect(await usedBy(owner)).toBe(210);
    // Two versions are kept.
    await owner.put(`/deploy/${id}`).send(page(3_000)).expect(200);
    expect(await usedBy(owner)).toBe(3_200);
    expect((await upload(id, 40_000)).status).toBe(200);
    await owner.change(id, { spam: { blocklist: ['casino'], captcha: null } });
    expect((await upload(id, 500_000, { text: 'casino' })).status).toBe(200);
    expect(await usedBy(owner)).toBe(543_200);
    const [{ id: submission }] = (await owner.get(`/submissions/${id}`)).body.submissions;
    await owner.delete(`/submissions/${id}/${submission}`).expect(200);
    expect(await usedBy(owner)).toBe(543_200);
    await owner.delete(`/submissions/${id}/trash/${submission}`).expect(200);
    expect(await usedBy(owner)).toBe(503_200);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await usedBy(owner)).toBe(503_200);
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    await purge(owner, id);
    expect(await usedBy(owner)).toBe(0);
    expect(await wrong()).toEqual([]);
  });

  it('is counted anew after a day', async () => {
    const other = await testService({}, undefined, { limits: { cleanUp: { intervalMs: 20 } } });
    const owner = await other.owner();
    await owner.deploy(page(10));
    await other.db.raw("UPDATE storage SET used = 7, counted_at = now() - interval '23 hours'");
    expect(await usedBy(owner)).toBe(7);
    await other.db.raw("UPDATE storage SET counted_at = now() - interval '25 hours'");
    await expect.poll(() => usedBy(owner)).toBe(10);
  });
});

describe('STORAGE_LIMITS', () => {
  const REFUSAL =
    'Your plan (free) allows 100 kB of storage, and this would be more: in the dashboard, delete pages for good or submissions with files, or ask the operator for a larger plan.';

  it('refuses the owner’s changes with 403, until bytes are removed for good', async () => {
    const owner = await service.owner({ plan: 'free' });
    const { id } = await owner.deploy(page(40 * KB));
    await owner
      .put(`/deploy/${id}`)
      .send(page(40 * KB, 'b'))
      .expect(200);
    const full = { status: 403, body: { error: REFUSAL } };
    expect(answer(await owner.post('/deploy').send(page(20 * KB + 1)))).toEqual(full);
    const second = await owner.deploy(page(20 * KB));
    expect(answer(await owner.put(`/deploy/${id}`).send(page(1)))).toEqual(full);
    expect(answer(await owner.post(`/deploy/${id}/versions/1/restore`))).toEqual(full);
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual(page(40 * KB, 'b'));
    expect(await usedBy(owner)).toBe(100 * KB);
    // The trash counts, and what is in it can be restored.
    await owner.delete(`/deploy/${second.id}`).expect(200);
    expect(answer(await owner.post('/deploy').send(page(1)))).toEqual(full);
    await owner.post(`/trash/${second.id}/restore`).send({}).expect(200);
    await purge(owner, second.id);
    await owner
      .post('/deploy')
      .send(page(20 * KB))
      .expect(201);
  });

  it('refuses a visitor’s files with 413, spam too, and stores every submission without files', async () => {
    const owner = await service.owner({ plan: 'free' });
    const { id } = await owner.deploy(page(60 * KB));
    expect((await upload(id, 30 * KB)).status).toBe(200);
    await owner.change(id, { spam: { blocklist: ['casino'], captcha: null } });
    for (const text of ['hello', 'casino']) {
      expect(answer(await upload(id, 30 * KB, { text }))).toEqual(refused(413));
    }
    const sent = await owner.send('POST', `/submit/${id}`, '{"n":1}');
    expect(sent.status).toBe(200);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(2);
    expect((await owner.get(`/deploy/${id}/spam`)).body.total).toBe(0);
    expect(await usedBy(owner)).toBe(90 * KB);
    expect(await wrong()).toEqual([]);
  });

  it('is not exceeded by changes and uploads at once in two processes', async () => {
    const owner = await service.owner({ plan: 'free' });
    const { url } = await service.another();
    const same = asOwner(url, owner.key);
    const { id } = await owner.deploy(page(10 * KB));
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_none, at) => [
        (await (at % 2 ? owner : same).post('/deploy').send(page(15 * KB))).status,
        (await upload(id, 15 * KB, {}, at % 2 ? url : service.url)).status,
      ]),
    );
    const stored = statuses.flat().filter((status) => status < 300);
    expect(stored).toHaveLength(6);
    expect(await usedBy(owner)).toBe(100 * KB);
    expect(await wrong()).toEqual([]);
  });
});

describe('the mails about storage', () => {
  it('come at 80 % and when it is full, once each until less is used', async () => {
    const smtp = await testSmtpServer();
    const mailed = await testService({ ...LIMITS, SMTP_URL: smtp.url });
    const owner = await mailed.owner({ email: 'full@test.example', plan: 'free' });
    const mails = (subject: string, count: number) => mailsWith(smtp, subject, count);
    const { id } = await owner.deploy(page(79 * KB));
    expect(await mailed.db('deliveries')).toEqual([]);
    const second = await owner.deploy(page(2 * KB));
    await owner.deploy(page(10 * KB));
    const [nearly] = await mails('Your storage is 80 % full', 1);
    expect(nearly?.to).toBe('full@test.example');
    expect(nearly?.text).toContain(
      'have 81 kB, those in the trash and in spam included. Your plan (free) allows 100 kB.',
    );
    // A file that does not fit.
    for (const _try of [1, 2]) expect((await upload(second.id, 20 * KB, {}, mailed.url)).status).toBe(413);
    await owner.deploy(page(9 * KB));
    expect((await mails('Your storage is full', 1))[0]?.text).toContain('have 91 kB');
    await purge(owner, id, mailed);
    await owner.deploy(page(60 * KB));
    await mails('Your storage is 80 % full', 2);
    await owner.deploy(page(10 * KB));
    // With an Idempotency-Key, a refusal ends a transaction.
    const refusal = await owner
      .post('/deploy')
      .set('Idempotency-Key', 'key')
      .send(page(20 * KB));
    expect(answer(refusal)).toEqual(refused(403));
    await mails('Your storage is full', 2);
  });
});

describe('the files of spam', () => {
  it('have a bounded size in each form: those of the oldest go first, and the data stays', async () => {
    const owner = await service.owner({ plan: 'pro' });
    const { id } = await owner.deploy(page(1));
    const sizes = async (): Promise<number[]> =>
      (await service.db('submission_files').where({ deployment_id: id }).orderBy('id')).map(({ size }) => size);
    await owner.change(id, { spam: { blocklist: ['casino'], captcha: null } });
    for (const bytes of [10, 20]) await upload(id, bytes, { text: 'casino' });
    // The second file gets a size in the database that its content does not have, because a real one would be large.
    await service
      .db('submission_files')
      .where({ deployment_id: id, size: 20 })
      .update({ size: SIZES.spam.maxFilesBytes - 25 });
    expect((await upload(id, 25, { text: 'casino' })).status).toBe(200);
    expect(await sizes()).toEqual([SIZES.spam.maxFilesBytes - 25, 25]);
    expect((await upload(id, 30, { text: 'fine' })).status).toBe(200);
    expect((await owner.get(`/deploy/${id}/spam`)).body.total).toBe(3);
    const [{ id: marked }] = (await owner.get(`/submissions/${id}`)).body.submissions;
    // Spam that the owner has marked keeps its files, with which it can be restored.
    await owner.mark(id, 'spam', [marked]);
    expect(await sizes()).toEqual([SIZES.spam.maxFilesBytes - 25, 25, 30]);
    expect((await upload(id, 15, { text: 'casino' })).status).toBe(200);
    expect(await sizes()).toEqual([25, 30, 15]);
    expect((await owner.get(`/deploy/${id}/spam`)).body.total).toBe(5);
    await owner.post(`/deploy/${id}/spam/${marked}/restore`).expect(200);
    expect(await sizes()).toEqual([25, 30, 15]);
  });
});

describe('TRASH_DAYS', () => {
  it('is for how long a deleted deployment can be restored; then it is removed for good', async () => {
    let now = new Date();
    const other = await testService({ TRASH_DAYS: '2' }, undefined, {
      ...{ now: () => now, limits: { cleanUp: { intervalMs: 20 } } },
    });
    const owner = await other.owner();
    const [live, old, young] = [await owner.deploy(), await owner.deploy(), await owner.deploy()];
    await owner.delete(`/deploy/${young.id}`).expect(200);
    await owner.delete(`/deploy/${old.id}`).expect(200);
    await other
      .db('deployments')
      .where({ id: old.id })
      .update({ deleted_at: new Date(now.getTime() - 2 * DAY_MS) });
    now = new Date(now.getTime() + 1_000);
    const ids = async () => (await other.db('deployments').orderBy('id')).map(({ id }) => id);
    await expect.poll(ids).toEqual([live.id, young.id]);
    expect(answer(await owner.get('/trash'))).toMatchObject({ body: { total: 1, deployments: [{ id: young.id }] } });
    await owner.post(`/trash/${young.id}/restore`).send({}).expect(200);
  });

  it('is counted by the clock of the database, whatever that of the process says', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    const other = await testService({ TRASH_DAYS: '2' }, undefined, { limits: { cleanUp: { intervalMs: 20 } } });
    const owner = await other.owner();
    const { id } = await owner.deploy();
    await owner.delete(`/deploy/${id}`).expect(200);
    // The second of these is removed by a round that begins after the first, which has looked at the trash then.
    for (const name of ['first', 'second']) {
      await other
        .db('sign_in_tries')
        .insert({ name, tries: 1, window_ends_at: other.db.raw("now() - interval '1 s'") });
      await expect.poll(() => other.db('sign_in_tries')).toEqual([]);
    }
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
  });
});
