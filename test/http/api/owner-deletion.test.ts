import { afterAll, expect, it } from 'vitest';
import { deleteRemovedObjects } from '../../../src/files/files-bucket.ts';
import { bucketOf } from '../../support/bucket-files.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { startS3 } from '../../support/s3.ts';
import { testLimits } from '../../support/test-limits.ts';
import { type Owner, testService } from '../../support/test-service.ts';

const WAIT = { timeout: 60_000 };
const TYPE = { 'Content-Type': 'multipart/form-data; boundary=b' };

const s3 = await startS3();
afterAll(() => s3.close());
const service = await testService({ ...s3.settings(), ADMIN_EMAILS: 'ops@operators.example' }, undefined, {
  // The test decides when objects are deleted.
  limits: { files: { deletionsIntervalMs: 60 * 60 * 1_000 } },
});
const operator = await service.owner({ email: 'ops@operators.example' });

/** A site with a file of its own and one that all sites have. */
const site = (own: string) => ({
  html: `<form method="post" action="{{FORM_ACTION}}"><input name="name"><input name="cv" type="file"></form>${own}`,
  files: Object.fromEntries(
    [own, 'shared'].map((text) => [
      `${text}.txt`,
      { content: Buffer.from(text).toString('base64'), encoding: 'base64' },
    ]),
  ),
});

/** Stores a submission with a file. */
async function submit(owner: Owner, id: string, content: string): Promise<string> {
  const body = multipartBody(['name="name"', content], ['name="cv"; filename="cv.txt"', content]);
  const { status, body: stored } = await owner.send('POST', `/submit/${id}`, body, TYPE);
  expect(status).toBe(200);
  return Object(stored).id;
}

/** A page with all that has files: versions, a preview, submissions, spam, and what is in the trash of them. */
async function furnish(owner: Owner, name: string): Promise<string> {
  const { id } = await owner.deploy(site(`${name} first`));
  await owner
    .put(`/deploy/${id}`)
    .send(site(`${name} second`))
    .expect(200);
  await owner
    .put(`/deploy/${id}?preview=1`)
    .send(site(`${name} preview`))
    .expect(200);
  await submit(owner, id, `${name} kept`);
  const trashed = await submit(owner, id, `${name} trashed`);
  await owner.delete(`/submissions/${id}/${trashed}`).expect(200);
  await owner.change(id, { spam: { blocklist: ['rubbish'], captcha: null } }).expect(200);
  await submit(owner, id, `${name} rubbish`);
  await owner.post(`/deploy/${id}/guests`).send({ email: 'guest@deleted.example', role: 'reader' });
  await owner.post(`/deploy/${id}/shares`).send({}).expect(201);
  await owner.post(`/deploy/${id}/feeds`).send({ name: 'a' }).expect(201);
  await owner
    .post(`/deploy/${id}/domains`)
    .send({ domain: `${name}.shop.example` })
    .expect(201);
  await owner.put(`/deploy/${id}/draft`).send({ html: '<p>draft' }).expect(200);
  await owner.put('/draft').send({ html: '<p>new' }).expect(200);
  return id;
}

/** The contents of all objects of files. */
const contents = (): string[] => s3.files().map((key) => String(s3.objects.get(key)?.content));

/** How many rows of each table name one of these values in a column; tables without any are left out. */
async function rowsOf(column: string, values: readonly (string | number)[]): Promise<Record<string, number>> {
  const { rows: tables } = await service.db.raw(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name = ? ORDER BY 1`,
    [column],
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { length } = await service.db(name).whereIn(column, [...values]);
    if (length > 0) counts[name] = length;
  }
  return counts;
}

it('DELETE /admin/owners/:ownerId removes all rows and objects, and leaves what was done in the audit', async () => {
  const owner = await service.owner({ email: 'gone@deleted.example' });
  const neighbour = await service.owner({ email: 'stays@deleted.example' });
  const stays = await neighbour.deploy(site('neighbour'));
  await submit(neighbour, stays.id, 'neighbour kept');
  const ofNeighbour = contents().toSorted();
  expect(ofNeighbour).toEqual(['neighbour', 'neighbour kept', 'shared']);

  const ids = [await furnish(owner, 'live'), await furnish(owner, 'deleted')];
  await owner.delete(`/deploy/${ids[1]}`).expect(200);
  const parts = ['first', 'second', 'preview', 'kept', 'trashed', 'rubbish'];
  const ofOwner = ['live', 'deleted'].flatMap((name) => parts.map((part) => `${name} ${part}`));
  expect(contents().toSorted()).toEqual([...ofNeighbour, ...ofOwner, 'shared'].toSorted());

  const { body } = await operator.get('/admin/owners?q=gone@deleted.example').expect(200);
  const { id } = body.owners[0];
  const number = Number(id.slice('own_'.length));
  const guest = { deployment_id: stays.id, role: 'reader', invited_at: new Date() };
  await service.db('guests').insert([
    { ...guest, id: 'gst_1', email: 'gone@deleted.example' },
    { ...guest, id: 'gst_2', email: 'other@deleted.example' },
  ]);
  await operator.delete(`/admin/owners/${id}`).expect(200);

  await expect.poll(() => service.db('owners').where({ id: number }), WAIT).toEqual([]);
  const kept = { audit_entries: expect.any(Number) };
  expect(await rowsOf('owner_id', [number])).toEqual(kept);
  // Other processes read for an hour that the pages are gone.
  expect(await rowsOf('deployment_id', ids)).toEqual({ ...kept, deployment_changes: expect.any(Number) });

  expect(await service.db('guests').where({ deployment_id: stays.id })).toMatchObject([{ id: 'gst_2' }]);

  const bucket = bucketOf(s3.settings());
  await service.db.raw('UPDATE removed_objects SET due_at = now()');
  await deleteRemovedObjects(service.db, bucket, testLimits());
  expect(contents().toSorted()).toEqual(ofNeighbour);
  expect(await service.db('removed_objects')).toEqual([]);

  const { body: audit } = await operator.get('/admin/audit').expect(200);
  const entries = audit.entries.filter(({ target }: { target: string }) => target === id);
  expect(entries).toMatchObject([{ actor: 'ops@operators.example', via: 'key', action: 'owner.delete', target: id }]);
});
