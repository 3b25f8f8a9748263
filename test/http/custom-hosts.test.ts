import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { ProvenDomains } from '../../src/http/request/proven-domains.ts';
import { createLog } from '../../src/lib/log.ts';
import { startService } from '../../src/service.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { testLimits } from '../support/test-limits.ts';
import { BASE_URL, PAGES_DOMAIN, testService } from '../support/test-service.ts';

const service = await testService();
const other = await service.another();
const owner = await service.owner();

const get = (host: string, path = '/', url = service.url) => request(url).get(path).set('Host', host);
const pageAt = async (host: string, url?: string) => {
  const { status, text } = await get(host, '/', url);
  return status === 200 ? text : status;
};
/** Returns whether a host is a page's. Only the API has this path. */
const isOfPage = async (host: string, url?: string) => (await get(host, '/healthz', url)).status === 404;
const askForTls = async (domain: string, url = service.url) =>
  (await request(url).get(`/internal/tls?domain=${domain}`)).status;

/** Posts a form as a browser does that shows the answer. */
const post = (host: string, path: string, headers: Record<string, string>, fields: object = { name: 'Ada' }) =>
  request(service.url)
    .post(path)
    .set({ Host: host, Accept: 'text/html', ...headers })
    .type('form')
    .redirects(0)
    .send(fields);

let deployments = 0;

/** A deployment with a domain in a status, which all processes know. */
async function deployAt(status: 'pending' | 'live' | 'broken', body: object = {}) {
  deployments += 1;
  const domain = `forms${deployments}.shop.example`;
  const deployment = await owner.deploy({ html: `page ${deployments}`, ...body });
  await service.db('domains').insert({ deployment_id: deployment.id, domain, status });
  if (status !== 'pending') await expectPage(domain, true);
  const row = service.db('domains').where({ deployment_id: deployment.id, domain });
  return { ...deployment, domain, host: `${deployment.slug}.${PAGES_DOMAIN}`, row: () => row.clone() };
}

/** Waits until all processes know whether a domain leads to pages. */
async function expectPage(domain: string, isKnown: boolean): Promise<void> {
  for (const { url } of [service, other]) await expect.poll(() => isOfPage(domain, url)).toBe(isKnown);
}

describe('a live custom domain', () => {
  it('leads to the page, its files and its form, in each spelling of the host, and the slug still does', async () => {
    const { id, domain, host } = await deployAt('live', { html: 'home', files: { 'about.html': 'about' } });
    for (const each of [domain, `${domain}.`, `${domain}:8443`, domain.toUpperCase(), `${domain}.:80`, host]) {
      expect([await pageAt(each), (await get(each, '/about')).text]).toEqual(['home', 'about']);
    }
    const sent = await request(service.url).post('/').set('Host', domain).send({ name: 'Ada' }).expect(200);
    expect(sent.headers['access-control-allow-origin']).toBeUndefined();
    const { body } = await owner.get(`/submissions/${id}`);
    expect(body.submissions).toEqual([expect.objectContaining({ id: sent.body.id, data: { name: 'Ada' } })]);
  });

  it('answers errors with pages, as the host of the slug does', async () => {
    const { id, domain } = await deployAt('live');
    const missing = await get(domain, '/nothing').expect(404);
    expect(missing.text).toMatch(/^<!doctype html>/);
    await request(service.url).put('/').set('Host', domain).expect(405);
    await takeDown(service.db, id, 'phishing');
    await expect.poll(() => pageAt(domain)).toBe(451);
  });

  it('leads to nothing once its deployment is deleted, and to the page again once it is restored', async () => {
    const { id, domain, slug } = await deployAt('live', { html: 'mine' });
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await pageAt(domain)).toBe(404);
    // Nothing of a stranger who takes the slug is served there, in any process.
    await owner.deploy({ html: 'another', slug });
    expect(await pageAt(domain)).toBe(404);
    await expect.poll(() => pageAt(domain, other.url)).toBe(404);
    await owner
      .post(`/trash/${id}/restore`)
      .send({ slug: `${slug}-again` })
      .expect(200);
    expect(await pageAt(domain)).toBe('mine');
    await expect.poll(() => pageAt(domain, other.url)).toBe('mine');
  });

  it('is a host of the API again once it is removed', async () => {
    const { id, domain } = await deployAt('live');
    await owner.delete(`/deploy/${id}/domains/${domain}`).expect(200);
    expect(await isOfPage(domain)).toBe(false);
    await expectPage(domain, false);
  });

  it('moves to the deployment that proves it, and stays there when the other one gives it up', async () => {
    const loser = await deployAt('live', { html: 'loser' });
    const winner = await owner.deploy({ html: 'winner' });
    await service.db.transaction(async (transaction) => {
      await loser.row().transacting(transaction).update({ status: 'broken' });
      await transaction('domains').insert({ deployment_id: winner.id, domain: loser.domain, status: 'live' });
    });
    for (const { url } of [service, other]) await expect.poll(() => pageAt(loser.domain, url)).toBe('winner');
    await loser.row().delete();
    // A change that follows is known: so is the one before it.
    await deployAt('live');
    expect([await pageAt(loser.domain), await pageAt(loser.domain, other.url)]).toEqual(['winner', 'winner']);
  });
});

it('never serves the page that has got the slug of its own, even before that is known', async () => {
  const [{ id, slug, domain, host }, { id: otherId }] = [await deployAt('live'), await owner.deploy({ html: 'other' })];
  await service.db.transaction(async (transaction) => {
    // No trigger tells the change feed that the slug is free.
    await transaction.raw("SET LOCAL session_replication_role = 'replica'");
    await transaction('deployments')
      .where({ id })
      .update({ slug: `old-${slug}` });
  });
  await service.db('deployments').where({ id: otherId }).update({ slug });
  for (const { url } of [service, other]) {
    await expect.poll(() => pageAt(host, url)).toBe('other');
    expect(await pageAt(domain, url)).toBe(404);
  }
  const { status } = await post(domain, '/', {});
  expect(status).toBe(404);
});

it('serves nothing at a broken domain, and knows no pending one', async () => {
  const broken = await deployAt('broken');
  const pending = await deployAt('pending');
  expect([await pageAt(broken.domain), await isOfPage(broken.domain)]).toEqual([404, true]);
  expect(await isOfPage(pending.domain)).toBe(false);
});

it('has certificates made for live domains alone', async () => {
  const { id, domain } = await deployAt('live');
  const broken = await deployAt('broken');
  const pending = await deployAt('pending');
  const ask = () =>
    Promise.all([domain, broken.domain, pending.domain, 'nobody.shop.example'].map((one) => askForTls(one)));
  expect(await ask()).toEqual([200, 404, 404, 404]);
  await owner.delete(`/deploy/${id}`).expect(200);
  expect(await ask()).toEqual([404, 404, 404, 404]);
});

describe('a form at a custom domain', () => {
  it('is accepted from there where allowed_origins are set, and from no other origin of the domain', async () => {
    const { id, domain, host } = await deployAt('live');
    const stranger = await deployAt('live');
    await owner.change(id, { allowed_origins: ['https://example.com'] });
    const statusFrom = async (origin: string) =>
      (await request(service.url).post(`/submit/${id}`).set('Origin', origin).send({ a: 1 })).status;
    expect(await statusFrom(`https://${domain}`)).toBe(200);
    for (const origin of [`http://${domain}`, `https://${domain}:8443`, `https://${stranger.domain}`, domain]) {
      expect([origin, await statusFrom(origin)]).toEqual([origin, 403]);
    }
    expect((await post(host, '/', { Origin: `https://${domain}` })).status).toBe(303);
  });

  it.each<[string, (at: { id: string; domain: string; host: string }) => [string, string, Record<string, string>]]>([
    ['its own page', ({ domain }) => [domain, '/', {}]],
    ['the API, with an Origin', ({ id, domain }) => ['api.test', `/submit/${id}`, { Origin: `https://${domain}` }]],
    ['the API, with a Referer', ({ id, domain }) => ['api.test', `/submit/${id}`, { Referer: `https://${domain}/a` }]],
  ])('leads to a relative _redirect on that domain when it is posted to %s', async (_where, to) => {
    const deployment = await deployAt('live');
    const { headers } = await post(...to(deployment), { _redirect: '/done' });
    expect(headers.location).toBe(`https://${deployment.domain}/done`);
  });

  it('may redirect to any host of its page, and to that of no other', async () => {
    const { id, domain, host } = await deployAt('live');
    const stranger = await deployAt('live');
    const to = async (_redirect: string, from = host) => (await post(from, '/', {}, { _redirect })).headers.location;
    expect(await to(`https://${domain}/done`)).toBe(`https://${domain}/done`);
    expect(await to(`https://${host}/done`, domain)).toBe(`https://${host}/done`);
    for (const url of [
      `https://${stranger.domain}/`,
      `http://${domain}/`,
      `https://${domain}:8443/`,
      `https://a@${domain}/`,
    ]) {
      expect([url, await to(url)]).toEqual([url, '/thanks']);
    }
    expect((await post('api.test', `/submit/${id}`, {}, { _redirect: '/done' })).headers.location).toBe(
      `https://${host}/done`,
    );
  });

  it('has links back to it on the pages for visitors', async () => {
    const { id, domain, host } = await deployAt('live');
    const linkOf = ({ text }: { text: string }) => /<a href="([^"]*)"/.exec(text)?.[1];
    const page = `https://${domain}/`;
    expect(linkOf(await get(domain, '/thanks'))).toBe(page);
    expect(linkOf(await get(domain, '/thanks').set('Referer', `${page}a`))).toBe(page);
    expect(linkOf(await get('api.test', `/submit/${id}/thanks`).set('Referer', page))).toBe(page);
    expect(linkOf(await get(host, '/thanks'))).toBe(`https://${host}/`);
  });

  it('are named by a Referer of the length that a host can have, and only that is parsed', async () => {
    const { host } = await deployAt('live');
    const linkFor = async (referer: string) => {
      const { text } = await get(host, '/thanks').set('Referer', referer);
      return /<a href="([^"]*)"/.exec(text)?.[1];
    };
    expect(await linkFor('https://Other.example:443/a?b=c')).toBe('https://other.example/a?b=c');
    const long = '%E4%B8%80'.repeat(300);
    for (const start of ['http://', 'https://', 'HTTP:///', 'http:\\\\', 'http://\t/', 'http://\\/', 'http://a@']) {
      expect([start, await linkFor(`${start}${long}/`)]).toEqual([start, `https://${host}/`]);
    }
  });

  it('may lead there from the page of a refusal, by which it is sent again', async () => {
    const { id, domain, host } = await deployAt('live');
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z' });
    const refused = await post('api.test', `/submit/${id}`, {}, { _redirect: `https://${domain}/done` });
    expect(refused.headers['content-security-policy']).toContain(
      `form-action 'self' https://${host} https://${domain};`,
    );
  });
});

describe('the form check', () => {
  it('knows the custom domains of a page', async () => {
    const { id, domain } = await deployAt('live');
    const html = (host: string) => `<form method="post" action="https://${host}/"><input name="a"></form>`;
    const codes = async (host: string) => {
      await owner
        .put(`/deploy/${id}`)
        .send({ html: html(host) })
        .expect(200);
      const { body } = await owner.get(`/deploy/${id}/check`).expect(200);
      return body.problems.map(({ code }: { code: string }) => code);
    };
    const stranger = await codes('stranger.shop.example');
    expect(stranger).not.toEqual([]);
    expect((await codes(domain)).filter((code: string) => stranger.includes(code))).toEqual([]);
  });
});

describe('a process', () => {
  it('answers at a custom domain once it has started, and 503 to who asks for a certificate before', async () => {
    const { domain } = await deployAt('live', { html: 'at last' });
    const { databaseUrl } = service;
    const proxy = await proxyTo(
      databaseUrl,
      () => ({}),
      ({ client, postgres }) => void client.pipe(postgres).pipe(client),
    );
    await proxy.close();
    const config = loadConfig({ BASE_URL, PAGES_DOMAIN, DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' });
    const starting = await startService({ ...config, port: 0 }, createLog('silent'), { limits: testLimits() });
    onTestFinished(() => starting.close());
    const page = get(domain, '/', starting.url).then(({ text }) => text);
    expect(await askForTls(domain, starting.url)).toBe(503);
    await proxy.open();
    expect(await page).toBe('at last');
    expect(await askForTls(domain, starting.url)).toBe(200);
    await proxy.close();
  });

  it('reads all domains, however many', async () => {
    const { id, slug } = await owner.deploy();
    await service.db.raw(
      `INSERT INTO domains (deployment_id, domain, status)
         SELECT ?, n || '.many.example', 'live' FROM generate_series(1, 10001) AS n`,
      [id],
    );
    const domains = new ProvenDomains(service.db);
    await domains.readAll();
    expect(domains.domainsOf({ id, slug }).length).toBe(10_001);
    await service.db('domains').where({ deployment_id: id }).delete();
    expect(domains.pageAt('7.many.example')?.slug).toBe(slug);
    await domains.readAll();
    expect(domains.pageAt('7.many.example')).toBeUndefined();
  });
});
