import { describe, expect, it } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { answer, aTime } from '../../support/answers.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { BASE_URL, JSON_TYPE, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

describe('GET /overview', () => {
  it.each([
    ['honeypots that were filled in', 'honeypots', 'honeypot_hits', 0, 200],
    ['submissions that got a 429', 'turned_away', 'turned_away', 10, 429],
  ])('counts the %s during a week, of each page and of all processes', async (_what, field, table, before, status) => {
    const limits = { submissions: { countsIntervalMs: 20 } };
    const counting = await testService({}, undefined, { limits });
    const who = await counting.owner();
    const ids = [(await who.deploy()).id, (await who.deploy()).id] as const;
    for (const id of ids) await setAccepted(counting.db, id, before);
    const [id, other] = ids;
    const counts = async () =>
      Array.from((await who.get('/overview')).body.deployments, (one: Record<string, unknown>) => one[field]);
    const body = before === 0 ? '{"_hp":"robot","a":"b"}' : '{"a":"b"}';
    const send = async (to: string, url = counting.url) =>
      expect((await fetch(`${url}/submit/${to}`, { method: 'POST', body, headers: JSON_TYPE })).status).toBe(status);
    for (let count = 0; count < 3; count += 1) await send(id);
    await expect.poll(counts).toEqual([0, 3]);
    await send(other);
    // A process writes its counts when it ends.
    const second = await counting.another();
    await send(id, second.url);
    await second.close();
    await expect.poll(counts).toEqual([1, 4]);
    expect((await who.get(`/submissions/${id}`)).body.total).toBe(0);
    const age = (days: number) =>
      counting.db.raw(`UPDATE ${table} SET day = day - CAST(? AS int) WHERE deployment_id = ?`, [days, id]);
    const clean = () => removeOldRows(counting.db, { logStart: new Date(0) });
    await age(6);
    await clean();
    expect(await counts()).toEqual([1, 4]);
    await age(1);
    expect(await counts()).toEqual([1, 0]);
    await clean();
    expect(await counting.db(table).select('deployment_id', 'count')).toEqual([{ deployment_id: other, count: 1 }]);
  });

  it.each([
    ['open', {}, null],
    ['open', { max_submissions: 3 }, { taken: 2, of: 3 }],
    ['full', { max_submissions: 2 }, { taken: 2, of: 2 }],
    [
      'full',
      { max_submissions: 1, opens_at: '2019-05-06T00:00:00Z', closes_at: '2099-01-01T00:00:00Z' },
      { taken: 2, of: 1 },
    ],
    ['not-open', { max_submissions: 2, opens_at: '2099-01-01T00:00:00Z' }, { taken: 2, of: 2 }],
    ['closed', { closes_at: '2019-05-06T00:00:00Z' }, null],
    ['closed', { max_submissions: 2, closes_at: '2019-05-06T00:00:00Z' }, { taken: 2, of: 2 }],
  ])('says that a form is %s with %j', async (state, settings, places) => {
    const who = await service.owner();
    const { id } = await who.deploy();
    for (const n of [1, 2]) await who.send('POST', `/submit/${id}`, `{"n":${n}}`);
    await who.change(id, settings);
    expect((await who.get(`/overview/${id}`)).body).toMatchObject({ state, places });
    expect((await who.get('/overview')).body.deployments).toMatchObject([{ state, places }]);
  });

  it('answers live deployments, newest first, each with what there is to see', async () => {
    const who = await service.owner();
    const plain = await who.deploy({ html: '<p>No title' });
    const { id: deleted } = await who.deploy();
    await who.delete(`/deploy/${deleted}`).expect(200);
    const full = await who.deploy({
      html: '<!doctype html><head><TITLE lang=en>\n Caf&eacute; &amp; &#x1F680;\t “x”&lt;y </TITLE><title>second</title>',
    });
    await who.change(full.id, { email_notifications: true });
    for (const n of [1, 2, 3]) await who.send('POST', `/submit/${full.id}`, `{"n":${n}}`);
    const { submissions } = (await who.get(`/submissions/${full.id}`)).body;
    await who.patch(`/submissions/${full.id}/${submissions[1].id}`).send({ read: true }).expect(200);
    const { id: webhook } = (await who.post(`/webhooks/${full.id}`).send({ url: 'https://hooks.example.org/' })).body;
    await who.post(`/webhooks/${full.id}`).send({ url: 'https://hooks.example.org/2' }).expect(201);
    await service.db('webhooks').where({ id: webhook }).update({ failing_since: new Date() });
    await takeDown(service.db, plain.id, 'a reason');
    await owner.deploy();
    const shared = {
      ...{ state: 'open', places: null, former_slugs: [], draft: false },
      spam: 0,
      honeypots: 0,
      turned_away: 0,
      updated_at: aTime,
    };
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
        take_down_reason: null,
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
        take_down_reason: 'a reason',
      },
    ];
    expect(answer(await who.get('/overview'))).toEqual({
      ...{ status: 200, body: { deployments, total: 2, page: 1, limit: 50 } },
    });
    for (const one of deployments) {
      expect(answer(await who.get(`/overview/${one.id}`))).toEqual({ status: 200, body: one });
    }
    await who.get(`/overview/${deleted}`).expect(404);
    await owner.get(`/overview/${full.id}`).expect(404);
    await who.delete(`/submissions/${full.id}/${submissions[1].id}`).expect(200);
    expect((await who.get('/overview')).body.deployments[0]).toMatchObject({ submission_count: 2, unread: 2 });
  });
});
