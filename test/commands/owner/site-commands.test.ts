import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusedFor, startCommand } from '../../support/run-command.ts';
import { emptyFolder } from '../../support/run-formhost.ts';
import { FORM, ownerCommands, wait } from '../../support/run-owner-commands.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const { service, owner, account, inFolder } = await ownerCommands();

/** Writes files in a folder of its own, where commands run that name it `site`. */
async function writeSite(files: Record<string, string | Buffer>): Promise<string> {
  const cwd = await emptyFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, 'site', path)), { recursive: true });
    await writeFile(join(cwd, 'site', path), content);
  }
  return cwd;
}

/** The id of a page that commands in a folder have published. */
const idIn = async (folder: string, name = 'site/index.html') =>
  JSON.parse(await readFile(join(folder, '.formhost.json'), 'utf8'))[service.url][name];
const pathsOf = async (id: string) =>
  (await owner.get(`/deploy/${id}/files`).expect(200)).body.files.map(({ path }: { path: string }) => path);
const fileOf = (id: string, path: string) => owner.get(`/deploy/${id}/files/${path}`).expect(200);

describe('formhost deploy FOLDER', () => {
  it('publishes all files of the folder, and says how many names it skips', async () => {
    const logo = Buffer.from([0x89, 0x50, 0xff, 0x00, 0xfe]);
    const cwd = await writeSite({
      ...{ 'index.html': FORM, 'blog/2026/post.html': '<img src="no.png">', 'logo.png': logo },
      ...{ '.well-known/x': 'served', '.git/HEAD': 'ref', 'blog/.DS_Store': '', '__MACOSX/index.html': '' },
      ...{ 'node_modules/a/index.js': '', 'blog/.well-known/x': '' },
    });
    const { code, stdout, stderr } = await inFolder(cwd, 'deploy', 'site', '--slug', 'folder-site');
    const id = await idIn(cwd);
    expect([code, stdout]).toEqual([0, 'https://folder-site.pages.test\n']);
    const [published, skipped, problem, ...rest] = stderr.split('\n');
    expect(published).toBe(`formhost: published folder-site (${id})`);
    expect(skipped).toMatch(/^formhost: skipped 5 names of the folder, such as \S+$/);
    expect(problem).toMatch(/^blog\/2026\/post\.html:1:1 warning missing-file: /);
    expect(rest).toEqual(['']);
    expect(await pathsOf(id)).toEqual(['index.html', '.well-known/x', 'blog/2026/post.html', 'logo.png']);
    expect((await fileOf(id, 'logo.png')).body).toEqual(logo);
  });

  it('updates the site, which loses the files that the folder has no longer', async () => {
    const cwd = await writeSite({ 'index.html': FORM, 'old.css': 'a {}', 'style.css': 'b {}' });
    await inFolder(cwd, 'deploy', 'site');
    const id = await idIn(cwd);
    await rm(join(cwd, 'site/old.css'));
    await writeFile(join(cwd, 'site/new.css'), 'c {}');
    const { stderr } = await inFolder(join(cwd, 'site'), 'deploy', '.');
    expect(stderr).toMatch(new RegExp(`^formhost: updated \\S+ \\(${id}\\)\n$`));
    expect(await pathsOf(id)).toEqual(['index.html', 'new.css', 'style.css']);
  });

  it('refuses a folder without index.html and one with a link, and publishes nothing', async () => {
    const count = async () => (await owner.get('/deploy').expect(200)).body.total;
    const before = await count();
    const cwd = await writeSite({ 'about.html': FORM });
    expect(await inFolder(cwd, 'deploy', 'site')).toEqual(refusedFor('site has no index.html: add it'));
    await writeFile(join(cwd, 'site/index.html'), FORM);
    await symlink('/etc/hostname', join(cwd, 'site/name.txt'));
    expect(await inFolder(cwd, 'deploy', 'site')).toEqual(refusedFor('site/name.txt is a link'));
    expect(await count()).toBe(before);
  });

  it('updates the same site after a build has emptied the folder, from wherever it is named', async () => {
    const cwd = await writeSite({ 'index.html': FORM });
    expect((await inFolder(cwd, 'deploy', './site/')).stderr).toMatch(/published/);
    const id = await idIn(cwd);
    expect(await readdir(cwd)).toEqual(['.formhost.json', 'site']);
    await rm(join(cwd, 'site'), { recursive: true });
    await mkdir(join(cwd, 'site'));
    await writeFile(join(cwd, 'site/index.html'), '<p>built again');
    const updated = expect.stringContaining(`(${id})`);
    expect((await inFolder(cwd, 'deploy', 'site')).stderr).toEqual(updated);
    expect((await inFolder(cwd, 'deploy', join(cwd, 'site'))).stderr).toEqual(updated);
    expect((await inFolder(join(cwd, 'site'), 'deploy', '.')).stderr).toEqual(updated);
    const elsewhere = await emptyFolder();
    expect((await inFolder(elsewhere, 'deploy', join(cwd, 'site'))).stderr).toEqual(updated);
    expect([await readdir(elsewhere), await readdir(join(cwd, 'site'))]).toEqual([[], ['index.html']]);
    expect((await fileOf(id, 'index.html')).text).toBe('<p>built again');
    expect((await owner.get(`/deploy/${id}/versions`).expect(200)).body.total).toBe(2);
  });

  it('copies what a list in the published folder says to where a build does not empty it', async () => {
    const cwd = await writeSite({ 'index.html': FORM });
    await inFolder(join(cwd, 'site'), 'deploy', '.');
    const id = await idIn(join(cwd, 'site'), 'index.html');
    expect((await inFolder(cwd, 'deploy', 'site')).stderr).toContain(`(${id})`);
    expect(await idIn(cwd)).toBe(id);
    await rm(join(cwd, 'site/.formhost.json'));
    expect((await inFolder(cwd, 'deploy', 'site')).stderr).toContain(`(${id})`);
  });

  it('sends names that zips of other systems could not have, and says which the service refuses', async () => {
    const cwd = await writeSite({ 'index.html': FORM, 'c:notes.txt': 'a', 'Icon\r': 'x', '.well-known/.a': 'x' });
    const { stderr } = await inFolder(cwd, 'deploy', 'site');
    expect(stderr).toMatch(/skipped 2 names of the folder, such as (?:Icon\\u000d|\.well-known\/\.a)\n/);
    expect(await pathsOf(await idIn(cwd))).toEqual(['index.html', 'c:notes.txt']);
    await writeFile(join(cwd, 'site/a\\b.txt'), '');
    expect(await inFolder(cwd, 'deploy', 'site')).toEqual(
      refusedFor('"a.*b.txt" is refused: the path has a backslash'),
    );
    const deep = await writeSite({
      'index.html': FORM,
      [`${'deep/'.repeat(199)}a.txt`]: '',
      [`${'e/'.repeat(499)}a.txt`]: '',
    });
    expect(await inFolder(deep, 'deploy', 'site')).toEqual(
      refusedFor('is refused: the path is longer than 1000 bytes'),
    );
  });

  it.each<[string[], string]>([
    [['deploy', 'a'.repeat(300)], 'cannot be read: its name or its path is too long.*shorter'],
    [['deploy', 'site/index.html/a.html'], 'cannot be read: a file has the name of one of its folders'],
    [['deploy', 'none/a.html'], 'there is no file none/a.html'],
    [['deploy', 'loop.html'], 'cannot be read: links lead in a circle'],
    [['check', 'loop.html'], 'cannot be read: links lead in a circle'],
    [['deploy', 'listed'], '.formhost.json cannot be read: a folder has this name'],
  ])('%j fails with a sentence', async (args, message) => {
    const cwd = await writeSite({ 'index.html': FORM });
    await symlink('loop.html', join(cwd, 'loop.html'));
    await mkdir(join(cwd, 'listed/.formhost.json'), { recursive: true });
    await writeFile(join(cwd, 'listed/index.html'), FORM);
    expect(await inFolder(cwd, ...args)).toEqual(refusedFor(message));
  });

  it.each(['null', '[]', '{"a":[]}', '{"a":{"b":1}}'])('says that a list is damaged which is %s', async (text) => {
    const cwd = await writeSite({ 'index.html': FORM });
    await writeFile(join(cwd, '.formhost.json'), text);
    expect(await inFolder(cwd, 'deploy', 'site')).toEqual(refusedFor('.formhost.json is damaged: correct it'));
  });

  it('updates the site at changes of any of its files with --watch', async () => {
    const cwd = await writeSite({ 'index.html': FORM, 'styles/main.css': 'a {}' });
    const { err, result } = startCommand(['deploy', 'site', '--watch'], { settings: account, cwd });
    await wait(() => expect(err.text).toContain('site is published when it changes'));
    const id = await idIn(cwd);
    await writeFile(join(cwd, 'site/styles/main.css'), 'b {}');
    await wait(async () => expect((await fileOf(id, 'styles/main.css')).text).toBe('b {}'));
    await wait(() => expect(err.text.match(/formhost: updated /g)).toHaveLength(1));
    process.emit('SIGINT');
    expect((await result).code).toBe(130);
  });
});

describe('formhost deploy FILE.zip', () => {
  it('publishes the zip as a site, and updates it from then on', async () => {
    const cwd = await emptyFolder();
    const file = join(cwd, 'site.zip');
    await writeFile(file, zipFiles({ 'site/index.html': FORM, 'site/style.css': 'a {}' }));
    expect((await inFolder(cwd, 'deploy', 'site.zip')).code).toBe(0);
    const id = await idIn(cwd, 'site.zip');
    expect(await pathsOf(id)).toEqual(['index.html', 'style.css']);
    await writeFile(file, zipFiles({ 'index.html': FORM, 'other.css': 'a {}' }));
    expect((await inFolder(cwd, 'deploy', 'site.zip')).stderr).toContain(`(${id})`);
    expect(await pathsOf(id)).toEqual(['index.html', 'other.css']);
    await writeFile(file, 'no zip');
    expect(await inFolder(cwd, 'deploy', 'site.zip')).toEqual(refusedFor('The zip is damaged'));
  });
});

describe('formhost check FOLDER', () => {
  it('names what checks all of a site', async () => {
    const cwd = await writeSite({ 'index.html': FORM });
    expect(await inFolder(cwd, 'check', 'site')).toEqual(
      refusedFor('site is a folder: name one of its HTML files. formhost deploy checks all of them'),
    );
  });
});
