import { describe, expect, it } from 'vitest';
import { BASE_URL, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

/*
 * Forms on other sites than their page: the settings allowed_origins and redirect_url. In a browser: test/browser/forms-elsewhere.test.ts.
 */

const SITE = 'https://example.org';
const OTHER = 'https://evil.example';
const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

const service = await testService();
const owner = await service.owner();

async function deployWith(settings: object): Promise<{ id: string; url: string; slug: string }> {
  const deployed = await owner.deploy();
  await owner.change(deployed.id, settings);
  return deployed;
}

/** Posts a form to the API, or with a `host` to a page. */
async function post(id: string, headers: Record<string, string> = {}, body: object = { a: '1' }, host?: string) {
  const sent = service.anonymous
    .post(host === undefined ? `/submit/${id}` : '/')
    .type('form')
    .redirects(0);
  const response = await sent.set({ ...headers, ...(host === undefined ? {} : { Host: host }) }).send(body);
  return response;
}
const statusFrom = async (id: string, headers: Record<string, string>) => (await post(id, headers)).status;
const countOf = async (id: string) => (await owner.get(`/submissions/${id}`)).body.total;
const refusal = (origin: string) => ({
  error: `This form accepts no submissions from ${origin}: its owner must add ${origin} to allowed_origins.`,
});

describe('allowed_origins', () => {
  it('lets in its origins, the page itself, error pages of the service and what is no browser; no others', async () => {
    const { id, slug } = await deployWith({ allowed_origins: [SITE, 'http://localhost:8080'] });
    const accepted = [
      { Origin: SITE },
      { Origin: 'http://localhost:8080' },
      { Origin: `https://${slug}.${PAGES_DOMAIN}` },
      { Origin: BASE_URL },
      {},
      { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
      // Behind a redirect of another site.
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site', Referer: `https://${slug}.${PAGES_DOMAIN}/` },
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site', Referer: `${SITE}/contact?a=b` },
    ];
    for (const headers of accepted) expect([headers, await statusFrom(id, headers)]).toEqual([headers, 200]);
    expect(await countOf(id)).toBe(accepted.length);
    const refused = [
      OTHER,
      'http://example.org',
      `${SITE}:8443`,
      `${SITE}.evil.example`,
      'https://sub.example.org',
      `https://other.${PAGES_DOMAIN}`,
      ...['capacitor://localhost', 'tauri://localhost', 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai'],
    ];
    for (const origin of refused) {
      const { status, body, headers } = await post(id, { Origin: origin, 'Sec-Fetch-Site': 'cross-site' });
      expect([status, body, headers['access-control-allow-origin']]).toEqual([403, refusal(origin), '*']);
    }
    expect(await countOf(id)).toBe(accepted.length);
  });

  it('advises to list only what can be listed', async () => {
    const { id } = await deployWith({ allowed_origins: [SITE] });
    const from = async (origin: string) => (await post(id, { Origin: origin })).body.error;
    for (const origin of [
      ...['', `${SITE}/`, 'https://EXAMPLE.org', `${SITE}, ${SITE}`, `${SITE} ${OTHER}`, 'file://', 'about:blank'],
      ...['NULL', 'other-app://localhost', 'https://*.example.org', `https://${'a'.repeat(400)}.example`],
      ...['capacitor://localhost/', 'chrome-extension://', 'javascript://localhost', 'https://user@example.org'],
    ]) {
      const advice = await from(origin);
      expect([origin, advice]).toEqual([
        origin,
        expect.stringMatching(
          /^This form accepts no submissions from .+: send it from a page whose origin allowed_origins can have/,
        ),
      ]);
    }
    for (const origin of [
      OTHER,
      'http://localhost:5173',
      'ionic://localhost',
      'Moz-Extension://0b0f1f34-AAAA-4000-8000-000000000000',
    ]) {
      expect(await from(origin)).toBe(refusal(origin).error);
      await owner.change(id, { allowed_origins: [SITE, origin] });
      expect(await statusFrom(id, { Origin: origin })).toBe(200);
    }
  });

  it('says that a page hides its origin, and lets in no page but the allowed ones that does', async () => {
    const { id, slug, url } = await deployWith({ allowed_origins: [SITE] });
    const hidden =
      /^This form accepts no submissions from a page that hides its origin .*strict-origin-when-cross-origin.*allow-same-origin.*"null" to allowed_origins\.$/;
    const evidence = [
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      // Pages of other owners are of the same site.
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Referer: `${OTHER}/` },
      { Referer: `https://other.${PAGES_DOMAIN}/` },
      { Referer: `${SITE}.evil.example/` },
      { Referer: `${SITE}@evil.example/` },
      { Referer: `${OTHER}/?${SITE}/` },
      { Referer: 'null' },
      { Referer: '' },
      { Referer: `https://${'ü'.repeat(10_000)}/` },
    ];
    for (const headers of evidence) {
      for (const host of [undefined, `${slug}.${PAGES_DOMAIN}`]) {
        const { status, body } = await post(id, { Origin: 'null', ...headers }, { a: '1' }, host);
        expect([headers, status, body]).toEqual([headers, 403, { error: expect.stringMatching(hidden) }]);
      }
    }
    expect(await countOf(id)).toBe(0);
    await owner.change(id, { allowed_origins: ['null'] });
    for (const headers of evidence.slice(0, 8)) expect(await statusFrom(id, { Origin: 'null', ...headers })).toBe(200);
    expect([await statusFrom(id, { Origin: SITE }), await statusFrom(id, { Origin: url })]).toEqual([403, 200]);
  });

  it('lets in apps that are listed, and leads nobody to them', async () => {
    const apps = ['capacitor://localhost', 'tauri://localhost', 'ionic://localhost', 'null'];
    const extension = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai';
    const { id, url } = await deployWith({ allowed_origins: [...apps, extension, SITE] });
    for (const origin of [...apps, extension]) {
      const { status, headers } = await post(id, { Origin: origin });
      expect([origin, status, headers['access-control-allow-origin']]).toEqual([origin, 200, '*']);
    }
    for (const [_redirect, location] of [
      ...[...apps, extension].map((origin) => [`${origin}/thanks`, `/submit/${id}/thanks`]),
      ...[
        'data:text/html,x',
        'blob:null/x',
        `blob:${SITE}/x`,
        'file:///thanks',
        'javascript://localhost/%0Aalert(1)',
      ].map((target) => [target, `/submit/${id}/thanks`]),
      [`${SITE}/thanks`, `${SITE}/thanks`],
    ]) {
      const { status, headers } = await post(id, BROWSER, { _redirect, _hp: 'x' });
      // A relative one is on the page's own host.
      const expected = _redirect === 'null/thanks' ? `${url}/null/thanks` : location;
      expect([_redirect, status, headers.location]).toEqual([_redirect, 303, expected]);
    }
    for (let count = 0; count < 10; count += 1) await post(id);
    const { status, headers } = await post(id, BROWSER);
    const [, formAction] = /form-action ([^;]*)/.exec(String(headers['content-security-policy'])) ?? [];
    expect([status, formAction]).toEqual([429, `'self' ${url} ${SITE}`]);
  });

  it('holds for every way to submit: JSON, multipart with files, a key, a honeypot, the host of the page', async () => {
    const { id, slug } = await deployWith({ allowed_origins: [SITE] });
    const ways = (origin: string) => {
      const to = (path = `/submit/${id}`) => service.anonymous.post(path).set('Origin', origin);
      return Promise.all([
        to().send({ a: 1 }),
        to().attach('file', Buffer.from('x'), 'a.txt'),
        to().set('Idempotency-Key', origin).send({ a: 1 }),
        to().send({ _hp: 'robot' }),
        to().set('Idempotency-Key', `honeypot ${origin}`).send({ _hp: 'robot' }),
        to('/').set('Host', `${slug}.${PAGES_DOMAIN}`).type('form').send('a=1'),
      ]);
    };
    expect((await ways(OTHER)).map(({ status, body }) => [status, body])).toEqual(Array(6).fill([403, refusal(OTHER)]));
    expect(await countOf(id)).toBe(0);
    expect((await service.db('submission_files').where({ deployment_id: id })).length).toBe(0);
    expect((await ways(SITE)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await countOf(id)).toBe(4);
  });

  it('comes after 404, 415, 413 and 400, and before 429; a refusal takes no slot', async () => {
    const { id } = await deployWith({ allowed_origins: [SITE] });
    const from = (origin: string) => service.anonymous.post(`/submit/${id}`).set('Origin', origin);
    expect((await from(OTHER).type('text/plain').send('x')).status).toBe(415);
    expect((await from(OTHER).type('json').send('[]')).status).toBe(400);
    expect(
      (
        await from(OTHER)
          .type('form')
          .send(`a=${'x'.repeat(300_000)}`)
      ).status,
    ).toBe(413);
    for (let count = 0; count < 12; count += 1) expect((await from(OTHER).send({})).status).toBe(403);
    for (let count = 0; count < 10; count += 1) expect((await from(SITE).send({})).status).toBe(200);
    expect([(await from(SITE).send({})).status, (await from(OTHER).send({})).status]).toEqual([429, 403]);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect([(await from(OTHER).send({})).status, (await from(SITE).send({ _hp: '1' })).status]).toEqual([404, 404]);
  });

  it('shows a visitor a page that names the site and says whom to tell, in the language of the page', async () => {
    const { id } = await deployWith({ allowed_origins: [SITE], language: 'de' });
    const { status, text, headers } = await post(id, { ...BROWSER, Origin: OTHER });
    expect([status, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>Dieses Formular kann von dieser Website nicht gesendet werden</h1>');
    expect(text).toContain(`Bitte sagen Sie es den Betreibern von ${OTHER}:`);
    expect(text).toContain('Es wurde nichts gesendet.');
    const long = await post(id, { ...BROWSER, Origin: `https://${'a'.repeat(10_000)}.example` });
    expect([long.status, long.text.length < 6_000]).toEqual([403, true]);
    const hidden = await post(id, { ...BROWSER, Origin: 'null' });
    expect(hidden.text).toContain('Die Seite verrät nicht, auf welcher Website sie steht.');
    expect(hidden.text).not.toContain('null');
  });

  it('knows the new address of a page that is restored under another slug', async () => {
    const { id, slug } = await deployWith({ allowed_origins: [SITE] });
    const before = `https://${slug}.${PAGES_DOMAIN}`;
    expect(await statusFrom(id, { Origin: before })).toBe(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    const { body } = await owner.post(`/trash/${id}/restore`).send({ slug: 'restored-elsewhere' }).expect(200);
    expect([await statusFrom(id, { Origin: before }), await statusFrom(id, { Origin: body.url })]).toEqual([403, 200]);
  });
});

describe('redirect_url', () => {
  const target = `${SITE}/thanks?from=form#done`;
  const leadsTo = async (
    id: string,
    body: object = { a: '1' },
    headers: Record<string, string> = {},
    host?: string,
  ) => {
    const { status, headers: answered } = await post(id, { ...BROWSER, ...headers }, body, host);
    return [status, answered.location];
  };

  it('is where a browser is sent after a success, from the API and from the host of the page', async () => {
    const { id, slug } = await deployWith({ redirect_url: target });
    const host = `${slug}.${PAGES_DOMAIN}`;
    expect(await leadsTo(id)).toEqual([303, target]);
    expect(await leadsTo(id, { a: '1' }, {}, host)).toEqual([303, target]);
    expect(await leadsTo(id, { _hp: 'robot' })).toEqual([303, target]);
    expect(await leadsTo(id, { _hp: 'robot' }, { 'Idempotency-Key': 'a' }, host)).toEqual([303, target]);
    expect(await leadsTo(id, { a: 'key' }, { 'Idempotency-Key': 'b' })).toEqual([303, target]);
    expect(await leadsTo(id, { a: 'key' }, { 'Idempotency-Key': 'b' })).toEqual([303, target]);
    // A fetch that asks for JSON gets what it always got.
    const { status, body } = await service.anonymous.post(`/submit/${id}`).send({ a: 1 });
    expect([status, body]).toEqual([200, { message: 'Submission received', id: expect.stringMatching(/^sub_/) }]);
    await owner.change(id, { redirect_url: null });
    expect(await leadsTo(id)).toEqual([303, `/submit/${id}/thanks`]);
    expect(await leadsTo(id, { _hp: 'robot' }, {}, host)).toEqual([303, '/thanks']);
  });

  it('is sent in ASCII, and read as it was sent', async () => {
    const { id } = await deployWith({ redirect_url: 'https://münchen.example/é?ü' });
    expect(await leadsTo(id)).toEqual([303, 'https://xn--mnchen-3ya.example/%C3%A9?%C3%BC']);
    expect((await owner.get(`/deploy/${id}/settings`)).body.redirect_url).toBe('https://münchen.example/é?ü');
  });

  it('gives way to a valid _redirect, which may lead to allowed origins too', async () => {
    const { id, url } = await deployWith({ redirect_url: target, allowed_origins: [SITE, 'http://localhost:8080'] });
    for (const [redirect, location] of [
      ['/#ok', `${url}/#ok`],
      [`${SITE}/a?b#c`, `${SITE}/a?b#c`],
      [SITE, `${SITE}/`],
      ['http://localhost:8080/x', 'http://localhost:8080/x'],
      [OTHER, target],
      [`${SITE}.evil.example/`, target],
      [`${SITE}@evil.example/`, target],
      [`${SITE}:8443/`, target],
      ['https://evil.example/https://example.org/', target],
      ['http://localhost:80801/', target],
      [BASE_URL, target],
      ['', target],
    ]) {
      expect([redirect, ...(await leadsTo(id, { _redirect: redirect, _hp: '1' }))]).toEqual([redirect, 303, location]);
    }
    expect(await leadsTo(id, { _redirect: `${SITE}/stored` })).toEqual([303, `${SITE}/stored`]);
  });

  it('is where the form may lead that a refusal shows again', async () => {
    const { id, url } = await deployWith({ redirect_url: target, allowed_origins: ['http://localhost:8080'] });
    for (let count = 0; count < 10; count += 1) await post(id);
    const { status, headers } = await post(id, BROWSER);
    const [, formAction] = /form-action ([^;]*)/.exec(String(headers['content-security-policy'])) ?? [];
    expect([status, formAction]).toEqual([429, `'self' ${url} ${SITE} http://localhost:8080`]);
  });
});
