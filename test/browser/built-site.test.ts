import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { PROJECT } from '../support/process.ts';
import { publishSite } from '../support/publish-site.ts';
import { startLocalService } from '../support/test-service.ts';

/* A site that Vite has built of an app whose scripts and data have the placeholder. */

const APP = {
  'index.html':
    '<!doctype html><html lang="en"><head><title>App</title></head><body><div id="root"></div><script type="module" src="/main.js"></script></body></html>',
  'main.js': `
    import { h, render } from 'preact';
    import data from './data.json';
    import './style.css';
    async function send(event) {
      event.preventDefault();
      const address = new FormData(event.target).has('data') ? data.action : '{{FORM_ACTION}}';
      const { ok, status } = await fetch(address, { method: 'POST', body: new FormData(event.target) });
      document.title = ok ? 'Sent' : 'Failed: ' + status;
    }
    const Form = ({ name }) => h('form', { onSubmit: send }, h('input', { name, value: 'Ada' }), h('button', null, 'Send ' + name));
    render([h(Form, { name: 'name' }), h(Form, { name: 'data' })], document.getElementById('root'));
    import('./later.js').then(({ mark }) => mark());`,
  'later.js': `export const mark = () => document.body.append(Object.assign(document.createElement('form'), { method: 'post', action: '{{FORM_ACTION}}', innerHTML: '<input name="later" value="1"><button>Send later</button>' }));`,
  'data.json': JSON.stringify({ action: '{{FORM_ACTION}}', list: Array.from({ length: 2_000 }, (_, at) => `é ${at}`) }),
  'style.css': 'body { --action: "{{FORM_ACTION}}" }',
};

/** The files that Vite makes of the app. */
async function builtFiles(): Promise<Record<string, string | Buffer>> {
  const root = mkdtempSync(join(tmpdir(), 'formhost-app-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, content] of Object.entries(APP)) writeFileSync(join(root, name), content);
  const alias = { preact: join(PROJECT, 'node_modules/preact') };
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    resolve: { alias },
    build: { write: false },
  });
  if (!('output' in built)) throw new Error('One build was expected.');
  return Object.fromEntries(
    built.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : Buffer.from(file.source)]),
  );
}

it.skipIf(!hasChromium())('sends what its forms have, and the check raises no alarm', async () => {
  const service = await startLocalService();
  onTestFinished(() => service.close());
  const owner = await service.owner();
  const { id, slug } = await publishSite(owner, await builtFiles());
  const page = await (await openBrowser()).newPage();
  onTestFinished(() => page.close());
  const { port } = new URL(service.origin);
  for (const name of ['name', 'data']) {
    await page.goto(`http://${slug}.localhost:${port}/`);
    await page.getByRole('button', { name: `Send ${name}` }).click();
    await expect.poll(() => page.title()).toMatch(/^(?:Sent|Failed)/);
    expect(await page.title()).toBe('Sent');
  }
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.waitForURL(/thanks/);
  const { submissions } = (await owner.get(`/submissions/${id}`)).body;
  expect(submissions.map(({ data }: { data: unknown }) => data)).toEqual([
    { later: '1' },
    { data: 'Ada' },
    { name: 'Ada' },
  ]);
  expect((await owner.get(`/deploy/${id}/check`)).body.problems).toEqual([]);
});
