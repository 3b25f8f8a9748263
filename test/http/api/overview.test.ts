import { describe, expect, it, onTestFinished } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-downs.ts';
import { answer, aTime } from '../../support/answers.ts';
import { BASE_URL, startTestService, testService } from '../../support/service.ts';

const service = await testService();
const owner = await service.owner();

describe('GET /overview', () => {
  it('counts the honeypots that were filled in during a week, of each page and of all processes', async () => {
    const limits = { submissions: { honeypotIntervalMs: 20 } };
    const counting = await startTestService({}, undefined, { limits });
    onTestFinished(() => counting.close());
    const who = await counting.owner();
    const [{ id }, { id: other }] = [await who.deploy(), await who.deploy()];
    const honeypots = async () =>
      Array.from((await who.get('/overview')).body.deployments, (one: { honeypots: number }) => one.honeypots);
    const fill = (to: string) => who.send('POST', `/submit/${to}`, '{"_hp":"robot","a":"b"}');
    for (let count = 0; count < 3; count += 1) expect((await fill(id)).status).toBe(200);
    await expect.poll(honeypots).toEqual([0, 3]);
    await fill(other);
    // What is counted until the end of a process is written then.
    const second = await counting.another();
    await fetch(`${second.url}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ _hp: 'x' }) });
    await second.close();
    await expect.poll(honeypots).toEqual([1, 4]);
    expect((await who.get(`/submissions/${id}`)).body.total).toBe(0);
    const age = (days: number) =>
      counting.db.raw(`UPDATE honeypot_hits SET day = day - CAST(? AS int) WHERE deployment_id = ?`, [days, id]);
    await age(6);
    expect(await honeypots()).toEqual([1, 4]);
    await age(1);
    expect(await honeypots()).toEqual([1, 0]);
    await fill(id);
    await expect.poll(honeypots).toEqual([1, 1]);
    expect(await counting.db('honeypot_hits').where({ deployment_id: id }).select('count')).toEqual([{ count: 1 }]);
  });

  it('answers live deployments, newest first, each with what there is to see', async () => {
    const who = await service.owner();
    const plain = await who.deploy({ html: '<p>No title' });
    const { id: deleted } = await who.deploy();
    await who.delete(`/deploy/${deleted}`).expect(200);
    const full = await who.deploy({
      html: '<!doctype html><head><TITLE lang=en>\n Caf&eacute; &amp; &#x1F680;\t “x”&lt;y </TITLE><title>second</title>',
    });
    await who.patch(`/deploy/${full.id}`).send({ email_notifications: true }).expect(200);
    for (const n of [1, 2, 3]) await who.send('POST', `/submit/${full.id}`, `{"n":${n}}`);
    const { submissions } = (await who.get(`/submissions/${full.id}`)).body;
    await who.patch(`/submissions/${full.id}/${submissions[1].id}`).send({ read: true }).expect(200);
    const { id: webhook } = (await who.post(`/webhooks/${full.id}`).send({ url: 'https://hooks.example.org/' })).body;
    await who.post(`/webhooks/${full.id}`).send({ url: 'https://hooks.example.org/2' }).expect(201);
    await service.db('webhooks').where({ id: webhook }).update({ failing_since: new Date() });
    await takeDown(service.db, plain.id, 'a reason');
    await owner.deploy();
    const shared = { spam: 0, honeypots: 0, updated_at: aTime };
    const deployments = [
      {
        ...full,
        ...shared,
        title: 'Café & 🚀 “x”<y',
        form_action: `${BASE_URL}/submit/${full.id}`,
        submission_count: 3,
        unread: 2,
        last_submission_at: submissions[0].created_at,
        email_notifications: true,
        failing_webhooks: 1,
        taken_down: false,
      },
      {
        ...plain,
        ...shared,
        title: null,
        form_action: `${BASE_URL}/submit/${plain.id}`,
        submission_count: 0,
        unread: 0,
        last_submission_at: null,
        email_notifications: false,
        failing_webhooks: 0,
        taken_down: true,
      },
    ];
    expect(answer(await who.get('/overview'))).toEqual({
      ...{ status: 200, body: { deployments, total: 2, page: 1, limit: 50 } },
    });
    expect((await who.get('/overview?page=2&limit=1')).body).toEqual({
      ...{ deployments: deployments.slice(1), total: 2, page: 2, limit: 1 },
    });
    await who.delete(`/submissions/${full.id}/${submissions[1].id}`).expect(200);
    expect((await who.get('/overview')).body.deployments[0]).toMatchObject({ submission_count: 2, unread: 2 });
  });
});
