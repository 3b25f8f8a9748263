import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/http/endpoints.ts';
import { answer, aTime } from '../../support/answers.ts';
import { type Owner, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService();

type Entry = { actor: string; via: string; action: string; target: string; count: number | null; ip_address: string };

/** The entries of an owner, oldest first. */
async function entriesOf(owner: Owner): Promise<Entry[]> {
  const { body } = await owner.get('/audit?limit=100').expect(200);
  return body.entries.toReversed();
}
const done = async (owner: Owner): Promise<[string, string, number | null][]> =>
  (await entriesOf(owner)).map(({ action, target, count }) => [action, target, count]);

describe('GET /audit', () => {
  it('lists who has changed what, newest first, and nothing of others', async () => {
    const owner = await service.owner({ email: 'ada@audit.example' });
    const other = await service.owner();
    await other.deploy();
    const { id } = await owner.deploy();
    await owner.change(id, { email_notifications: true }).expect(200);
    const entry = (action: string) => ({
      ...{ at: aTime, actor: 'ada@audit.example', via: 'key', action },
      ...{ target: id, count: null, ip_address: '127.0.0.1' },
    });
    expect(answer(await owner.get('/audit'))).toEqual({
      status: 200,
      body: { entries: [entry('settings.change'), entry('page.publish')], total: 2, page: 1, limit: 50 },
    });
    const { body: second } = await owner.get('/audit?page=2&limit=1').expect(200);
    expect(second).toEqual({ entries: [entry('page.publish')], total: 2, page: 2, limit: 1 });
  });

  it('is written as lines of JSON, oldest first', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    await owner.delete(`/deploy/${id}`).expect(200);
    const { text, headers } = await owner.get('/audit/export.ndjson').expect(200);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([headers['content-type'], lines]).toEqual(['application/x-ndjson', await entriesOf(owner)]);
    expect(lines.map(({ action }) => action)).toEqual(['page.publish', 'page.delete']);
  });
});

describe('the audit', () => {
  it('has an entry of each change, and none of what changes nothing', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    const made = await owner.post('/keys').send({ name: 'a' }).expect(201);
    await owner.delete(`/keys/${made.body.id}`).expect(200);
    const hook = await owner.post(`/webhooks/${id}`).send({ url: 'https://e.example/' }).expect(201);
    await owner.patch(`/webhooks/${id}/${hook.body.id}`).send({ active: false }).expect(200);
    await owner.post(`/webhooks/${id}/${hook.body.id}/secret/rotate`).expect(200);
    await owner.delete(`/webhooks/${id}/${hook.body.id}`).expect(200);
    const feed = await owner.post(`/deploy/${id}/feeds`).send({ name: 'a' }).expect(201);
    await owner.post(`/deploy/${id}/feeds/${feed.body.id}/rotate`).expect(200);
    await owner.delete(`/deploy/${id}/feeds/${feed.body.id}`).expect(200);
    await owner.post(`/deploy/${id}/domains`).send({ domain: 'audit.example' }).expect(201);
    await owner.delete(`/deploy/${id}/domains/audit.example`).expect(200);
    await owner.put(`/deploy/${id}`).send({ html: '<p>2' }).expect(200);
    await owner.put(`/deploy/${id}`).send({ html: '<p>3' }).set('If-Match', '"x"').expect(412);
    await owner.put(`/deploy/${id}?preview=1`).send({ html: '<p>3' }).expect(200);
    await owner.put(`/deploy/${id}?preview=1`).send({ html: '<p>3' }).set('If-Match', '"x"').expect(412);
    await owner.post(`/deploy/${id}/versions/1/restore`).expect(200);
    await owner.patch(`/deploy/${id}`).send({ email_notifications: 1 }).expect(400);
    await owner.patch('/me').send({ time_zone: 'Europe/Berlin' }).expect(200);
    await owner.delete(`/deploy/${UNKNOWN_ID}`).expect(404);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.post(`/trash/${id}/restore`).expect(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.delete(`/trash/${id}`).expect(200);
    const [account, ...rest] = (await done(owner)).toSorted(
      ([a], [b]) => Number(b === 'account.change') - Number(a === 'account.change'),
    );
    expect(account).toEqual(['account.change', expect.stringMatching(/^own_\d+$/), null]);
    expect(rest.map(([action, target]) => [action, target])).toEqual([
      ['page.publish', id],
      ...['key.create', 'key.revoke'].map((action) => [action, made.body.id]),
      ...['create', 'change', 'change', 'delete'].map((change) => [`webhook.${change}`, hook.body.id]),
      ...['create', 'change', 'delete'].map((change) => [`feed.${change}`, feed.body.id]),
      ...['add', 'remove'].map((change) => [`domain.${change}`, 'audit.example']),
      ...[
        'page.publish',
        'page.preview',
        'page.publish',
        'page.delete',
        'page.undelete',
        'page.delete',
        'page.purge',
      ].map((action) => [action, id]),
    ]);
  });

  it('has one entry for a request that deletes many submissions, with their number', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    const ids: string[] = [];
    for (let n = 0; n < 102; n += 1) ids.push(await service.submit(id, '{"secret":"of a visitor"}'));
    const [first = '', ...others] = ids;
    await owner.delete(`/submissions/${id}/${first}`).expect(200);
    await owner.mark(id, 'read', others).expect(200);
    await owner.mark(id, 'delete', [...others, UNKNOWN_ID]).expect(200);
    await owner.post(`/submissions/${id}/trash/${first}/restore`).expect(200);
    await owner.delete(`/submissions/${id}/${first}?permanent=1`).expect(200);
    await owner.delete(`/submissions/${id}/${first}?permanent=1`).expect(404);
    await owner.get(`/submissions/${id}/export.csv`).expect(200);
    const imported = await owner.send('POST', `/submissions/${id}/import`, 'created_at,a\n2020-01-01T00:00:00Z,b\n', {
      'Content-Type': 'text/csv',
    });
    expect(imported.status).toBe(200);
    expect((await done(owner)).slice(1)).toEqual([
      ['submission.delete', first, 1],
      ['submission.delete', id, 101],
      ['submission.restore', first, null],
      ['submission.delete', first, 1],
      ['submission.export', id, null],
      ['submission.import', id, 1],
    ]);
    expect(JSON.stringify(await service.db('audit_entries').where({ deployment_id: id }))).not.toContain('visitor');
  });

  it('says that a change came from a browser', async () => {
    const owner = await service.owner();
    const { headers } = await service.anonymous.post('/session').send({ key: owner.key }).expect(200);
    const cookie = String(headers['set-cookie']).replace(/;.*/, '');
    await service.anonymous
      .post('/deploy')
      .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
      .send({ html: '<p>a' })
      .expect(201);
    expect((await entriesOf(owner)).map(({ action, via }) => [action, via])).toEqual([
      // With which the session has begun.
      ['sign-in', 'key'],
      ['page.publish', 'session'],
    ]);
  });

  it('has the entry and the change both, or neither', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    await service.db.raw(`
      CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no entry'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON audit_entries FOR EACH ROW WHEN (NEW.action = 'page.delete') EXECUTE FUNCTION refuse_entry()`);
    await owner.delete(`/deploy/${id}`).expect(500);
    await owner.get(`/deploy/${id}`).expect(200);
    await service.db.raw('DROP TRIGGER refuse ON audit_entries; DROP FUNCTION refuse_entry()');
    await owner.delete(`/deploy/${id}`).expect(200);
  });
});

describe('every operation', () => {
  const changing = OPERATIONS.map(({ operation }) => operation).filter(({ method }) => method !== 'GET');

  it.each(changing.map((one) => [one.name, one] as const))(
    '%s has entries in the audit, or a reason why it has none',
    (_name, { audit, noAudit }) => {
      expect([audit, noAudit].filter((each) => each !== undefined)).toHaveLength(1);
    },
  );
});
