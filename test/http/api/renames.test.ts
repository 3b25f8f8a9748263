import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const { keptDays, maxOfDeployment } = SIZES.formerSlug;
const hostOf = (slug: string): string => `${slug}.${PAGES_DOMAIN}`;
const urlOf = (slug: string): string => `https://${hostOf(slug)}`;

const ask = (slug: string, path = '/', method: 'get' | 'head' | 'put' = 'get', url = service.url) =>
  fetchOf(url)[method](path).set('Host', hostOf(slug)).redirects(0);
const fetchOf = (url: string) => (url === service.url ? service.anonymous : supertest(url));
const rename = (id: string, slug: unknown, who = owner) => who.patch(`/deploy/${id}`).send({ slug });
const done = (id: string) => ({ status: 200, body: { success: true, id } });

/** Where an address leads: the status, and the address or nothing. */
async function leads(slug: string, path = '/', url = service.url): Promise<unknown[]> {
  const { status, headers } = await ask(slug, path, 'get', url);
  return [status, headers.location];
}

describe('PATCH /deploy/:id {slug}', () => {
  it('gives the page another address, to which the old one leads with its path and query', async () => {
    const { id } = await owner.deploy({ html: '<p>Fair', slug: 'old-fair' });
    expect(answer(await rename(id, 'new-fair'))).toEqual(done(id));
    expect((await owner.get(`/deploy/${id}`)).body).toMatchObject({ slug: 'new-fair', url: urlOf('new-fair') });
    expect((await ask('new-fair')).text).toBe('<p>Fair');
    expect(await leads('old-fair')).toEqual([308, `${urlOf('new-fair')}/`]);
    const path = '/a%2Fb/%C3%A9?x=1&y=%20?z';
    expect(await leads('old-fair', path)).toEqual([308, urlOf('new-fair') + path]);
    expect(await leads('old-fair', '/thanks')).toEqual([308, `${urlOf('new-fair')}/thanks`]);
    expect(await leads('old-fair', '/favicon.ico')).toEqual([308, `${urlOf('new-fair')}/favicon.ico`]);
    const head = await ask('old-fair', '/?q', 'head');
    expect([head.status, head.headers.location, head.headers['cache-control']]).toEqual([
      ...[308, `${urlOf('new-fair')}/?q`, 'no-store'],
    ]);
    const put = await ask('old-fair', '/', 'put');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('still takes submissions at the old address, which stays an origin of the page', async () => {
    const { id } = await owner.deploy({ slug: 'old-form' });
    await owner.change(id, { slug: 'new-form', allowed_origins: ['https://shop.example'] }).expect(200);
    const post = (origin: string, data: object) =>
      service.anonymous
        .post('/')
        .set({ Host: hostOf('old-form'), Origin: origin })
        .send(data);
    expect((await post(urlOf('old-form'), { n: 1 })).status).toBe(200);
    expect((await post(urlOf('new-form'), { n: 2 })).status).toBe(200);
    expect((await post(urlOf('other-form'), { n: 3 })).status).toBe(403);
    const sent = await service.anonymous
      .post(`/submit/${id}`)
      .set({ Accept: 'text/html', Origin: urlOf('old-form') })
      .type('form')
      .send({ _redirect: `${urlOf('old-form')}/done` });
    expect([sent.status, sent.headers.location]).toEqual([303, `${urlOf('old-form')}/done`]);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(3);
  });

  it('leads a visitor to a former address that the form names, at the first submission too', async () => {
    const { id } = await owner.deploy({ slug: 'named-before' });
    expect(answer(await rename(id, 'named-after'))).toEqual(done(id));
    for (const _ of ['first', 'second']) {
      const sent = await service.anonymous
        .post(`/submit/${id}`)
        .set('Accept', 'text/html')
        .type('form')
        .send({ _redirect: `${urlOf('named-before')}/done` });
      expect([sent.status, sent.headers.location]).toEqual([303, `${urlOf('named-before')}/done`]);
    }
  });

  it('leads from each former address to the latest, and back', async () => {
    const { id } = await owner.deploy({ slug: 'chain-a' });
    for (const slug of ['chain-b', 'chain-c']) expect(answer(await rename(id, slug))).toEqual(done(id));
    expect(await leads('chain-a')).toEqual([308, `${urlOf('chain-c')}/`]);
    expect(await leads('chain-b')).toEqual([308, `${urlOf('chain-c')}/`]);
    expect(answer(await rename(id, 'chain-a'))).toEqual(done(id));
    expect(await leads('chain-a')).toEqual([200, undefined]);
    expect(await leads('chain-b')).toEqual([308, `${urlOf('chain-a')}/`]);
    expect(answer(await rename(id, 'chain-a'))).toEqual(done(id));
  });

  it('refuses slugs as POST /deploy does, and changes nothing then', async () => {
    const { id } = await owner.deploy({ slug: 'refusing' });
    await owner.deploy({ slug: 'taken-here' });
    for (const slug of ['www', 'A', 'a1', '-a', '', null, 1, ['a'], 'x'.repeat(64)]) {
      expect(answer(await rename(id, slug))).toEqual(refused(400));
    }
    expect(answer(await owner.patch(`/deploy/${id}`).send({ slug: 'taken-here', retention_days: 5 }))).toEqual(
      refused(409),
    );
    expect(answer(await owner.patch(`/deploy/${id}`).send({ slug: 'fine-here', retention_days: 0 }))).toEqual(
      refused(400),
    );
    expect((await owner.get(`/deploy/${id}/settings`)).body.retention_days).toBe(null);
    expect(await leads('refusing')).toEqual([200, undefined]);
    expect(answer(await rename(id, 'of-another', await service.owner()))).toEqual(refused(404));
  });

  it('keeps the old slug from all other pages until its time is over', async () => {
    const { id } = await owner.deploy({ slug: 'kept-slug' });
    await rename(id, 'kept-now').expect(200);
    const other = await service.owner();
    const { id: trashed } = await other.deploy({ slug: 'in-trash' });
    await other.delete(`/deploy/${trashed}`).expect(200);
    const { id: second } = await other.deploy({ slug: 'second-page' });
    const refusals = [
      await owner.post('/deploy').send({ html: 'x', slug: 'kept-slug' }),
      await other.post('/deploy').send({ html: 'x', slug: 'kept-slug' }),
      await rename(second, 'kept-slug', other),
      await other.post(`/trash/${trashed}/restore`).send({ slug: 'kept-slug' }),
    ];
    expect(refusals.map(answer)).toEqual(refusals.map(() => refused(409)));
    // A slug of the service's choice is another one.
    expect((await other.deploy({ html: '<title>Kept slug</title>' })).slug).not.toBe('kept-slug');
    await service
      .db('former_slugs')
      .where({ slug: 'kept-slug' })
      .update({ until: new Date(Date.now() - 1_000) });
    expect(await leads('kept-slug')).toEqual([404, undefined]);
    await other.deploy({ slug: 'kept-slug' });
    expect(await leads('kept-slug')).toEqual([200, undefined]);
    // Its holder may give it up again, though another page had it before.
    const { rows } = await service.db.raw("SELECT deployment_id FROM former_slugs WHERE slug = 'kept-slug'");
    expect(rows).toEqual([]);
  });

  it(`keeps a slug for ${keptDays} days`, async () => {
    const { id } = await owner.deploy({ slug: 'days-before' });
    await rename(id, 'days-after').expect(200);
    const { rows } = await service.db.raw(
      "SELECT round(extract(epoch FROM until - now()) / 86400) AS days FROM former_slugs WHERE slug = 'days-before'",
    );
    expect(Number(rows[0].days)).toBe(keptDays);
  });

  it('frees the old slugs of a page that is deleted, also when it is restored', async () => {
    const { id } = await owner.deploy({ slug: 'freed-before' });
    await rename(id, 'freed-after').expect(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await leads('freed-before')).toEqual([404, undefined]);
    const { id: next } = await owner.deploy({ slug: 'freed-before' });
    expect((await owner.post(`/trash/${id}/restore`).send({})).body.slug).toBe('freed-after');
    expect((await owner.get(`/deploy/${next}`)).body.slug).toBe('freed-before');
  });

  it('gives a slug to one page when several want it at once', async () => {
    const pages = await Promise.all(['race-a', 'race-b', 'race-c'].map((slug) => owner.deploy({ slug })));
    const answers = await Promise.all([
      ...pages.map(({ id }) => rename(id, 'race-won')),
      owner.post('/deploy').send({ html: 'x', slug: 'race-won' }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409).length).toBe(3);
    expect(await leads('race-won')).toEqual([200, undefined]);
  });

  it('refuses two pages that want the slug of the other at once', async () => {
    const [here, there] = [await owner.deploy({ slug: 'swap-here' }), await owner.deploy({ slug: 'swap-there' })];
    // Both have changed their own row, and count places, when neither has the slug yet.
    const change = (id: string, slug: string) => owner.patch(`/deploy/${id}`).send({ slug, places_field: 'guests' });
    const changes = await service.db.transaction(async (holder) => {
      await holder.raw('LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE');
      const sent = [change(here.id, 'swap-there').then(answer), change(there.id, 'swap-here').then(answer)];
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event = 'relation' AND query LIKE '%extra_places%'";
      await expect.poll(async () => (await service.db.raw(waiting)).rowCount).toBe(2);
      return sent;
    });
    expect(await Promise.all(changes)).toEqual([refused(409), refused(409)]);
    expect([await leads('swap-here'), await leads('swap-there')]).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
  });

  it('bounds how many old addresses a page has', async () => {
    const { id } = await owner.deploy({ slug: 'many-x' });
    const slugOf = (count: number): string => `many-${'abcdefghijklmnop'.charAt(count)}`;
    for (let count = 0; count < maxOfDeployment; count += 1) await rename(id, slugOf(count)).expect(200);
    const refusal = await rename(id, 'many-z');
    expect(answer(refusal)).toEqual(refused(429));
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan((keptDays - 1) * 86_400);
    expect(await leads('many-x')).toEqual([308, `${urlOf(slugOf(maxOfDeployment - 1))}/`]);
    expect(answer(await rename(id, 'many-x'))).toEqual(done(id));
  });

  it('shows in another process within a second', async () => {
    const { url } = await service.another();
    const { id } = await owner.deploy({ slug: 'seen-before' });
    expect(await leads('seen-before', '/', url)).toEqual([200, undefined]);
    await rename(id, 'seen-after').expect(200);
    await expect.poll(() => leads('seen-before', '/', url)).toEqual([308, `${urlOf('seen-after')}/`]);
    await rename(id, 'seen-before').expect(200);
    await expect.poll(() => leads('seen-before', '/', url)).toEqual([200, undefined]);
  });
});
