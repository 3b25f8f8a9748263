import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { done, formhost, printed, refusedFor } from '../../support/command.ts';
import { emptyFolder } from '../../support/formhost.ts';
import { FORM, ownerCommands } from '../../support/owner-commands.ts';

const { service, owner, account, run, inFolder, apiText } = await ownerCommands();

describe('formhost pull', () => {
  it('writes the page, from where deploy updates it', async () => {
    const cwd = await emptyFolder();
    const { id, slug } = await owner.deploy({ html: `\ufeff${FORM}` });
    await owner.put(`/deploy/${id}/files/style.css`).send('a {}').expect(200);
    const file = join(cwd, slug, 'index.html');
    expect(await inFolder(cwd, 'pull', slug)).toEqual(
      done(`${slug}/index.html\n`, `formhost: formhost deploy ${slug}/index.html updates ${slug} (${id})\n`),
    );
    expect(await readFile(file, 'utf8')).toBe(`\ufeff${FORM}`);
    await writeFile(file, FORM);
    expect(await inFolder(cwd, 'pull', slug)).toEqual(refusedFor('exists already: add --force'));
    expect(await inFolder(cwd, 'deploy', `${slug}/index.html`)).toEqual(
      done(expect.any(String), `formhost: updated ${slug} (${id})\n`),
    );
    expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(FORM);
    expect((await owner.get(`/deploy/${id}/files`)).body.files).toHaveLength(2);
    await writeFile(file, 'mine');
    const { stdout } = await inFolder(cwd, 'pull', id, slug, '--force', '--json');
    expect(JSON.parse(stdout)).toEqual({ id, file: `${slug}/index.html` });
    expect(await readFile(file, 'utf8')).toBe(FORM);
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
    const lines = deployments.map(({ id, slug, submission_count: count, deleted_at }: Record<string, string>) =>
      [id, slug, count, deleted_at].join('\t'),
    );
    expect(lines).toHaveLength(3);
    expect(await trash('list')).toEqual(done(`${lines.join('\n')}\n`));

    expect(await trash('restore', 'gone')).toEqual(
      done('https://gone.pages.test\n', `formhost: gone (${last}) is live again, with its submissions\n`),
    );
    expect(await trash('restore', first)).toEqual(refusedFor('the slug is taken: choose another with --slug'));
    expect(JSON.parse((await trash('restore', first, '--slug', 'here', '--json')).stdout).slug).toBe('here');
    expect(await trash('restore', 'gone')).toEqual(refusedFor('there is no page gone in the trash'));
  });
});
