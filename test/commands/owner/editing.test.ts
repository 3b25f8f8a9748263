import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve } from '../../support/http-server.ts';
import { publishSite } from '../../support/publish-site.ts';
import { done, formhost, printed, refusedFor } from '../../support/run-command.ts';
import { emptyFolder } from '../../support/run-formhost.ts';
import { FORM, ownerCommands } from '../../support/run-owner-commands.ts';

const { service, owner, account, run, inFolder, apiText } = await ownerCommands();

describe('formhost pull', () => {
  const LOGO = Buffer.from([0x89, 0x50, 0xff, 0x00, 0xfe]);
  const publishBlog = () =>
    publishSite(owner, {
      'index.html': `\ufeff${FORM}`,
      'blog/50 % off é.html': FORM,
      'empty.txt': '',
      'logo.png': LOGO,
    });

  it('writes the files of a site, and deploy finds nothing to change in them', async () => {
    const cwd = await emptyFolder();
    const { id, slug } = await publishBlog();
    const paths = ['index.html', 'blog/50 % off é.html', 'empty.txt', 'logo.png'].map((path) => `${slug}/${path}`);
    expect(await inFolder(cwd, 'pull', slug)).toEqual(
      done(`${paths.join('\n')}\n`, `formhost: formhost deploy ${slug} updates ${slug} (${id})\n`),
    );
    expect(await readFile(join(cwd, slug, 'logo.png'))).toEqual(LOGO);
    expect(await readFile(join(cwd, slug, 'index.html'), 'utf8')).toBe(`\ufeff${FORM}`);
    expect(await inFolder(cwd, 'deploy', slug)).toEqual(
      done(expect.any(String), `formhost: updated ${slug} (${id})\n`),
    );
    expect((await owner.get(`/deploy/${id}/versions`)).body.total).toBe(1);
  });

  it('replaces files that are there with --force only', async () => {
    const cwd = await emptyFolder();
    const { id, slug } = await publishBlog();
    const file = join(cwd, 'site', 'logo.png');
    await mkdir(join(cwd, 'site'));
    await writeFile(file, 'mine');
    expect(await inFolder(cwd, 'pull', slug, 'site')).toEqual(refusedFor('site/logo.png exists already: add --force'));
    expect(await readdir(join(cwd, 'site'))).toEqual(['logo.png']);
    const { stdout } = await inFolder(cwd, 'pull', id, 'site', '--force', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...{ id, folder: 'site' },
      files: ['site/index.html', 'site/blog/50 % off é.html', 'site/empty.txt', 'site/logo.png'],
    });
    expect(await readFile(file)).toEqual(LOGO);
  });

  it('has room for the longest names, and leaves the list where the command runs', async () => {
    const cwd = await emptyFolder();
    const long = `${'é'.repeat(125)}.txt`;
    const { id, slug } = await publishSite(owner, { 'index.html': FORM, [`${'a'.repeat(255)}/${long}`]: 'long' });
    expect(await inFolder(cwd, 'pull', slug)).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, slug, 'a'.repeat(255), long), 'utf8')).toBe('long');
    expect((await readdir(cwd)).toSorted()).toEqual(['.formhost.json', slug].toSorted());
    const updates = done(expect.any(String), `formhost: updated ${slug} (${id})\n`);
    expect(await inFolder(cwd, 'deploy', slug)).toEqual(updates);
    expect(await inFolder(join(cwd, slug), 'deploy', '.')).toEqual(updates);
    expect((await inFolder(cwd, 'pull', slug, 'a'.repeat(300))).stderr).toMatch(
      /cannot be written: its name.*too long/,
    );
  });

  it.each<[string, (cwd: string) => Promise<unknown>, string]>([
    ['a file in place of the folder', (cwd) => writeFile(join(cwd, 'site'), ''), 'site is a file: name another folder'],
    [
      'a folder in place of a file',
      (cwd) => mkdir(join(cwd, 'site/logo.png'), { recursive: true }),
      'site/logo.png is a folder, where the page has a file: move it away',
    ],
    [
      'a file in place of a folder',
      async (cwd) => {
        await mkdir(join(cwd, 'site'));
        await writeFile(join(cwd, 'site/blog'), '');
      },
      'site/blog is a file, where the page has a folder: move it away',
    ],
    [
      'a folder in place of the list',
      (cwd) => mkdir(join(cwd, '.formhost.json')),
      '.formhost.json cannot be read: a folder has this name',
    ],
  ])('fails with a sentence for %s, with --force too', async (_name, prepare, message) => {
    const cwd = await emptyFolder();
    const { slug } = await publishBlog();
    await prepare(cwd);
    expect(await inFolder(cwd, 'pull', slug, 'site', '--force')).toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(`^formhost: ${message}`) },
    });
  });

  it('names a page that no disk can have', async () => {
    const { slug } = await publishSite(owner, { 'index.html': FORM, about: 'a', 'about/us.html': FORM });
    expect(await inFolder(await emptyFolder(), 'pull', slug)).toEqual(
      refusedFor('has a file about and a folder about'),
    );
  });

  it('writes nothing through a link, which may lead out of the folder', async () => {
    const cwd = await emptyFolder();
    const { slug } = await publishBlog();
    await mkdir(join(cwd, 'site'));
    await mkdir(join(cwd, 'other'));
    await symlink('../other', join(cwd, 'site', 'blog'));
    expect(await inFolder(cwd, 'pull', slug, 'site', '--force')).toEqual(refusedFor('site/blog is a link'));
    expect([await readdir(join(cwd, 'other')), await readdir(join(cwd, 'site'))]).toEqual([[], ['blog']]);
  });

  it.each([
    ['../out.txt', 'The file "../out.txt" is refused'],
    ['in.txt', 'the page has changed meanwhile: pull it again'],
  ])('writes no file %s with another content than was listed', async (path, message) => {
    const files = [{ path, bytes: 5, content_type: 'text/plain', sha256: '0'.repeat(64) }];
    const fake = await serve(({ url }, response) => {
      const json = url === '/deploy/d_1' ? { id: 'd_1', slug: 'fake' } : { files, total_bytes: 5 };
      response.setHeader('Content-Type', url?.endsWith('.txt') ? 'text/plain' : 'application/json');
      response.end(url?.endsWith('.txt') ? 'other' : JSON.stringify(json));
    });
    const cwd = await emptyFolder();
    const settings = { ...account, FORMHOST_URL: fake.url };
    expect(await formhost(['pull', 'd_1', 'inner/site'], { settings, cwd })).toEqual(refusedFor(message));
    const written = await readdir(cwd, { recursive: true, withFileTypes: true });
    expect(written.filter((entry) => entry.isFile())).toEqual([]);
  });
});

describe('formhost versions', () => {
  it('lists all versions, newest first', async () => {
    const { id, slug } = await owner.deploy({ html: 'one' });
    for (const html of ['two', 'three']) await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    const { versions } = JSON.parse(await apiText(`/deploy/${id}/versions`));
    const lines = versions.map(({ version, created_at, bytes, live }: Record<string, string>) =>
      [version, created_at, bytes, live ? 'live' : '-'].join('\t'),
    );
    expect(lines).toHaveLength(3);
    expect(await run(['versions', slug])).toEqual(done(`${lines.join('\n')}\n`));
    const pages = await Promise.all([1, 2].map((page) => apiText(`/deploy/${id}/versions?page=${page}&limit=2`)));
    expect((await run(['versions', id, '--json'])).stdout).toBe(pages.map((text) => `${text}\n`).join(''));
  });
});

describe('formhost settings', () => {
  it('takes texts, lists and JSON, and what it prints itself', async () => {
    const { id } = await owner.deploy();
    const set = (...pairs: string[]) => run(['settings', 'set', id, ...pairs]);
    const settings = async () => JSON.parse(await apiText(`/deploy/${id}/settings`));
    const confirmation = { field: 'email', subject: 'Thanks', text: 'Your message\nhas come.' };
    expect(
      await set(
        ...['redirect_url=https://example.org/?a=b', 'retention_days=30', 'email_notifications=true', 'language=de'],
        ...['allowed_origins=https://a.example,https://b.example', 'spam={"blocklist":["casino"]}'],
        `confirmation=${JSON.stringify(confirmation)}`,
        ...['opens_at=2030-03-04T09:00:00Z', 'max_submissions=40', 'closed_message=Sold out, sorry'],
      ),
    ).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: expect.stringContaining('changed redirect_url, ') });
    const changed = await settings();
    expect(changed).toMatchObject({
      ...{ redirect_url: 'https://example.org/?a=b', retention_days: 30, email_notifications: true, language: 'de' },
      allowed_origins: ['https://a.example', 'https://b.example'],
      ...{ opens_at: '2030-03-04T09:00:00.000Z', max_submissions: 40, closed_message: 'Sold out, sorry' },
      spam: { blocklist: ['casino'], captcha: null },
      confirmation,
    });

    const lines = (await printed(run(['settings', 'get', id]))).trimEnd().split('\n');
    expect(lines).toContain('language\tde');
    expect(lines.map((line) => line.split('\t')[0]).toSorted()).toEqual(Object.keys(changed).toSorted());
    expect(await set('allowed_origins=null')).toMatchObject({ code: 0 });
    expect(await settings()).toMatchObject({ allowed_origins: ['null'] });
    expect(await set('allowed_origins=["tauri://localhost","null"]')).toMatchObject({ code: 0 });
    expect(await settings()).toMatchObject({ allowed_origins: ['tauri://localhost', 'null'] });
    expect(await set('redirect_url=null', 'allowed_origins=', 'spam={}')).toMatchObject({ code: 0 });
    expect(await settings()).toMatchObject({ redirect_url: null, allowed_origins: [], spam: { blocklist: [] } });
    expect(await set(...lines.map((line) => line.replace('\t', '=')))).toMatchObject({ code: 0 });
    expect(await settings()).toEqual(changed);
    expect((await run(['settings', 'get', id, '--json'])).stdout).toBe(`${await apiText(`/deploy/${id}/settings`)}\n`);
  });

  it('names recipients that have not confirmed', async () => {
    const { id } = await owner.deploy();
    await run(['settings', 'set', id, 'recipients=ada@example.org']);
    expect(await run(['settings', 'get', id])).toEqual(
      done(
        expect.stringContaining('\nrecipients\t["ada@example.org"]\n'),
        'formhost: not confirmed yet, and without mail until then: ada@example.org\n',
      ),
    );
  });

  it('changes nothing where a name or a value is wrong', async () => {
    const { id } = await owner.deploy();
    const before = await apiText(`/deploy/${id}/settings`);
    const set = (...pairs: string[]) => run(['settings', 'set', id, ...pairs]);
    expect(await set('language=de', 'colour=red')).toEqual(refusedFor('there is no setting colour.*redirect_url'));
    // Nothing listens there: names are checked without the service.
    const nowhere = { settings: { ...account, FORMHOST_URL: 'http://127.0.0.1:9' } };
    expect(await formhost(['settings', 'set', id, 'color=red'], nowhere)).toEqual(
      refusedFor('there is no setting color.*email_notifications.*spam'),
    );
    expect(await set('language=de', 'notify_owner=maybe')).toEqual(
      refusedFor('notify_owner is not a boolean: give true or false'),
    );
    expect(await apiText(`/deploy/${id}/settings`)).toBe(before);
  });
});

describe('formhost trash', () => {
  it('lists deleted pages, and restores the last deleted of a slug', async () => {
    const other = await service.owner();
    const trash = (...args: string[]) =>
      formhost(['trash', ...args], { settings: { ...account, FORMHOST_KEY: other.key } });
    const ids: string[] = [];
    for (const slug of ['gone', 'away', 'gone']) {
      const { id } = await other.deploy({ slug });
      await other.delete(`/deploy/${id}`).expect(200);
      ids.push(id);
    }
    const [first = '', , last = ''] = ids;
    const { deployments } = (await other.get('/trash')).body;
    const lines = deployments.map(({ id, slug, submission_count: count, deleted_at, title }: Record<string, string>) =>
      [id, slug, count, deleted_at, title ?? '-'].join('\t'),
    );
    expect(lines).toHaveLength(3);
    expect(await trash('list')).toEqual(done(`${lines.join('\n')}\n`));

    expect(await trash('restore', 'gone')).toEqual(
      done('https://gone.pages.test\n', `formhost: gone (${last}) is live again, with its submissions\n`),
    );
    expect(await trash('restore', first)).toEqual(refusedFor('--slug is taken: choose another'));
    expect(JSON.parse((await trash('restore', first, '--slug', 'here', '--json')).stdout).slug).toBe('here');
    expect(await trash('restore', 'gone')).toEqual(refusedFor('there is no page gone in the trash'));
  });
});
