import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testService } from '../../support/test-service.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const service = await testService(
  {
    PAGE_VERSIONS: '2',
    MAX_SITE_FILES: '4',
    MAX_SITE_FILE_BYTES: '1000',
    MAX_SITE_BYTES: '1500',
    MAX_HTML_BYTES: '500',
  },
  undefined,
  { limits: { cleanUp: { intervalMs: 100 } } },
);
const owner = await service.owner();

/** The clean-up has run by then, also on a busy machine. */
const WAIT = { timeout: 60_000 };
const ZIP = { 'Content-Type': 'application/zip' };
const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

/** The files of a deployment as `path bytes`. */
async function pathsOf(id: string): Promise<string[]> {
  const { body } = await owner.get(`/deploy/${id}/files`).expect(200);
  return body.files.map(({ path, bytes }: { path: string; bytes: number }) => `${path} ${bytes}`);
}

async function deploy(files: Record<string, unknown>): Promise<string> {
  const { body } = await owner.post('/deploy').send({ html: '<p>', files }).expect(201);
  return body.id;
}

/** The numbers of the versions of a deployment, with the bytes of each. */
async function versionsOf(id: string): Promise<string[]> {
  const { body } = await owner.get(`/deploy/${id}/versions`).expect(200);
  return body.versions.map(({ version, bytes }: { version: number; bytes: number }) => `${version} ${bytes}`);
}

const contentOf = async (id: string, path: string): Promise<string> =>
  (
    await owner
      .get(`/deploy/${id}/files/${path}`)
      .buffer(true)
      .parse((response, done) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => done(null, Buffer.concat(pieces).toString()));
      })
      .expect(200)
  ).body;

describe('POST /deploy with files', () => {
  it('takes JSON with texts and base64', async () => {
    const id = await deploy({ 'b.css': 'ä', 'a/c.bin': { content: '/wA=', encoding: 'base64' } });
    expect((await owner.get(`/deploy/${id}/files`)).body).toEqual({
      files: [
        { path: 'index.html', bytes: 3, content_type: 'text/html; charset=utf-8', sha256: sha256('<p>') },
        {
          path: 'a/c.bin',
          bytes: 2,
          content_type: 'application/octet-stream',
          sha256: createHash('sha256')
            .update(Buffer.from([0xff, 0]))
            .digest('hex'),
        },
        { path: 'b.css', bytes: 2, content_type: 'text/css; charset=utf-8', sha256: sha256('ä') },
      ],
      total_bytes: 7,
    });
    expect(await versionsOf(id)).toEqual(['1 7']);
  });

  it('takes a zip, with the slug in the query', async () => {
    const zip = zipFiles({ 'site/index.html': '<p>zip', 'site/a.css': 'a' });
    const { status, body } = await owner.send('POST', '/deploy?slug=zipped', zip, ZIP);
    expect([status, body]).toEqual([201, expect.objectContaining({ slug: 'zipped' })]);
    const { id } = (await owner.get('/deploy')).body.deployments.find(
      ({ slug }: { slug: string }) => slug === 'zipped',
    );
    expect(await pathsOf(id)).toEqual(['index.html 6', 'a.css 1']);
    expect(await contentOf(id, 'index.html')).toBe('<p>zip');
  });

  it.each(['application/x-zip-compressed', 'Application/X-Zip-Compressed; x=y'])('takes a zip as %s', async (type) => {
    const sent = await owner.send('POST', '/deploy', zipFiles({ 'index.html': '<p>', a: 'a' }), {
      'Content-Type': type,
    });
    expect(sent.status).toBe(201);
    const { id } = (await owner.get('/deploy')).body.deployments[0];
    expect(await pathsOf(id)).toEqual(['index.html 3', 'a 1']);
    const zip = zipFiles({ 'b/index.html': '<p>', 'b/c': 'c' });
    expect((await owner.send('PUT', `/deploy/${id}`, zip, { 'Content-Type': type })).status).toBe(200);
    expect(await pathsOf(id)).toEqual(['index.html 3', 'c 1']);
  });

  it('normalizes no path that is too long, wherever it comes from', async () => {
    const id = await deploy({ a: 'a' });
    const { slug } = (await owner.get(`/deploy/${id}`).expect(200)).body;
    const path = `a${'\u0345'.repeat(2_000)}${'\u0334'.repeat(2_000)}`;
    const normalize = vi.spyOn(String.prototype, 'normalize');
    onTestFinished(() => normalize.mockRestore());
    const files = { [path]: 'a' };
    const encoded = encodeURIComponent(path);
    const file = `/deploy/${id}/files/${encoded}`;
    const tool = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'publish_page', arguments: { html: '<p>', files } },
    };
    const answers = [
      await owner.post('/deploy').send({ html: '<p>', files }),
      await owner.send('POST', '/deploy', `{"html":"<p>"${' '.repeat(100_000)},"files":${JSON.stringify(files)}}`),
      await owner.send('POST', '/deploy', zipFiles({ 'index.html': '<p>', ...files }), ZIP),
      await owner
        .post('/deploy')
        .attach('file', Buffer.from('<p>'), 'index.html')
        .attach('file', Buffer.from('a'), path),
      await owner.get(file),
      await owner.send('PUT', file, 'a', { 'Content-Type': 'text/plain' }),
      await owner.delete(file),
      await owner.post('/mcp').set('Accept', 'application/json, text/event-stream').send(tool),
      await service.anonymous.get(`/${encoded}`).set('Host', `${slug}.pages.test`),
      await service.anonymous.post(`/${encoded}`).set('Host', `${slug}.pages.test`).type('form').send('a=b'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 400, 404, 200, 404, 404]);
    expect(JSON.stringify(answers[7]?.body)).toContain('is longer than');
    expect(Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))).toBeLessThanOrEqual(3_000);
  });

  it('makes one deployment for each Idempotency-Key', async () => {
    const send = (content: string) =>
      owner.send('POST', '/deploy', zipFiles({ 'index.html': '<p>', a: content }), {
        ...ZIP,
        'Idempotency-Key': 'one',
      });
    const first = await send('a');
    expect(first.status).toBe(201);
    expect(await send('a')).toEqual(first);
    expect((await send('b')).status).toBe(422);
  });

  it.each([
    [{ 'index.html': '' }, 400, 'The file "index.html" is refused: send it as html.'],
    [{ '../a': '' }, 400, 'The file "../a" is refused: the path has the name "..".'],
    [{ 'e\u0301': '', '\u00e9': '' }, 400, 'The file "é" is there twice: send it once.'],
    [{ a: 1 }, 400, 'The file "a" has no content: send a text or {content, encoding: "base64"}.'],
    [
      { a: { content: 'a', encoding: 'hex' } },
      400,
      'The file "a" has no content: send a text or {content, encoding: "base64"}.',
    ],
    [{ a: { content: 'YQ', encoding: 'base64' } }, 400, 'The file "a" is not base64: encode its content with padding.'],
    [{ a: '\ud800' }, 400, 'The file "a" has a lone surrogate: send it in base64.'],
    [['a'], 400, 'files is invalid: send an object of paths, each with a text or {content, encoding: "base64"}.'],
    [{ a: '', b: '', c: '', d: '' }, 413, 'The site has too many files: send at most 4, with index.html.'],
    [{ a: 'a'.repeat(1_001) }, 413, 'The file "a" is too large: send at most 1000 bytes.'],
    [{ 'a.HTML': 'a'.repeat(501) }, 413, 'The file "a.HTML" is too large: send at most 500 bytes.'],
    [{ a: 'a'.repeat(1_000), b: 'b'.repeat(498) }, 413, 'The site is too large: send at most 1500 bytes in all.'],
  ])('refuses %j', async (files, status, error) => {
    const response = await owner.post('/deploy').send({ html: '<p>', files });
    expect([response.status, response.body]).toEqual([status, { error }]);
  });

  it.each([
    ['in a small body', 'a'],
    ['in a body that a thread reads', 'a'.repeat(200_000)],
  ])('refuses a path that is there twice as a text, %s', async (_name, content) => {
    const body = `{"html":"<p>","files":{"a.css":"","b.css":${JSON.stringify(content)},"a\\u002ecss":""}}`;
    const refused = await owner.send('POST', '/deploy', body);
    expect(refused).toEqual({ status: 400, body: { error: 'The file "a.css" is there twice: send it once.' } });
  });

  it('refuses a zip that is none, and stores nothing of one with a wrong file', async () => {
    expect(await owner.send('POST', '/deploy', 'PK', ZIP)).toEqual({
      status: 400,
      body: { error: 'The zip is damaged or incomplete: make it again.' },
    });
    const contents = () => service.db('site_contents').where({ sha256: createHash('sha256').update('never').digest() });
    const { status } = await owner.send(
      'POST',
      '/deploy',
      zipFiles({ 'index.html': '<p>', a: 'never', 'b//c': '' }),
      ZIP,
    );
    expect([status, await contents()]).toEqual([400, []]);
  });

  it('is the only kind of request that takes a zip, whose type may be in capitals', async () => {
    const id = await deploy({});
    expect((await owner.send('PATCH', `/deploy/${id}`, zipFiles({}), ZIP)).status).toBe(415);
    const inCapitals = { 'Content-Type': 'Application/ZIP' };
    expect((await owner.send('PUT', `/deploy/${id}`, zipFiles({ 'index.html': '<p>' }), inCapitals)).status).toBe(200);
  });
});

describe('PUT /deploy/:id of a site', () => {
  it('keeps the files without files, replaces all with them, and removes all with none', async () => {
    const id = await deploy({ a: '1', b: '2' });
    await owner.put(`/deploy/${id}`).send({ html: '<p>new' }).expect(200);
    expect(await pathsOf(id)).toEqual(['index.html 6', 'a 1', 'b 1']);
    expect((await owner.send('PUT', `/deploy/${id}`, '<p>text', { 'Content-Type': 'text/html' })).status).toBe(200);
    expect(await pathsOf(id)).toEqual(['index.html 7', 'a 1', 'b 1']);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: '<p>', files: { c: '345' } })
      .expect(200);
    expect(await pathsOf(id)).toEqual(['index.html 3', 'c 3']);
    expect((await owner.send('PUT', `/deploy/${id}`, zipFiles({ 'index.html': '<p>', d: '' }), ZIP)).status).toBe(200);
    expect(await pathsOf(id)).toEqual(['index.html 3', 'd 0']);
    await owner.put(`/deploy/${id}`).send({ html: '<p>', files: {} }).expect(200);
    expect(await pathsOf(id)).toEqual(['index.html 3']);
    expect(await service.db('pages').where({ deployment_id: id }).select('files')).toEqual([{ files: null }]);
  });

  it('makes no version when nothing changes', async () => {
    const id = await deploy({ a: '1' });
    await owner
      .put(`/deploy/${id}`)
      .send({ html: '<p>', files: { a: '1' } })
      .expect(200);
    expect(await versionsOf(id)).toEqual(['1 4']);
  });
});

describe('the versions of a site', () => {
  it('have their files, which a restore brings back', async () => {
    const id = await deploy({ a: '1', b: '22' });
    await owner
      .put(`/deploy/${id}`)
      .send({ html: '<p>', files: { a: '333' } })
      .expect(200);
    expect(await versionsOf(id)).toEqual(['2 6', '1 6']);
    await owner.post(`/deploy/${id}/versions/1/restore`).expect(200);
    expect(await pathsOf(id)).toEqual(['index.html 3', 'a 1', 'b 2']);
    expect(await contentOf(id, 'a')).toBe('1');
  });

  it('keep contents until they are pruned, with their deployment in the trash too', async () => {
    const other = await service.owner();
    const used = async (): Promise<number> => (await other.get('/me').expect(200)).body.storage_used;
    const { body } = await other
      .post('/deploy')
      .send({ html: '<p>', files: { a: '1', b: '1', c: '22' } })
      .expect(201);
    // One content of two files.
    expect(await used()).toBe(3 + 1 + 2);
    await other
      .put(`/deploy/${body.id}`)
      .send({ html: '<p>', files: { a: '1' } })
      .expect(200);
    expect(await used()).toBe(3 + 3 + 1 + 2);
    await other.put(`/deploy/${body.id}`).send({ html: '<p>a' }).expect(200);
    await vi.waitFor(async () => expect(await used()).toBe(3 + 4 + 1), WAIT);
    await other.delete(`/deploy/${body.id}`).expect(200);
    await other.post(`/trash/${body.id}/restore`).expect(200);
    expect(await other.get(`/deploy/${body.id}/files/a`).expect(200)).toMatchObject({
      headers: { 'content-length': '1' },
    });
    await other.delete(`/deploy/${body.id}`).expect(200);
    await other.delete(`/trash/${body.id}`).expect(200);
    await vi.waitFor(async () => expect(await used()).toBe(0), WAIT);
  });

  it('keep a content that a page still needs when it is looked at again', async () => {
    const id = await deploy({ a: 'needed' });
    const row = () => service.db('site_contents').where({ sha256: createHash('sha256').update('needed').digest() });
    await row().update({ checked_at: service.db.raw("'-infinity'") });
    await vi.waitFor(async () => expect(await row().where('checked_at', '>', '2000-01-01')).toHaveLength(1), WAIT);
    expect(await contentOf(id, 'a')).toBe('needed');
  });
});

describe('a file of a site', () => {
  it('is added, replaced and removed, each with a new version', async () => {
    const id = (await owner.deploy({ html: '<p>' })).id;
    const put = (path: string, content: string) =>
      owner.send('PUT', `/deploy/${id}/files/${path}`, content, { 'Content-Type': 'image/png' });
    expect(await put('a/%C3%BC.css', 'one')).toEqual({
      status: 200,
      body: { path: 'a/ü.css', bytes: 3, content_type: 'text/css; charset=utf-8', sha256: sha256('one') },
    });
    await put('a/e%CC%81.css', 'x');
    expect(await pathsOf(id)).toEqual(['index.html 3', 'a/é.css 1', 'a/ü.css 3']);
    await put('a/ü.css', 'three');
    expect(await contentOf(id, 'a/ü.css')).toBe('three');
    expect((await owner.delete(`/deploy/${id}/files/a/e%CC%81.css`)).body).toEqual({
      message: 'File removed',
      path: 'a/é.css',
    });
    expect(await pathsOf(id)).toEqual(['index.html 3', 'a/ü.css 5']);
    expect(await versionsOf(id)).toEqual(['5 8', '4 9']);
  });

  it('is index.html too: the page, which stays', async () => {
    const { id } = await owner.deploy({ html: '<p>' });
    const path = `/deploy/${id}/files/index.html`;
    expect(await owner.send('PUT', path, '<p>new', {})).toMatchObject({ status: 200, body: { bytes: 6 } });
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: '<p>new' });
    expect(await owner.send('PUT', path, '', {})).toEqual({
      status: 400,
      body: { error: 'The file "index.html" is empty: send the page.' },
    });
    expect((await owner.delete(path)).body).toEqual({
      error: 'The file "index.html" can\'t be removed: delete the deployment.',
    });
  });

  it('is replaced only where nobody else has changed it, with If-Match', async () => {
    const { id } = await owner.deploy({ html: 'x', files: { 'a.css': 'one' } });
    const put = (path: string, content: string, etag: string) =>
      owner.send('PUT', `/deploy/${id}/files/${path}`, content, { 'If-Match': etag });
    const tagOf = async (path: string) => String((await owner.get(`/deploy/${id}/files/${path}`)).headers.etag);
    const first = await tagOf('a.css');
    expect(first).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await put('a.css', 'two', first)).status).toBe(200);
    expect((await put('a.css', 'lost', first)).status).toBe(412);
    expect((await put('a.css', 'lost', `W/${await tagOf('a.css')}`)).status).toBe(412);
    expect((await put('b.css', 'lost', first)).status).toBe(412);
    expect((await owner.get(`/deploy/${id}/files/a.css`)).text).toBe('two');
    expect((await put('a.css', 'three', `"other", ${await tagOf('a.css')}`)).status).toBe(200);
    expect((await put('a.css', 'four', '*')).status).toBe(200);
    const page = await tagOf('index.html');
    expect(page).toBe((await owner.get(`/deploy/${id}/html`)).headers.etag);
    expect((await put('index.html', 'y', page)).status).toBe(200);
    expect((await put('index.html', 'z', page)).status).toBe(412);
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: 'y' });
  });

  it('counts for the limits of the site', async () => {
    const id = await deploy({ a: 'a'.repeat(900) });
    const put = async (path: string, length: number) => {
      const { status, body } = await owner.send('PUT', `/deploy/${id}/files/${path}`, Buffer.alloc(length), {});
      return [status, body];
    };
    const error = (text: string) => [413, { error: text }];
    expect(await put('b', 1_001)).toEqual(error('The body is too large: send at most 1000 bytes.'));
    expect(await put('b.html', 501)).toEqual(error('The body is too large: send at most 500 bytes.'));
    expect(await put('b', 598)).toEqual(error('The site is too large: send at most 1500 bytes in all.'));
    expect((await put('b', 597))[0]).toBe(200);
    expect((await put('c', 0))[0]).toBe(200);
    expect(await put('d', 0)).toEqual(error('The site has too many files: send at most 4, with index.html.'));
    const response = await owner.put(`/deploy/${id}`).send({ html: '<p>more' });
    expect([response.status, response.body]).toEqual(error('The site is too large: send at most 1500 bytes in all.'));
  });

  it('is not lost when others change at once', async () => {
    const id = await deploy({});
    await Promise.all(['a', 'b', 'c'].map((path) => owner.send('PUT', `/deploy/${id}/files/${path}`, path, {})));
    expect(await pathsOf(id)).toEqual(['index.html 3', 'a 1', 'b 1', 'c 1']);
  });

  it('is an attachment, which no browser shows', async () => {
    const id = await deploy({ 'a/b.svg': '<svg/>' });
    const { headers } = await owner.get(`/deploy/${id}/files/a/b.svg`).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename=b.svg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
  });

  it('is not there: 404, also with a path that no file can have', async () => {
    const id = await deploy({ a: '' });
    for (const path of ['b', 'A', '%2e%2e/a', 'a%5Cb']) {
      expect((await owner.get(`/deploy/${id}/files/${path}`)).body).toEqual({
        error: 'No such file: choose one that GET /deploy/:id/files lists.',
      });
    }
    await owner.delete(`/deploy/${id}/files/b`).expect(404);
    expect((await owner.send('PUT', `/deploy/${id}/files/.env`, '', {})).body).toEqual({
      error: 'The file ".env" is refused: a name begins with a dot, which only the folder .well-known may.',
    });
    expect((await owner.send('PUT', `/deploy/${id}/files/a%00b`, '', {})).body).toEqual({
      error: 'The file "a\\u0000b" is refused: the path has a control character.',
    });
  });
});

describe('a site of an owner with little storage', () => {
  it('is refused with 403, and leaves nothing', async () => {
    const small = await testService({ STORAGE_LIMITS: 'free:5KB', MAX_SITE_FILE_BYTES: '5000' }, undefined, {
      limits: { cleanUp: { intervalMs: 100 } },
    });
    const free = await small.owner({ plan: 'free' });
    const response = await free.post('/deploy').send({ html: '<p>', files: { a: 'a'.repeat(4_998) } });
    expect([response.status, await small.db('site_contents').select('bytes')]).toEqual([403, []]);
    await free
      .post('/deploy')
      .send({ html: '<p>', files: { a: 'a'.repeat(4_000) } })
      .expect(201);
    await free
      .post('/deploy')
      .send({ html: '<p>', files: { b: 'a'.repeat(4_000) } })
      .expect(201);
  });
});
