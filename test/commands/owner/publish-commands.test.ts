import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { done, formhost, misusedFor, refusedFor } from '../../support/run-command.ts';
import { emptyFolder } from '../../support/run-formhost.ts';
import { FORM, ownerCommands } from '../../support/run-owner-commands.ts';
import { getPage } from '../../support/test-service.ts';

const { service, owner, run, inFolder } = await ownerCommands({ ANONYMOUS_HOURS: '24' });

describe('formhost publish and formhost claim', () => {
  const withoutKey = (args: readonly string[], input = '') =>
    formhost(args, { settings: { FORMHOST_URL: service.url }, input });

  it('publish a page without a key, and keep it with one', async () => {
    const published = await withoutKey(['publish', '-'], FORM);
    const [, link = ''] = /open (\S+)/.exec(published.stderr) ?? [];
    const slug = new URL(published.stdout.trim()).host.split('.')[0] ?? '';
    expect(published).toEqual(
      done(
        expect.stringMatching(/^https:\/\/[a-z]{20}\.pages\.test\n$/),
        expect.stringMatching(/^formhost: published until \S+Z; to keep it, open http:\/\/api\.test\/claim\/\w{43}\n$/),
      ),
    );
    expect((await getPage(service.url, slug)).status).toBe(200);
    const token = link.split('/').at(-1) ?? '';
    const claimed = await run(['claim', token]);
    expect(claimed).toEqual(done(published.stdout, expect.stringContaining(`${slug} (d_`)));
    expect((await owner.get('/deploy')).body.deployments).toMatchObject([{ slug }]);
    expect(await run(['claim', token])).toEqual(refusedFor('This claim link does not work'));
  });

  it('publish a folder', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'index.html'), FORM);
    await writeFile(join(folder, 'a.css'), 'a{}');
    const { stdout, code } = await withoutKey(['publish', folder, '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ claim_url: expect.any(String) })]);
  });
});

describe('formhost deploy --preview', () => {
  it('prints a secret address, and leaves the live page', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'a.html');
    await writeFile(file, FORM);
    expect(await inFolder(folder, 'deploy', 'a.html', '--preview')).toEqual(misusedFor('--preview needs a page'));
    await inFolder(folder, 'deploy', 'a.html', '--slug', 'to-preview');
    await writeFile(file, '<h1>Next</h1>');
    const previewed = await inFolder(folder, 'deploy', 'a.html', '--preview');
    expect(previewed).toEqual(
      done(
        expect.stringMatching(/^https:\/\/preview-[a-z]{26}\.pages\.test\n$/),
        expect.stringContaining('formhost rollback to-preview 2 makes it live'),
      ),
    );
    const label = new URL(previewed.stdout.trim()).host.split('.')[0] ?? '';
    expect((await getPage(service.url, label)).text).toBe('<h1>Next</h1>');
    expect((await getPage(service.url, 'to-preview')).text).not.toContain('Next');
    expect(await run(['rollback', 'to-preview'])).toEqual(refusedFor('no version before the live one'));
    expect(await run(['rollback', 'to-preview', '2'])).toMatchObject({ code: 0 });
    expect((await getPage(service.url, 'to-preview')).text).toBe('<h1>Next</h1>');
  });
});
