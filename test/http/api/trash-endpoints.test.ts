import { describe, expect, it } from 'vitest';
import { beginPurge } from '../../../src/db/deployments/deleted-deployment-queries.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { getPage, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** A deployment that was deleted, with two submissions, one with a file, and a webhook that is off. */
async function deployDeleted(who = owner, slug?: string) {
  const deployed = await who.deploy(slug === undefined ? {} : { slug });
  const { id } = deployed;
  const webhook = await who.post(`/webhooks/${id}`).send({ url: 'https://hooks.example.org/' }).expect(201);
  await who.patch(`/webhooks/${id}/${webhook.body.id}`).send({ active: false }).expect(200);
  await who.send('POST', `/submit/${id}`, '{"n":1}');
  await who.post(`/submit/${id}`).attach('cv', Buffer.from('Ada'), 'cv.txt').expect(200);
  const before = (await who.get(`/submissions/${id}`)).body;
  const webhooks = (await who.get(`/webhooks/${id}`)).body;
  await who.delete(`/deploy/${id}`).expect(200);
  return { ...deployed, before, webhooks };
}

const restore = (id: string, body: object = {}, who = owner) => who.post(`/trash/${id}/restore`).send(body);

describe('GET /trash', () => {
  it('lists the owner’s deleted deployments, the last deleted first', async () => {
    const who = await service.owner();
    expect(answer(await who.get('/trash'))).toEqual({
      ...{ status: 200, body: { deployments: [], total: 0, page: 1, limit: 50 } },
    });
    const first = await who.deploy({ slug: 'first-deleted', html: '<title>Summer &amp; fair</title>' });
    const { id: second } = await deployDeleted(who, 'second-in-trash');
    await who.deploy();
    await deployDeleted();
    await who.delete(`/deploy/${first.id}`).expect(200);
    const deployments = [
      { id: first.id, slug: 'first-deleted', title: 'Summer & fair', submission_count: 0, deleted_at: aTime },
      { id: second, slug: 'second-in-trash', title: null, submission_count: 2, deleted_at: aTime },
    ];
    expect((await who.get('/trash')).body).toEqual({ deployments, total: 2, page: 1, limit: 50 });
  });
});

describe('POST /trash/:id/restore', () => {
  it('brings the page, the submissions, their files and the webhooks back', async () => {
    const { id, url, slug, before, webhooks } = await deployDeleted();
    expect((await getPage(service.url, slug)).status).toBe(404);
    expect(answer(await restore(id))).toEqual({ status: 200, body: { id, url, slug } });
    expect((await getPage(service.url, slug)).text).toBe('<h1>Hello</h1>');
    expect((await owner.get(`/submissions/${id}`)).body).toEqual(before);
    expect((await owner.get(`/webhooks/${id}`)).body).toEqual(webhooks);
    const file = await owner.get(before.submissions[0].data.cv.url);
    expect([file.status, file.text]).toEqual([200, 'Ada']);
    expect(answer(await restore(id))).toEqual(refused(404));
    expect((await owner.get('/trash')).body.deployments.map(({ id: of }: { id: string }) => of)).not.toContain(id);
  });

  it('answers 409 when the slug is taken, and takes another', async () => {
    const { id, url, slug } = await deployDeleted();
    await owner.deploy({ slug });
    expect(answer(await restore(id))).toEqual(refused(409));
    expect(answer(await restore(id, { slug: 'Not Valid' }))).toEqual(refused(400));
    expect(answer(await restore(id, { slug: null }))).toEqual(refused(400));
    expect(answer(await restore(id, { slug: 'www' }))).toEqual(refused(400));
    const again = `${slug}-again`;
    expect(answer(await restore(id, { slug: again }))).toEqual({
      status: 200,
      body: { id, url: url.replace(slug, again), slug: again },
    });
  });

  it('answers 403 at the plan’s limit, also where many come at once', async () => {
    const who = await service.owner({ plan: 'free' });
    const deleted: string[] = [];
    while (deleted.length < 5) {
      const { id } = await who.deploy();
      await who.delete(`/deploy/${id}`).expect(200);
      deleted.push(id);
    }
    const answers = await Promise.all([
      ...deleted.map((id) => restore(id, {}, who)),
      ...deleted.map(() => who.post('/deploy').send({ html: 'x' })),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7);
    expect((await who.get('/deploy')).body.total).toBe(3);
  });

  it('and a new deployment at once leave a slug to one of them', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id, slug } = await deployDeleted();
      const answers = await Promise.all([restore(id), owner.post('/deploy').send({ html: 'x', slug })]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    }
  });
});

describe('DELETE /trash/:id', () => {
  it('removes a deleted deployment for good, with everything of it', async () => {
    const { id } = await deployDeleted();
    expect(answer(await owner.delete(`/trash/${id}`))).toEqual({
      status: 200,
      body: { message: 'Deployment deleted for good', id },
    });
    expect(answer(await owner.delete(`/trash/${id}`))).toEqual(refused(404));
    expect(answer(await restore(id))).toEqual(refused(404));
    const rows = async () =>
      Promise.all([
        service.db('deployments').where({ id }),
        ...['submissions', 'submission_files', 'webhooks', 'pages'].map((table) =>
          service.db(table).where({ deployment_id: id }),
        ),
      ]);
    await expect.poll(rows).toEqual([[], [], [], [], []]);
  });

  it('goes on when the service starts again', async () => {
    const { id } = await deployDeleted();
    await beginPurge(service.db, id);
    expect((await owner.get('/trash')).body.deployments.map(({ id: of }: { id: string }) => of)).not.toContain(id);
    const another = await service.another();
    await expect.poll(() => service.db('deployments').where({ id })).toEqual([]);
    await another.close();
  });
});
