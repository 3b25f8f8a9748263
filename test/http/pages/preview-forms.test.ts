import { describe, expect, it } from 'vitest';
import { removeOldTests } from '../../../src/db/submissions/test-submission-queries.ts';
import { startS3 } from '../../support/s3.ts';
import { headerOf, readMail, testSmtpServer } from '../../support/smtp.ts';
import { type Owner, PAGES_DOMAIN, testService } from '../../support/test-service.ts';
import { eventually } from '../../support/webhooks.ts';

const smtp = await testSmtpServer();
const service = await testService({
  ...{ STORAGE_LIMITS: 'free:100KB,pro:none', PLAN_LIMITS: 'free:none,pro:none' },
  ...{ SMTP_URL: smtp.url, MAIL_FROM: 'forms@pages.example' },
});
const owner = await service.owner({ plan: 'pro' });

const ONE_FORM = '<form method="post" name="old" action="{{FORM_ACTION}}"><input name="email"></form>';
const TWO_FORMS = `<title>Fair</title>
  <form method="post" name="visit" action="{{FORM_ACTION}}"><label>Your address<input name="email"></label></form>
  <form method="post" name="apply" enctype="multipart/form-data" action="{{FORM_ACTION}}" netlify-honeypot="website">
    <label>Who are you?<input name="name"></label><input name="website"><input type="file" name="cv"></form>`;

/** Makes a preview; the first label of its host. */
async function preview(id: string, body: object = { html: TWO_FORMS }, by = owner): Promise<string> {
  const { body: made } = await by.put(`/deploy/${id}?preview=1`).send(body).expect(200);
  return new URL(made.preview_url).host.split('.')[0] ?? '';
}
const send = (label: string, url = service.anonymous) => url.post(`/submit/${label}`);
const apply = (label: string, content = Buffer.from('My life')) =>
  send(label)
    .field({ name: 'Ada', website: '' })
    .attach('cv', content, { filename: 'cv.txt', contentType: 'text/plain' });
const searched = async (id: string, query = '', by = owner) =>
  (await by.get(`/submissions/${id}/search${query}`).expect(200)).body.submissions;
const usedBy = async (who: Owner): Promise<number> => (await who.get('/me')).body.storage_used;

describe('a form of a preview', () => {
  it('is named by the forms of that preview, and not by those of the live page', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    const [two, one] = [await preview(id), await preview(id, { html: ONE_FORM })];
    await send(two).type('form').send('email=ada%40example.org').expect(200);
    await send(two).type('form').send('name=Ada&website=').expect(200);
    await send(one).type('form').send('email=ada%40example.org').expect(200);
    const found = await searched(id);
    expect(found.map(({ form, test }: { form: string | null; test: boolean }) => [form, test])).toEqual([
      [null, true],
      ['apply', true],
      ['visit', true],
    ]);
    expect(await searched(id, '?form=apply')).toEqual([found[1]]);
  });

  it('is named by the forms of other files of the preview', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    const page = (name: string, field: string) =>
      `<form method="post" name="${name}" action="{{FORM_ACTION}}"><input name="${field}"></form>`;
    const files = { 'visit.html': page('visit', 'day') };
    const label = await preview(id, { html: page('first', 'email'), files });
    await send(label).type('form').send('day=1').expect(200);
    expect((await searched(id))[0].form).toBe('visit');
  });

  it('answers a filled-in honeypot of its own as a success, and keeps nothing', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    const label = await preview(id);
    await send(label).type('form').send('name=Ada&website=x').expect(200);
    expect(await searched(id)).toEqual([]);
  });

  it('refuses what a delivery of the service itself sends, at both addresses', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    const label = await preview(id);
    const loop = (to: string) =>
      send(to).set('formhost-delivery', 'dl_1').set('Origin', `https://${label}.${PAGES_DOMAIN}`);
    for (const to of [label, id]) {
      const refusal = await loop(to).send({ email: 'ada@example.org' });
      expect([refusal.status, refusal.headers['error-code']]).toEqual([508, 'webhook-loop']);
    }
    expect(await searched(id)).toEqual([]);
  });

  it('has the labels of the preview in the mail', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    await owner.change(id, { email_notifications: true });
    const label = await preview(id);
    await apply(label).expect(200);
    const mails = () => smtp.received.filter(({ raw }) => raw.includes(id));
    await eventually(() => mails().length).toBe(1);
    const { headers, parts } = readMail(mails()[0]?.raw ?? Buffer.of());
    expect(headerOf(headers, 'Formhost-Test')).toBe('true');
    expect(parts[0]?.text).toContain('Who are you?');
    expect(parts[0]?.text).toContain('apply');
  });

  it('keeps its files with the test, in the storage of the owner, and removes them with it', async () => {
    const { id } = await owner.deploy({ html: ONE_FORM });
    const label = await preview(id);
    const before = await usedBy(owner);
    await apply(label).expect(200);
    await apply(label, Buffer.from('Another')).expect(200);
    const [later, earlier] = await searched(id);
    expect(earlier.data).toEqual({ name: 'Ada', website: '', cv: expect.objectContaining({ filename: 'cv.txt' }) });
    const { url } = earlier.data.cv;
    const path = new URL(url, service.url).pathname;
    expect((await owner.get(path).expect(200)).text).toBe('My life');
    expect(await usedBy(owner)).toBe(before + 'My life'.length + 'Another'.length);
    await owner.delete(`/submissions/${id}/${later.id}`).expect(200);
    expect(await usedBy(owner)).toBe(before + 'My life'.length);
    const age = (interval: string) =>
      service.db.raw('UPDATE test_submissions SET created_at = now() - CAST(? AS interval) WHERE id = ?', [
        ...[interval, earlier.id],
      ]);
    await age('23 hours 59 minutes');
    await removeOldTests(service.db);
    expect((await owner.get(path)).status).toBe(200);
    await age('24 hours');
    await removeOldTests(service.db);
    expect((await owner.get(path)).status).toBe(404);
    expect(await usedBy(owner)).toBe(before);
    expect(await service.db('submission_files').where({ deployment_id: id })).toEqual([]);
  });

  it.each(['submissions', 'spam_submissions', 'trashed_submissions'])(
    'leaves the files of one in %s with the id of the test: it was sent again to the live form',
    async (table) => {
      const { id } = await owner.deploy({ html: ONE_FORM });
      const { body: test } = await apply(await preview(id)).expect(200);
      const common = { deployment_id: id, id: test.id, data: '{}', ip_address: '192.0.2.1', created_at: new Date() };
      const more = {
        ...(table === 'submissions' && { number: 1 }),
        ...(table === 'spam_submissions' && { kept_at: new Date(), reason: 'blocklist' }),
        ...(table === 'trashed_submissions' && { number: 1, read: true, starred: false, note: '', status: 'open' }),
        ...(table === 'trashed_submissions' && { deleted_at: new Date() }),
      };
      await service.db(table).insert({ ...common, ...more });
      await service.db.raw(`UPDATE test_submissions SET created_at = now() - interval '1 day' WHERE id = ?`, [test.id]);
      await removeOldTests(service.db);
      expect(await service.db('test_submissions').where({ id: test.id })).toEqual([]);
      expect(await service.db('submission_files').where({ submission_id: test.id })).toHaveLength(1);
    },
  );

  it('takes no files beyond the storage of the plan, and no test with them', async () => {
    const small = await service.owner({ plan: 'free' });
    const { id } = await small.deploy({ html: ONE_FORM });
    const label = await preview(id, { html: TWO_FORMS }, small);
    const refused = await apply(label, Buffer.alloc(110_000, 'x'));
    expect([refused.status, refused.headers['error-code']]).toEqual([413, 'no-storage-for-files']);
    await apply(label, Buffer.alloc(10_000, 'x')).expect(200);
    expect(await searched(id, '', small)).toHaveLength(1);
  });
});

describe('a form of a preview, with FILES_URL', () => {
  it('has its files in the bucket as long as its test', async () => {
    const s3 = await startS3();
    const service = await testService(s3.settings());
    const owner = await service.owner();
    const { id } = await owner.deploy({ html: ONE_FORM });
    const label = await preview(id, { html: TWO_FORMS }, owner);
    const before = s3.files();
    await send(label, service.anonymous)
      .field({ name: 'Ada' })
      .attach('cv', Buffer.from('My life'), 'cv.txt')
      .expect(200);
    expect(s3.files()).toHaveLength(before.length + 1);
    const [test] = await searched(id, '', owner);
    const path = new URL(test.data.cv.url, service.url).pathname;
    expect((await owner.get(path).expect(200)).text).toBe('My life');
    await owner.mark(id, 'delete', [test.id]);
    expect(await service.db('submission_files').where({ deployment_id: id })).toEqual([]);
    expect(await service.db('removed_objects')).toHaveLength(1);
  });
});

it('has a page host that takes its files too', async () => {
  const { id } = await owner.deploy({ html: ONE_FORM });
  const label = await preview(id);
  await service.anonymous
    .post('/')
    .set('Host', `${label}.${PAGES_DOMAIN}`)
    .field({ name: 'Ada' })
    .attach('cv', Buffer.from('My life'), 'cv.txt')
    .expect(200);
  expect((await searched(id))[0]).toMatchObject({ form: 'apply', data: { cv: { filename: 'cv.txt' } } });
});
