import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/*
 * Tests what pages of the same site, and data of visitors, may do to a user who is signed in. The dashboard is at
 * app.localhost and the pages are at <slug>.app.localhost: for a browser they are one site.
 */

const FORM =
  '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name><button>Send</button></form>';

describe.skipIf(!hasChromium())('the dashboard, attacked', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard({}, 'app.localhost');
  });
  afterAll(() => dashboard?.close());

  const emailOf = async (owner: Owner): Promise<string> => (await owner.get('/me').expect(200)).body.email;
  const signIn = async (page: Page, { key }: Owner): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  /** The token of a new session of an owner. */
  const tokenOf = async (owner: Owner): Promise<string> => {
    const { headers } = await owner.post('/session').send({ key: owner.key }).expect(200);
    return String(headers['set-cookie']).replace(/^formhost=|;.*/g, '');
  };
  /** Opens a page that an attacker has published, in the browser of an owner, and answers what it says when it is done. */
  async function visit(context: BrowserContext, attacker: Owner, script: string): Promise<string> {
    const html = `<!doctype html><title>Attack</title><script>
const api = '${dashboard.origin}';
(async () => { ${script} })().then((said) => { document.title = 'Done: ' + said; }, (error) => { document.title = 'Done: ' + error; });
</script>`;
    const { url } = await attacker.deploy({ html });
    const page = await context.newPage();
    await page.goto(url);
    await expect.poll(() => page.title()).toMatch(/^Done: /);
    const said = (await page.title()).replace('Done: ', '');
    await page.close();
    return said;
  }

  describe('by a session that was fixed', () => {
    it('begins a session of its own, whatever cookie the browser had', async () => {
      const [owner, attacker] = [await dashboard.owner(), await dashboard.owner()];
      const fixed = await tokenOf(attacker);
      const page = await dashboard.open(undefined, '/dashboard/account');
      const context = page.context();
      await context.addCookies([{ name: 'formhost', value: fixed, url: dashboard.origin }]);
      await page.reload();
      const key = page.getByLabel('API key');
      const account = page.getByRole('button', { name: 'Account menu' });
      await key.or(account).waitFor();
      if (await account.isVisible()) {
        await account.click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await key.waitFor();
        await context.addCookies([{ name: 'formhost', value: fixed, url: dashboard.origin }]);
      }
      await signIn(page, owner);
      await page
        .getByText(await emailOf(owner))
        .first()
        .waitFor();
      const cookies = (await context.cookies()).filter(({ name }) => name === 'formhost');
      expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/', domain: 'app.localhost' }]);
      expect(cookies[0]?.value).not.toBe(fixed);
      const { status } = await fetch(`http://127.0.0.1:${new URL(dashboard.origin).port}/me`, {
        headers: { Cookie: `formhost=${fixed}`, 'Sec-Fetch-Site': 'same-origin' },
      });
      expect(status).toBe(401);
    });
  });

  describe('by a page of a sibling host', () => {
    it('is asked for nothing with its cookie, and nothing can be read', async () => {
      const [owner, attacker] = [await dashboard.owner(), await dashboard.owner()];
      const { id } = await owner.deploy({ html: FORM, slug: 'target' });
      const email = await emailOf(owner);
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
      const before = [(await owner.get('/deploy')).body, (await owner.get('/keys')).body.total];
      const said = await visit(
        page.context(),
        attacker,
        `const seen = [];
        const paths = ['/me', '/keys', '/overview', '/deploy', '/deploy/${id}', '/submissions/${id}', '/submissions/${id}/export.csv', '/trash'];
        for (const path of paths) {
          for (const options of [{ credentials: 'include' }, { credentials: 'include', mode: 'no-cors' }]) {
            await fetch(api + path, options).then(async (answer) => seen.push(await answer.text()), () => undefined);
          }
        }
        const changes = [['POST', '/deploy'], ['POST', '/keys'], ['POST', '/deploy/${id}/mails/test'], ['PUT', '/deploy/${id}'],
          ['PATCH', '/deploy/${id}'], ['DELETE', '/deploy/${id}'], ['DELETE', '/session'], ['DELETE', '/sessions']];
        const bodies = [
          ['application/json', JSON.stringify({ html: 'x', name: 'x', redirect_url: 'https://evil.example' })],
          ['text/plain', JSON.stringify({ html: 'x', name: 'x' })],
          ['text/html', '<title>evil</title>'],
          ['application/x-www-form-urlencoded', 'html=x&name=x'],
        ];
        for (const [method, path] of changes) {
          for (const [type, body] of bodies) {
            for (const mode of ['cors', 'no-cors']) {
              await fetch(api + path, { method, mode, credentials: 'include', body, headers: { 'Content-Type': type } })
                .then(async (answer) => seen.push(await answer.text()), () => undefined);
            }
          }
        }
        return seen.join().includes(${JSON.stringify(email)}) || seen.join().includes('target') ? 'read' : 'read nothing';`,
      );
      expect(said).toBe('read nothing');
      expect([(await owner.get('/deploy')).body, (await owner.get('/keys')).body.total]).toEqual(before);
      await page.reload();
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
    });

    it('is not changed by forms that lead there, with any method and type, nor by links', async () => {
      const [owner, attacker] = [await dashboard.owner(), await dashboard.owner()];
      const { id } = await owner.deploy({ html: FORM, slug: 'still-there' });
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
      const paths = ['/deploy', '/keys', '/sessions', `/webhooks/${id}`];
      const inputs = '<input name=\'{"html":"x","name":"x","url":"https://evil.example","key":"\' value=\'"}\'>';
      const forms = paths.flatMap((path) =>
        (path === '/deploy' ? ['text/plain', 'multipart/form-data'] : ['text/plain']).map(
          (type) => `<form method=post enctype="${type}" action="${dashboard.origin}${path}">${inputs}</form>`,
        ),
      );
      const link = `<a href="${dashboard.origin}/keys">go</a>`;
      const { url } = await attacker.deploy({ html: `<title>Attack</title>${forms.join('')}${link}` });
      const attack = await page.context().newPage();
      const email = await emailOf(owner);
      for (const go of [...forms.map((_, index) => `document.forms[${index}].submit()`), 'document.links[0].click()']) {
        await attack.goto(url);
        await Promise.all([attack.waitForNavigation({ waitUntil: 'commit' }), attack.evaluate(go)]);
        expect([go, await attack.content()].join()).not.toContain(email);
      }
      await attack.close();
      expect((await owner.get('/deploy')).body.deployments).toMatchObject([{ slug: 'still-there' }]);
      expect((await owner.get(`/webhooks/${id}`)).body.webhooks).toEqual([]);
      expect((await owner.get('/keys')).body.total).toBe(1);
      await page.reload();
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
    });

    it('opens the dashboard as a window that it cannot reach', async () => {
      const [owner, attacker] = [await dashboard.owner(), await dashboard.owner()];
      const page = await dashboard.open(owner, '/dashboard');
      await heading(page, 'Pages');
      const { url } = await attacker.deploy({
        html: `<title>Attack</title><button onclick="opened = window.open('${dashboard.origin}/dashboard')">Go</button>`,
      });
      const attack = await page.context().newPage();
      await attack.goto(url);
      const opening = page.context().waitForEvent('page');
      await attack.getByRole('button').click();
      const opened = await opening;
      await heading(opened, 'Pages');
      await expect.poll(() => attack.evaluate('opened.closed')).toBe(true);
      expect(await opened.evaluate('window.opener')).toBe(null);
    });
  });

  describe('by the addresses of others', () => {
    it('says that there is nothing, in every view', async () => {
      const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
      const { id } = await other.deploy({ html: FORM, slug: 'private-page' });
      const { id: own } = await owner.deploy({ html: FORM });
      const { body } = await other.send('POST', `/submit/${id}`, '{"name":"Secret name"}');
      const [, submission = ''] = /"id":"(sub_\w+)"/.exec(JSON.stringify(body)) ?? [];
      expect(submission).not.toBe('');
      await other.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/secret-hook' }).expect(201);
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
      const secrets = /private-page|Secret name|secret-hook/;
      const open = async (path: string, title: string): Promise<void> => {
        await page.goto(dashboard.origin + path);
        await page.getByRole('heading', { name: title }).waitFor();
        await expect.poll(() => page.locator('.loading').count()).toBe(0);
        expect(await page.content()).not.toMatch(secrets);
        expect(await page.title()).not.toMatch(secrets);
      };
      for (const path of [
        `${id}/inbox/${submission}`,
        `${id}/page/edit`,
        `${id}/notifications`,
        '%00/settings',
        '__proto__/settings',
      ]) {
        await open(`/dashboard/pages/${path}`, 'Nothing here');
      }
      // The owner's page with what belongs to another's.
      await open(`/dashboard/pages/${own}/inbox/${submission}`, 'This submission is not there');
      await open('/dashboard/trash', 'The trash is empty');
      await expectAccessible(page);
    });
  });

  describe('by data', () => {
    const SCRIPT = '</title></textarea><img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';
    const TEXT = `\u202E${SCRIPT}\u2066${'W'.repeat(300)}`;
    const ESCAPED = TEXT.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

    it('runs nothing of it and keeps its layout, in every view, on the smallest phone', async () => {
      const owner = await dashboard.owner();
      const inputs = Array.from(
        { length: 200 },
        (_, index) => `<label>${ESCAPED} ${index}<input name="f${index}"></label>`,
      );
      const html = `<title>${ESCAPED}</title><form method=post action={{FORM_ACTION}}>
<label>${ESCAPED}<input name="__proto__"></label><label>\u202E<input name="constructor"></label>${inputs.join('')}
<input name="_x"><input name="${ESCAPED}"><form method=get action="javascript:globalThis.ran=1"></form>${TEXT}`;
      const { id } = await owner.deploy({ html });
      await owner.put(`/deploy/${id}`).send({ html: `${html}\n${'y'.repeat(200_000)}\n${TEXT}` });
      await owner
        .patch(`/deploy/${id}`)
        .send({
          redirect_url: `https://example.org/${encodeURIComponent(TEXT)}`,
          spam: { blocklist: ['casino', '<b onclick=alert(1)>\u202E'] },
        })
        .expect(200);
      await owner
        .post(`/webhooks/${id}`)
        .send({ url: `http://127.0.0.1:9/${encodeURIComponent(TEXT)}${'z'.repeat(1_000)}` })
        .expect(201);
      await owner
        .post('/keys')
        .send({ name: TEXT.slice(0, 100) })
        .expect(201);
      const many = Object.fromEntries(Array.from({ length: 990 }, (_, index) => [`f${index}`, TEXT.slice(0, 40)]));
      for (const data of [
        `{"__proto__":${JSON.stringify(TEXT)},"constructor":{"prototype":{"x":1}},"name":"Own"}`,
        JSON.stringify({ name: 'Long', message: 'x'.repeat(250_000) }),
        JSON.stringify({ name: 'Many', ...many }),
        JSON.stringify({ name: TEXT, [TEXT]: TEXT }),
        JSON.stringify({ name: 'casino', message: 'x'.repeat(250_000), [TEXT]: TEXT }),
        JSON.stringify({ name: 'casino', ...many }),
      ]) {
        expect((await owner.send('POST', `/submit/${id}`, data)).status).toBe(200);
      }
      const page = await dashboard.open(owner, '/dashboard', { ...PHONE, viewport: { width: 320, height: 600 } });
      page.on('dialog', () => {
        throw new Error('A script of the data ran.');
      });
      const q = encodeURIComponent(SCRIPT);
      for (const [path, ready] of [
        ['', '1 page'],
        [`/pages/${id}/page/edit`, 'Publish'],
        [`/pages/${id}/page/live`, 'Next steps'],
        ['/account', 'Create a key'],
        ['/inbox', 'Export'],
        [`/pages/${id}/inbox`, 'Export'],
        [`/pages/${id}/inbox?q=${q}&from=${q}&to=__proto__&view=${q}`, 'found'],
        [`/pages/${id}/inbox?view=spam`, 'Delete all spam'],
        [`/pages/${id}/charts?from=${q}&to=9999-99-99`, 'submissions in this time'],
        [`/pages/${id}/page?version=__proto__&since=${q}`, 'Copy the source'],
        [`/pages/${id}/page?version=2&since=1`, 'added'],
        [`/pages/${id}/notifications`, 'Add webhook'],
        [`/pages/${id}/settings`, 'Delete all data'],
      ] as const) {
        await page.goto(`${dashboard.origin}/dashboard${path}`);
        await page.getByText(ready).filter({ visible: true }).first().waitFor();
        await expect.poll(() => page.locator('.loading').filter({ visible: true }).count()).toBe(0);
        await expectFitting(page);
        expect([
          path,
          await page.evaluate('globalThis.ran'),
          await page.locator('main script, main img').count(),
        ]).toEqual([path, undefined, 0]);
        // The tab names the page by its title, which is a text there; what changes its direction is left out.
        expect(await page.title()).not.toMatch(/\u202E/);
      }
    });
  });

  describe('by a page in its preview', () => {
    it.each(['page', 'page/edit'])('stays where it is, whatever the page tries: %s', async (view) => {
      const owner = await dashboard.owner();
      const html = `<!doctype html><title>Trap</title>
<form id=send method=post target=_top action="${dashboard.origin}/deploy"><input name=x></form><a id=away target=_top href="https://evil.example/">x</a>
<p id=said></p><script>
const tried = [];
const attempt = (name, make) => { try { const made = make(); tried.push(name + ': ' + (made === null || made === undefined ? 'nothing' : 'made')); } catch (error) { tried.push(name + ': ' + error.name); } };
attempt('read', () => parent.document.body.innerHTML);
attempt('cookie', () => document.cookie);
attempt('storage', () => localStorage.length);
attempt('navigate', () => { top.location = 'https://evil.example/'; });
attempt('replace', () => { top.location.replace('https://evil.example/'); });
attempt('window', () => window.open('https://evil.example/'));
attempt('link', () => { away.click(); });
attempt('form', () => { send.submit(); });
attempt('dialog', () => { alert(1); });
attempt('message', () => { parent.postMessage('evil', '*'); });
fetch('${dashboard.origin}/me', { credentials: 'include' }).then((answer) => answer.text(), () => 'refused').then((text) => { tried.push('fetch: ' + (text.includes('@') ? 'read' : 'nothing')); said.textContent = tried.join(', '); });
</script>`;
      const { id } = await owner.deploy({ html });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/${view}`);
      page.on('dialog', () => {
        throw new Error('The preview has opened a dialog.');
      });
      if (view === 'page/edit') await page.getByRole('button', { name: 'Try' }).click();
      const said = page.frameLocator('iframe[title^=Preview]').locator('#said');
      await said.filter({ hasText: 'fetch:' }).waitFor();
      expect(await said.innerText()).toMatch(
        /^read: SecurityError, cookie: SecurityError, storage: SecurityError, navigate: (SecurityError|nothing), replace: (SecurityError|nothing), window: nothing, link: nothing, form: nothing, dialog: nothing, message: nothing, fetch: nothing$/,
      );
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/pages/${id}/${view}`);
      expect(page.context().pages()).toHaveLength(1);
      expect((await owner.get('/deploy')).body.total).toBe(1);
    });
  });
});
