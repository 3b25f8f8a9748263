import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { restore, takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { answer, refused } from '../../support/answers.ts';
import { BASE_URL, getPage, type Owner, PAGES_DOMAIN, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const PLAN_LIMIT = 2;
const SOON_MS = 60_000;

const service = await testService({
  PLAN_LIMITS: `free:${PLAN_LIMIT},unlimited:none`,
});
/** Another process. */
const [other, owner] = await Promise.all([service.another(), service.owner()]);

const down = async (id: string): Promise<void> => expect(await takeDown(service.db, id, 'a "reason" <b>')).toBe(true);
const up = async (id: string): Promise<void> => expect(await restore(service.db, id)).toBe(true);

/** Settles when a page has this status in both processes, whatever they have in memory. */
const shows = (slug: string, status: number) =>
  vi.waitFor(
    async () => {
      const both = await Promise.all([service.url, other.url].map((url) => getPage(url, slug)));
      expect(both.map((page) => page.status)).toEqual([status, status]);
    },
    { timeout: SOON_MS, interval: 20 },
  );

/** A deployment that both processes have in memory, taken down. */
async function deployTakenDown(by: Owner = owner, html = '<h1>Your bank</h1>') {
  const deployment = await by.deploy({ html });
  await shows(deployment.slug, 200);
  await down(deployment.id);
  await shows(deployment.slug, 451);
  return deployment;
}

const submit = (id: string, { url = service.url, body = '{"a":1}' } = {}) =>
  request(url).post(`/submit/${id}`).set('Content-Type', 'application/json').send(body);

/** An answer without what differs from one request to the next. */
const whole = ({ status, headers, text }: request.Response) => {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, text };
};

/** The paragraphs of a small page. */
const paragraphs = (html: string): string[] => html.match(/<p>.*?<\/p>/g) ?? [];
const MESSAGE = '<p>This page has been taken down.</p>';

describe('the page of a deployment that is taken down', () => {
  it('answers 451 and nothing to keep, to GET and HEAD, whatever the browser has', async () => {
    const { slug } = await owner.deploy();
    const { headers } = await getPage(service.url, slug);
    const taken = await deployTakenDown();
    const got = await getPage(service.url, taken.slug);
    expect(paragraphs(got.text)).toEqual([MESSAGE]);
    expect(got.text).not.toContain('reason');
    expect(got.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(got.text.length),
      'cache-control': 'no-store',
      link: `<${BASE_URL}>; rel="blocked-by"`,
    });
    expect(got.headers).not.toHaveProperty('etag');
    const conditional = getPage(service.url, taken.slug).set('If-None-Match', `*, ${headers.etag}`);
    expect(whole(await conditional.set('Accept-Encoding', 'br'))).toEqual(whole(got));
    const head = request(service.url).head('/').set('Host', `${taken.slug}.${PAGES_DOMAIN}`);
    expect(whole(await head)).toEqual({ ...whole(got), text: undefined });
  });

  it('names ABUSE_CONTACT, and shows it as it is', async () => {
    const { slug } = await deployTakenDown();
    const { url } = await service.another({ ABUSE_CONTACT: "o'neil&co@e.example" });
    expect(paragraphs((await getPage(url, slug)).text)).toEqual([
      MESSAGE,
      '<p>For questions, contact <a href="mailto:o&#39;neil%26co@e.example">o&#39;neil&amp;co@e.example</a>.</p>',
    ]);
  });

  it('is up again in every process once it is restored, with what its owner has made of it meanwhile', async () => {
    const { id, slug } = await deployTakenDown();
    await owner.put(`/deploy/${id}`).send({ html: 'another' }).expect(200);
    await shows(slug, 451);
    await up(id);
    await shows(slug, 200);
    expect((await getPage(other.url, slug)).text).toBe('another');
    expect((await submit(id)).status).toBe(200);
  });
});

describe('a submission to a deployment that is taken down', () => {
  it.each([
    ['of JSON', 'application/json', '{"a":1}'],
    ['with a honeypot filled in', 'application/json', '{"_hp":"x"}'],
    ['that cannot be read', 'application/json', '{'],
  ])('%s is answered as one to no deployment is, in every process', async (_what, type, body) => {
    const { id, slug } = await deployTakenDown();
    for (const url of [service.url, other.url]) {
      const post = (path: string, host = 'api.test') =>
        request(url).post(path).set('Host', host).set('Content-Type', type).send(body);
      expect(whole(await post(`/submit/${id}`))).toEqual(whole(await post(`/submit/${UNKNOWN_ID}`)));
      const own = await post('/', `${slug}.${PAGES_DOMAIN}`);
      expect(whole(own)).toEqual(whole(await post('/', `nobody.${PAGES_DOMAIN}`)));
    }
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(0);
  });

  it('is never accepted once the take-down is done, and each that was accepted is stored', async () => {
    const deployments = await Promise.all(Array.from({ length: 4 }, () => owner.deploy()));
    await Promise.all(
      deployments.map(async ({ id }, index) => {
        let isDown = false;
        let accepted = 0;
        const send = async (url: string) => {
          const beganAfter = isDown;
          const { status } = await submit(id, { url });
          if (status === 200) accepted += 1;
          expect(beganAfter ? [404] : [200, 404]).toContain(status);
        };
        const early = Array.from({ length: 9 }, (_, place) => send(place % 2 ? other.url : service.url));
        await Promise.race([early[index % 9], early[0]]);
        await down(id);
        isDown = true;
        await Promise.all([...early, send(service.url), send(other.url)]);
        expect((await owner.get(`/submissions/${id}`)).body.total).toBe(accepted);
      }),
    );
  });

  it('is a 404, and no longer a 429, within a second of the take-down', async () => {
    const { id } = await owner.deploy();
    const statuses = await Promise.all(Array.from({ length: 11 }, async () => (await submit(id)).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    await down(id);
    await expect.poll(async () => (await submit(id)).status).toBe(404);
  });
});

describe('the owner of a deployment that is taken down', () => {
  it('is shown what was shown before, field for field', async () => {
    const { id } = await owner.deploy();
    await submit(id).expect(200);
    const { body: webhook } = await owner.post(`/webhooks/${id}`).send({ url: 'https://e.example/' }).expect(201);
    const views = [`/deploy/${id}`, `/submissions/${id}`, `/webhooks/${id}`, `/webhooks/${id}/${webhook.id}/secret`];
    const look = () => Promise.all(views.map(async (path) => answer(await owner.get(path))));
    const before = await look();
    expect(before[0]).toMatchObject({ status: 200, body: { status: 'active', submission_count: 1 } });
    await down(id);
    expect(await look()).toEqual(before);
    await up(id);
    expect(await look()).toEqual(before);
  });

  it('keeps its slug and its place under the plan until it is deleted', async () => {
    const free = await service.owner({ plan: 'free' });
    const { id, slug } = await deployTakenDown(free);
    await free.deploy();
    const create = (by: Owner, body: object) => by.post('/deploy').send({ html: 'x', ...body });
    expect(answer(await create(free, {}))).toEqual(refused(403));
    expect(answer(await create(owner, { slug }))).toEqual(refused(409));
    await free.delete(`/deploy/${id}`).expect(200);
    expect((await create(free, {})).status).toBe(201);
    expect((await create(owner, { slug })).status).toBe(201);
    await shows(slug, 200);
  });
});
