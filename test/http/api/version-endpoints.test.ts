import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answer, aTime, refused } from '../../support/answers.ts';
import { publishSite } from '../../support/publish-site.ts';
import { getPage, testService } from '../../support/test-service.ts';

const KEPT = 3;

const service = await testService({ PAGE_VERSIONS: String(KEPT) });
const owner = await service.owner();

const put = (id: string, html: string) => owner.put(`/deploy/${id}`).send({ html }).expect(200);

/** Versions as `number bytes`, the live one with a star. */
async function versionsOf(id: string): Promise<string[]> {
  const { status, body } = await owner.get(`/deploy/${id}/versions`);
  expect(status).toBe(200);
  expect(body).toEqual({ versions: body.versions, total: body.versions.length, page: 1, limit: 50 });
  for (const version of body.versions) {
    expect(version).toEqual({
      version: expect.any(Number),
      created_at: aTime,
      bytes: expect.any(Number),
      live: expect.any(Boolean),
    });
  }
  return body.versions.map(
    ({ version, bytes, live }: { version: number; bytes: number; live: boolean }) =>
      `${version} ${bytes}${live ? ' *' : ''}`,
  );
}

const htmlOf = async (id: string, version: number) => answer(await owner.get(`/deploy/${id}/versions/${version}/html`));

describe('GET /deploy/:id/versions', () => {
  it('lists what the page was, newest first, with the live one', async () => {
    const { id } = await owner.deploy({ html: 'é' });
    expect(await versionsOf(id)).toEqual(['1 2 *']);
    await put(id, 'abc');
    expect(await versionsOf(id)).toEqual(['2 3 *', '1 2']);
    const { versions } = (await owner.get(`/deploy/${id}/versions`)).body;
    const { created_at: createdAt, updated_at: updatedAt } = (await owner.get(`/deploy/${id}`)).body;
    expect(versions.map(({ created_at }: { created_at: string }) => created_at)).toEqual([updatedAt, createdAt]);
  });

  it('keeps the last PAGE_VERSIONS', async () => {
    const { id } = await owner.deploy({ html: '1' });
    for (const html of ['2', '3', '4', '5']) await put(id, html);
    expect(await versionsOf(id)).toEqual(['5 1 *', '4 1', '3 1']);
    expect(await htmlOf(id, 2)).toEqual(refused(404));
  });

  it('keeps a trace of a version that was pruned only where something was sent from it', async () => {
    const { id } = await owner.deploy({ html: '1' });
    for (const html of ['2', '3', '4', '5', '6']) {
      if (html === '4') await owner.send('POST', `/submit/${id}`, '{}');
      await put(id, html);
    }
    const rows = await service.db('page_versions').where({ deployment_id: id }).orderBy('version');
    expect(rows.map(({ version, after_number, html }) => [version, after_number, html === null])).toEqual([
      [3, 0, true],
      [4, 1, false],
      [5, 1, false],
    ]);
    expect(await service.db('pages').where({ deployment_id: id }).select('version', 'after_number')).toEqual([
      { version: 6, after_number: 1 },
    ]);
  });
});

describe('GET /deploy/:id/versions/:version/html', () => {
  it('answers the HTML as it was sent, of the live one as well', async () => {
    const html = '\u0000\uFEFF<p>{{FORM_ACTION}}\r\n€';
    const { id } = await owner.deploy({ html });
    await put(id, 'another');
    expect(await htmlOf(id, 1)).toEqual({ status: 200, body: { html } });
    expect(await htmlOf(id, 2)).toEqual({ status: 200, body: { html: 'another' } });
  });

  it.each(['0', '01', '3', '99999999999999999999'])('answers 404 to version %s', async (version) => {
    const { id } = await owner.deploy();
    await put(id, 'b');
    expect(answer(await owner.get(`/deploy/${id}/versions/${version}/html`))).toEqual(refused(404));
    expect(answer(await owner.post(`/deploy/${id}/versions/${version}/restore`))).toEqual(refused(404));
  });
});

describe('GET /deploy/:id/versions/:version/files', () => {
  const files = { 'a b/é.png': Buffer.from([0, 1, 255]), 'style.css': 'p {}', 'empty.txt': '' };
  const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

  it('lists the files as they were, with the hash of each', async () => {
    const { id } = await publishSite(owner, { 'index.html': '<p>', ...files });
    const before = (await owner.get(`/deploy/${id}/files`)).body;
    await owner.put(`/deploy/${id}/files/style.css`).type('text/plain').send('q {}').expect(200);
    await owner.delete(`/deploy/${id}/files/empty.txt`).expect(200);
    expect((await owner.get(`/deploy/${id}/versions/1/files`)).body).toEqual(before);
    expect(before.files.map(({ path, sha256: hash }: Record<string, string>) => [path, hash])).toEqual([
      ['index.html', sha256('<p>')],
      ['a b/é.png', sha256(files['a b/é.png'])],
      ['empty.txt', sha256('')],
      ['style.css', sha256('p {}')],
    ]);
    // The live version has those that the page has.
    expect(answer(await owner.get(`/deploy/${id}/versions/3/files`))).toEqual(
      answer(await owner.get(`/deploy/${id}/files`)),
    );
  });

  it('answers each of them as it was', async () => {
    const { id } = await publishSite(owner, { 'index.html': '<p>', ...files });
    await owner.put(`/deploy/${id}`).send({ html: 'q', files: {} }).expect(200);
    const image = await owner.get(`/deploy/${id}/versions/1/files/a%20b/%C3%A9.png`).expect(200);
    expect([image.body, image.headers['content-type']]).toEqual([files['a b/é.png'], 'image/png']);
    expect(image.headers['content-disposition']).toMatch(/^attachment; /);
    const texts = await Promise.all(
      ['index.html', 'style.css', 'empty.txt'].map((path) => owner.get(`/deploy/${id}/versions/1/files/${path}`)),
    );
    expect(texts.map(({ status, text }) => [status, text])).toEqual([
      [200, '<p>'],
      [200, 'p {}'],
      [200, ''],
    ]);
    const missing = ['2/files/style.css', '1/files/none', '1/files/../x', '3/files/style.css', '3/files'];
    for (const path of missing) {
      expect(answer(await owner.get(`/deploy/${id}/versions/${path}`))).toEqual(refused(404));
    }
  });

  it('keeps them from other owners', async () => {
    const { id } = await publishSite(owner, { 'index.html': '<p>', ...files });
    const other = await service.owner();
    for (const path of ['files', 'files/style.css', 'files/index.html']) {
      expect(answer(await other.get(`/deploy/${id}/versions/1/${path}`))).toEqual(refused(404));
    }
  });
});

describe('POST /deploy/:id/versions/:version/restore', () => {
  it('makes it the newest version, which is live at once', async () => {
    const { id, url, slug } = await owner.deploy({ html: 'first' });
    await put(id, 'second');
    expect(answer(await owner.post(`/deploy/${id}/versions/1/restore`))).toEqual({
      status: 200,
      body: { id, url, slug },
    });
    expect((await getPage(service.url, slug)).text).toBe('first');
    expect(await versionsOf(id)).toEqual(['3 5 *', '2 6', '1 5']);
    // The live one: nothing changes.
    await owner.post(`/deploy/${id}/versions/3/restore`).expect(200);
    expect(await versionsOf(id)).toEqual(['3 5 *', '2 6', '1 5']);
  });

  it('counts a submission to the version that was live when it was accepted', async () => {
    const { id } = await owner.deploy({ html: '0' });
    let isOver = false;
    const accepted: { before: number; after: number }[] = [];
    let version = 1;
    const submitting = (async () => {
      while (!isOver) {
        await service.db('deployments').where({ id }).update({ recent_submissions: [] });
        const before = version;
        const { status } = await owner.send('POST', `/submit/${id}`, '{}');
        if (status === 200) accepted.push({ before, after: version });
      }
    })();
    for (let round = 1; round <= 15; round += 1) {
      await put(id, String(round));
      version = round + 1;
    }
    isOver = true;
    await submitting;
    // Everything that was sent from a version is after its number and not after the next one's.
    const { rows } = await service.db.raw(
      `SELECT number, (SELECT max(version) FROM (
                SELECT version, after_number FROM pages WHERE deployment_id = submissions.deployment_id
                UNION ALL SELECT version, after_number FROM page_versions WHERE deployment_id = submissions.deployment_id
              ) AS known WHERE after_number < number) AS version
         FROM submissions WHERE deployment_id = ? ORDER BY number`,
      [id],
    );
    expect(rows.length).toBe(accepted.length);
    expect(
      rows.filter(({ version: found }: { version: number }, index: number) => {
        const { before = 0, after = 0 } = accepted[index] ?? {};
        // A PUT that is answered later may have been committed already.
        return found < before || found > after + 1;
      }),
    ).toEqual([]);
  });
});
