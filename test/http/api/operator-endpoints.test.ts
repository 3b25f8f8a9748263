import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { beginOwnerDeletion, finishOwnerDeletions } from '../../../src/db/account/owner-deletion-queries.ts';
import { hashOfKey, newGuestId, newSessionId, newToken } from '../../../src/lib/ids.ts';
import { allowProgram } from '../../support/allow-program.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { startReceiver } from '../../support/receivers.ts';
import { asOwner, getPage, type Owner, PAGES_DOMAIN, testService, UNKNOWN_ID } from '../../support/test-service.ts';
import { untilWaiting } from '../../support/waiting.ts';

const SOON_MS = 60_000;
const service = await testService({
  ADMIN_EMAILS: 'Ops@operators.example, second@operators.example',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
});
const other = await service.another();
const operator = await service.owner({ email: 'ops@operators.example' });
const both = [service.url, other.url];

/** An owner with an id as operators see it. */
async function anOwner(email: string): Promise<{ owner: Owner; id: string }> {
  const owner = await service.owner({ email, plan: 'free' });
  const { body } = await operator.get(`/admin/owners?q=${email}`).expect(200);
  return { owner, id: body.owners[0].id };
}

const suspend = (id: string, suspended: boolean) => operator.patch(`/admin/owners/${id}`).send({ suspended });

/** Settles when all processes answer so, whatever they have in memory. */
const settles = (read: (url: string) => Promise<number>, status: number) =>
  vi.waitFor(async () => expect(await Promise.all(both.map(read))).toEqual([status, status]), {
    timeout: SOON_MS,
    interval: 50,
  });
const shows = (slug: string, status: number) => settles(async (url) => (await getPage(url, slug)).status, status);
const accepts = (id: string, status: number) =>
  settles(async (url) => (await request(url).post(`/submit/${id}`).send({ a: '1' })).status, status);

const PATHS = ['owners', 'pages', 'deliveries', 'audit', 'health'].map((path) => `/admin/${path}`);

describe('/admin', () => {
  it.each(PATHS)('%s is 401 without a key, and 404 for all who are no operators', async (path) => {
    const { body: readKey } = await operator.post('/keys').send({ name: 'r', scope: 'read' }).expect(201);
    const reader = asOwner(service.url, readKey.key);
    const plain = await service.owner();
    expect(answer(await service.anonymous.get(path))).toEqual(refused(401));
    expect(answer(await plain.get(path))).toEqual(refused(404));
    expect((await reader.get(path)).status).toBe(200);
    expect(answer(await reader.patch('/admin/owners/own_1').send({ suspended: true }))).toEqual(refused(404));
  });

  it('is 404 for programs that an operator has allowed everything', async () => {
    const { api } = await allowProgram(service, operator, { scope: 'full' });
    const { id } = await anOwner('safe@from-programs.example');
    expect((await api.get('/me')).status).toBe(200);
    for (const path of PATHS) expect([path, answer(await api.get(path))]).toEqual([path, refused(404)]);
    expect(answer(await api.patch(`/admin/owners/${id}`).send({ suspended: true }))).toEqual(refused(404));
    expect(answer(await api.delete(`/admin/owners/${id}`))).toEqual(refused(404));
  });

  it('answers 404 to changes by others, whatever they send', async () => {
    const plain = await service.owner();
    const { id } = await plain.deploy();
    expect(answer(await plain.post(`/admin/pages/${id}/take-down`).send({}))).toEqual(refused(404));
    expect(answer(await plain.post(`/admin/pages/${id}/restore`))).toEqual(refused(404));
    expect(answer(await plain.patch('/admin/owners/own_1').send({ plan: 7 }))).toEqual(refused(404));
  });
});

describe('GET /admin/owners', () => {
  it('finds owners by their address', async () => {
    const { owner, id } = await anOwner('grace@found.example');
    await owner.deploy();
    const { body } = await operator.get('/admin/owners?q=GRACE@').expect(200);
    expect(body).toEqual({
      owners: [
        {
          ...{ id, email: 'grace@found.example', plan: 'free', deployments: 1 },
          ...{ storage_used: expect.any(Number), last_used_at: aTime, suspended: false, created_at: aTime },
        },
      ],
      ...{ total: 1, page: 1, limit: 50 },
    });
    expect(answer(await operator.get('/admin/owners?q=%00'))).toEqual(refused(400));
  });
});

describe('PATCH /admin/owners/:ownerId', () => {
  it('changes the plan, with an entry in the audit, which its owner reads without the address', async () => {
    const { owner, id } = await anOwner('plan@changed.example');
    const { body } = await operator.patch(`/admin/owners/${id}`).send({ plan: 'pro' }).expect(200);
    expect(body).toMatchObject({ id, plan: 'pro' });
    await operator.patch(`/admin/owners/${id}`).send({ plan: 'pro' }).expect(200);
    const entry = {
      at: aTime,
      actor: 'ops@operators.example',
      via: 'key',
      action: 'owner.plan',
      target: id,
      count: null,
    };
    expect((await owner.get('/audit')).body.entries).toEqual([{ ...entry, ip_address: null }]);
    expect((await operator.get('/admin/audit')).body.entries[0]).toEqual({ ...entry, ip_address: '127.0.0.1' });
    expect(answer(await operator.patch(`/admin/owners/${id}`).send({ plan: 'none' }))).toEqual(refused(400));
    expect(answer(await operator.patch('/admin/owners/own_999999').send({}))).toEqual(refused(404));
    expect(answer(await operator.patch('/admin/owners/x').send({}))).toEqual(refused(404));
  });

  it('suspends an owner in all processes, and all is as it was when that ends', async () => {
    const { owner, id } = await anOwner('eve@suspended.example');
    const hook = await startReceiver();
    const { id: pageId, slug } = await owner.deploy();
    await owner.post(`/webhooks/${pageId}`).send({ url: hook.url }).expect(201);
    const keyWorks = async (url: string) => (await asOwner(url, owner.key).get('/me')).status;
    await shows(slug, 200);
    expect((await suspend(id, true).expect(200)).body.suspended).toBe(true);
    await shows(slug, 403);
    await accepts(pageId, 403);
    await settles(keyWorks, 401);
    const submitted = await request(service.url).post(`/submit/${pageId}`).send({ a: '1' });
    expect([submitted.status, submitted.headers['access-control-allow-origin']]).toEqual([403, '*']);
    expect((await service.db('submissions').where({ deployment_id: pageId })).length).toBe(0);
    await suspend(id, false).expect(200);
    await shows(slug, 200);
    await settles(keyWorks, 200);
    // Until this process has learned of it, the form in its memory refuses.
    await vi.waitFor(() => request(service.url).post(`/submit/${pageId}`).send({ a: '2' }).expect(200), {
      timeout: SOON_MS,
      interval: 50,
    });
    expect((await owner.get('/audit')).body.entries.map(({ action }: { action: string }) => action)).toEqual([
      ...['owner.resume', 'owner.suspend'],
      ...['webhook.create', 'page.publish'],
    ]);
  });

  it('shows nothing of the pages: no name, no new address, no challenge', async () => {
    const { owner, id } = await anOwner('shown@suspended.example');
    const { id: pageId } = await owner.deploy({ slug: 'shown-before', html: '<title>Trap</title><form>' });
    await owner.patch(`/deploy/${pageId}`).send({ slug: 'shown-after' }).expect(200);
    const thanks = (accept: string) => request(service.url).get(`/submit/${pageId}/thanks`).set('Accept', accept);
    const challenge = () => request(service.url).get('/altcha/challenge').query({ deployment: pageId });
    const submitted = () => request(service.url).post(`/submit/${pageId}`).set('Accept', 'text/html').type('form');
    const former = async (url: string) => (await getPage(url, 'shown-before')).status;
    expect((await thanks('text/html')).text).toContain('Trap');
    expect([(await challenge()).status, await former(service.url)]).toEqual([200, 308]);
    await suspend(id, true).expect(200);
    await accepts(pageId, 403);
    await settles(former, 403);
    const page = await thanks('text/html');
    expect([page.status, page.headers['access-control-allow-origin']]).toEqual([403, '*']);
    for (const { text } of [page, await submitted().send('a=1'), await request(service.url).get(`/submit/${pageId}`)])
      expect([text.includes('Trap'), text.includes('shown-after')]).toEqual([false, false]);
    const problem = await thanks('application/json');
    expect([problem.status, problem.headers['error-code']]).toEqual([403, 'form-suspended']);
    expect(answer(await challenge())).toEqual(refused(404));
    await suspend(id, false).expect(200);
    await settles(former, 308);
    await accepts(pageId, 200);
    expect([(await thanks('text/html')).status, (await challenge()).status]).toEqual([200, 200]);
  });

  it('holds deliveries until that ends', async () => {
    const { owner, id } = await anOwner('held@suspended.example');
    const hook = await startReceiver();
    const { id: pageId } = await owner.deploy();
    const submissionId = await service.submit(pageId);
    const { body: webhook } = await owner.post(`/webhooks/${pageId}`).send({ url: hook.url }).expect(201);
    await suspend(id, true).expect(200);
    // It becomes due while its owner is suspended.
    await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, receiver, event, next_attempt_at, created_at, updated_at)
       SELECT 'dl_' || substr(:submissionId, 5), deployments.id, owner_id, :submissionId, webhooks.id, receiver, 'submission', now(), now(), now()
         FROM deployments JOIN webhooks ON webhooks.deployment_id = deployments.id WHERE deployments.id = :pageId`,
      { submissionId, pageId },
    );
    await vi.waitFor(
      async () => {
        const [delivery] = await service
          .db('deliveries')
          .where({ webhook_id: webhook.id })
          .select(service.db.raw("next_attempt_at = 'infinity' AS held"));
        expect(delivery).toEqual({ held: true });
      },
      { timeout: SOON_MS, interval: 50 },
    );
    expect(hook.received.length).toBe(0);
    await suspend(id, false).expect(200);
    await vi.waitFor(() => expect(hook.received.length).toBe(1), { timeout: SOON_MS, interval: 50 });
  });

  it('refuses the forms of previews too', async () => {
    const { owner, id } = await anOwner('preview@suspended.example');
    const { id: pageId } = await owner.deploy();
    const { body } = await owner.put(`/deploy/${pageId}?preview=1`).send({ html: '<form>' }).expect(200);
    const [label = ''] = new URL(body.preview_url).host.split('.');
    await request(service.url).post(`/submit/${label}`).send({ a: '1' }).expect(200);
    await suspend(id, true).expect(200);
    await accepts(pageId, 403);
    const submitted = await request(service.url).post(`/submit/${label}`).send({ a: '2' });
    expect([submitted.status, submitted.headers['access-control-allow-origin']]).toEqual([403, '*']);
    const shown = await request(service.url).get('/').set('Host', `${label}.${PAGES_DOMAIN}`);
    expect(shown.status).toBe(403);
    expect((await service.db('test_submissions').where({ deployment_id: pageId })).length).toBe(1);
  });

  it('ends what guests of the pages see, and their invitations', async () => {
    const { owner, id } = await anOwner('host@suspended.example');
    const { id: pageId } = await owner.deploy();
    const [token, link] = [newToken(), newToken()];
    await service
      .db('sessions')
      .insert({ id: newSessionId(), hash: hashOfKey(token), email: 'guest@suspended.example' });
    await service.db.raw(
      `INSERT INTO guests (id, deployment_id, email, role, invited_at, link_hash, link_expires_at)
       VALUES (?, ?, 'guest@suspended.example', 'reader', now(), ?, now() + interval '1 day')`,
      [newGuestId(), pageId, hashOfKey(link)],
    );
    const asGuest = (path: string) =>
      request(service.url)
        .get(path)
        .set({ Cookie: `formhost=${token}`, 'Sec-Fetch-Site': 'same-origin' });
    const open = () => request(service.url).get(`/invitations/${link}`);
    expect((await open()).status).toBe(200);
    const waiting = asGuest(`/submissions/${pageId}/after/0?wait=30`).then(answer);
    await untilWaiting(service.db);
    await suspend(id, true).expect(200);
    expect(await waiting).toEqual(refused(404));
    expect(answer(await asGuest(`/submissions/${pageId}`))).toEqual(refused(404));
    expect((await open()).status).toBe(404);
    const accepted = await request(service.url).post(`/invitations/${link}`).set('Origin', service.config.baseUrl);
    expect([accepted.status, accepted.headers['set-cookie']]).toEqual([404, undefined]);
  });

  it('does not let an operator suspend themselves', async () => {
    const { body } = await operator.get('/admin/owners?q=ops@operators.example').expect(200);
    expect(answer(await suspend(body.owners[0].id, true))).toEqual(refused(409));
    await suspend(body.owners[0].id, false).expect(200);
  });
});

describe('DELETE /admin/owners/:ownerId', () => {
  it('deletes an owner with everything, but for the entries of the audit', async () => {
    const { owner, id } = await anOwner('gone@deleted.example');
    const { id: pageId, slug } = await owner.deploy({ files: { 'a.txt': { content: 'YQ==', encoding: 'base64' } } });
    await owner.post('/keys').send({ name: 'a' }).expect(201);
    await service.submit(pageId);
    // A program that was allowed in a session without a key.
    await service.db.raw(
      `INSERT INTO grants (id, owner_id, email, client_id, client_name, host, scope, code_hash, code_expires_at, redirect_uri, code_challenge)
       SELECT 'grant_1', id, email, 'c', 'c', 'c.example', 'read', '1', now(), 'https://c.example/', 'c' FROM owners WHERE email = ?`,
      ['gone@deleted.example'],
    );
    await shows(slug, 200);
    const path = `/admin/owners/${id}`;
    expect(answer(await operator.delete(path))).toEqual({ status: 200, body: { message: 'Owner deleted', id } });
    expect(answer(await operator.delete(path))).toEqual(refused(404));
    expect((await operator.get('/admin/owners?q=gone@deleted.example')).body.total).toBe(0);
    await shows(slug, 404);
    await settles(async (url) => (await asOwner(url, owner.key).get('/me')).status, 401);
    const number = Number(id.slice('own_'.length));
    await vi.waitFor(async () => expect(await service.db('owners').where({ id: number })).toEqual([]), {
      timeout: SOON_MS,
      interval: 50,
    });
    for (const table of ['deployments', 'api_keys', 'site_contents', 'storage'])
      expect(await service.db(table).where({ owner_id: number })).toEqual([]);
    expect(await service.db('submissions').where({ deployment_id: pageId })).toEqual([]);
    const kept = await service.db('audit_entries').where({ owner_id: number }).orderBy('id').select('action', 'actor');
    expect(kept).toEqual([
      ...['page.publish', 'key.create'].map((action) => ({ action, actor: 'gone@deleted.example' })),
      { action: 'owner.delete', actor: 'ops@operators.example' },
    ]);
    // The address is free.
    await service.owner({ email: 'gone@deleted.example' });
  });

  it('goes on with a deletion that was interrupted', async () => {
    const { owner, id } = await anOwner('cut@deleted.example');
    await owner.deploy();
    const number = Number(id.slice('own_'.length));
    await beginOwnerDeletion(service.db, number);
    const aborted = finishOwnerDeletions(service.db, AbortSignal.abort());
    await expect(aborted).rejects.toThrow('aborted');
    expect((await service.db('owners').where({ id: number })).length).toBe(1);
    await finishOwnerDeletions(service.db);
    expect(await service.db('owners').where({ id: number })).toEqual([]);
  });

  it('does not let operators delete themselves', async () => {
    const { body } = await operator.get('/admin/owners?q=ops@operators.example').expect(200);
    expect(answer(await operator.delete(`/admin/owners/${body.owners[0].id}`))).toEqual(refused(409));
  });
});

describe('/admin/pages', () => {
  it('finds pages by slug, title, domain and address, and takes them down', async () => {
    const { owner } = await anOwner('pages@listed.example');
    const made = await owner.deploy({ html: '<title>Quarterly Wombats</title><p>a' });
    await owner.post(`/deploy/${made.id}/domains`).send({ domain: 'wombats.shop.example' }).expect(201);
    const page = {
      ...{
        id: made.id,
        slug: made.slug,
        url: made.url,
        title: 'Quarterly Wombats',
        owner_email: 'pages@listed.example',
      },
      ...{ taken_down: false, created_at: aTime },
    };
    for (const q of ['quarterly wombats', 'WOMBATS.shop', 'pages@listed', made.slug])
      expect((await operator.get('/admin/pages').query({ q }).expect(200)).body.pages).toEqual([page]);
    await shows(made.slug, 200);
    const path = `/admin/pages/${made.id}`;
    expect(answer(await operator.post(`${path}/take-down`).send({ reason: ' ' }))).toEqual(refused(400));
    expect(answer(await operator.post(`${path}/restore`))).toEqual(refused(409));
    const { body } = await operator.post(`${path}/take-down`).send({ reason: 'phishing' }).expect(200);
    expect(body).toEqual({ ...page, taken_down: true });
    await shows(made.slug, 451);
    expect(answer(await operator.post(`${path}/take-down`).send({ reason: 'again' }))).toEqual(refused(409));
    expect((await operator.post(`${path}/restore`).expect(200)).body).toEqual(page);
    await shows(made.slug, 200);
    expect(answer(await operator.post(`/admin/pages/${UNKNOWN_ID}/restore`))).toEqual(refused(404));
    expect((await owner.get('/audit?limit=2')).body.entries.map(({ action }: { action: string }) => action)).toEqual([
      ...['page.restore', 'page.take-down'],
    ]);
  });
});

describe('GET /admin/pages?q=', () => {
  it('finds a page by a URL or a host of it, and no page with a similar one', async () => {
    const { owner } = await anOwner('urls@listed.example');
    const { id } = await owner.deploy({ slug: 'victim' });
    const { id: similar } = await owner.deploy({ slug: 'not-the-victim' });
    await owner.post(`/deploy/${id}/domains`).send({ domain: 'bücher.example' }).expect(201);
    const { body } = await owner.put(`/deploy/${id}?preview=1`).send({ html: 'x' }).expect(200);
    await owner.patch(`/deploy/${id}`).send({ slug: 'moved-victim' }).expect(200);
    const find = async (q: string) => {
      const { pages, total } = (await operator.get('/admin/pages').query({ q }).expect(200)).body;
      expect(pages.length).toBe(total);
      return pages.map((one: { id: string }) => one.id);
    };
    for (const q of [
      ...[`moved-victim.${PAGES_DOMAIN}`, `MOVED-VICTIM.${PAGES_DOMAIN}.`, `moved-victim.${PAGES_DOMAIN}:4310/x`],
      ...[`http://moved-victim.${PAGES_DOMAIN}:4310/x?y=z#a`, `HTTPS://Moved-Victim.${PAGES_DOMAIN}`],
      // The address that it had before leads to it.
      `https://victim.${PAGES_DOMAIN}/`,
      body.preview_url,
      ...['https://bücher.example/login', 'xn--bcher-kva.example:8443/'],
    ])
      expect([q, await find(q)]).toEqual([q, [id]]);
    expect(await find(`https://not-the-victim.${PAGES_DOMAIN}/victim`)).toEqual([similar]);
    for (const q of [`https://nobody.${PAGES_DOMAIN}/victim`, service.config.baseUrl, 'https://', 'http://[x'])
      expect([q, await find(q)]).toEqual([q, []]);
  });
});

describe('GET /admin/deliveries', () => {
  it('lists the deliveries whose last attempt has failed', async () => {
    const { owner } = await anOwner('failing@listed.example');
    const { id, slug } = await owner.deploy();
    await service.db.raw(
      `INSERT INTO deliveries (id, deployment_id, owner_id, event, status, attempts, next_attempt_at, last_status, last_error, created_at, updated_at)
       SELECT 'dl_00VbbZC2bC3dD4eE5fF6gG7' || n, id, owner_id, 'submission', CASE n WHEN 1 THEN 'failed' WHEN 2 THEN 'succeeded' ELSE 'pending' END,
              1, 'infinity', 500, CASE WHEN n < 4 THEN 'answered 500' END, now(), now()
         FROM deployments, generate_series(1, 4) AS n WHERE id = ?`,
      [id],
    );
    const { body } = await operator.get('/admin/deliveries').expect(200);
    const failing = (n: number, status: string) => ({
      ...{ id: `dl_00VbbZC2bC3dD4eE5fF6gG7${n}`, deployment_id: id, slug, owner_email: 'failing@listed.example' },
      ...{ webhook_id: null, receiver: '@mail', status, attempts: 1, last_status: 500, last_error: 'answered 500' },
      ...{ created_at: aTime, updated_at: aTime },
    });
    const ofPage = body.deliveries.filter((one: { deployment_id: string }) => one.deployment_id === id);
    expect(ofPage).toEqual([failing(3, 'pending'), failing(1, 'failed')]);
  });
});
