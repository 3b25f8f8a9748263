import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allFinishedPages } from '../../scripts/finished-pages.ts';
import type { Language } from '../../src/lib/languages.ts';
import { FIRST_OWNER } from '../../src/lib/mail-address.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';
import type { Owner } from '../support/test-service.ts';
import { openCode, selectedCode, typedCode } from '../support/typed-code.ts';

/* Publishing a page, as an owner does it. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    // Nothing listens there: mail can be switched on.
    dashboard = await startDashboard({ SMTP_URL: 'smtp://127.0.0.1:9' });
  });
  afterAll(() => dashboard?.close());

  const slugsOf = async (owner: Owner): Promise<string[]> =>
    (await owner.get('/deploy')).body.deployments.map(({ slug }: { slug: string }) => slug);

  describe('New page', () => {
    it('takes a file', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a zip or files' }).click();
      const file = { name: 'a.html', mimeType: 'text/html', buffer: Buffer.from('<title>Chosen</title>') };
      await (await chooser).setFiles(file);
      await expect.poll(() => typedCode(page)).toBe('<title>Chosen</title>');
      await page.getByRole('button', { name: 'Publish' }).click();
      await heading(page, 'You’re live');
      expect(await slugsOf(owner)).toEqual(['chosen']);
    });

    it('takes a file that is dropped on the HTML', async () => {
      const page = await dashboard.open(await dashboard.owner(), '/dashboard/new');
      const dropped = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['<title>Dropped</title>'], 'a.html', { type: 'text/html' }));
        return data;
      })()`);
      await page.getByLabel('HTML').dispatchEvent('drop', { dataTransfer: dropped });
      await expect.poll(() => typedCode(page)).toBe('<title>Dropped</title>');
    });

    it.each<[string, Language]>([
      ['fr-CA', 'fr'],
      ['sv', 'en'],
    ])('begins with a finished page, for a browser in %s the one in %s', async (locale, language) => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard', { ...PHONE, locale });
      const { editor, page: ofPage } = textsOf(language);
      await page.getByRole('link', { name: editor.start.pages.registration.title }).tap();
      await heading(page, editor.start.newPageOf.replace('{title}', editor.start.pages.registration.title));
      const finished = (await allFinishedPages()).find(({ name }) => name === `registration.${language}.html`);
      await page.getByRole('button', { name: editor.modes.code, exact: true }).click();
      await page.getByLabel('HTML', { exact: true }).waitFor();
      expect(await typedCode(page)).toBe(finished?.html);
      await page.getByText(ofPage.findings.nothing).waitFor();
      await page.getByRole('button', { name: editor.publish, exact: true }).tap();
      await heading(page, ofPage.live.title);
      expect((await owner.get('/deploy')).body.total).toBe(1);
    });

    it('shows the finished pages, and begins with one, in another language that is chosen', async () => {
      const page = await dashboard.open(await dashboard.owner(), '/dashboard/help', { locale: 'de' });
      const { bar, editor } = textsOf('de');
      await heading(page, bar.nav.help);
      // Those of the dashboard itself.
      const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      const languages: string[] = [];
      page.on('request', (request) => {
        const [, language] = /\/assets\/([a-z]{2})-/.exec(request.url()) ?? [];
        if (language !== undefined && !loaded.includes(request.url())) languages.push(language);
      });
      await page.goto(`${dashboard.origin}/dashboard/new`);
      const first = page.frameLocator('iframe').first().getByRole('heading', { level: 1 });
      await first.getByText('Kontakt').waitFor();
      await page.getByLabel(editor.start.language).selectOption({ label: 'العربية' });
      await first.getByText('اتصل بنا').waitFor();
      expect(languages).toEqual(['de', 'ar']);
      await expectAccessible(page);
      const { title } = editor.start.pages.application;
      await page.getByRole('link', { name: title }).click();
      await heading(page, editor.start.newPageOf.replace('{title}', title));
      const finished = (await allFinishedPages()).find(({ name }) => name === 'application.ar.html');
      await page.getByRole('button', { name: editor.modes.code, exact: true }).click();
      await page.getByLabel('HTML', { exact: true }).waitFor();
      expect(await typedCode(page)).toBe(finished?.html);
    });

    it('shows the page in Try, with what its scripts do', async () => {
      const page = await dashboard.open(await dashboard.owner(), '/dashboard/new');
      const html = (text: string): string =>
        `<title>Shown</title><style>h1 { color: rgb(1, 2, 3) }</style><h1></h1><script>const text = '${text}', frame = text, stay = frame; document.querySelector('h1').textContent = stay</script>`;
      const shown = page.frameLocator('iframe[title=Preview]').getByRole('heading');
      for (const text of ['First', 'Second']) {
        await openCode(page);
        await page.getByLabel('HTML').fill(html(text));
        await page.getByRole('button', { name: 'Try' }).click();
        await shown.getByText(text).waitFor();
      }
      const style = page.frames().at(-1)?.evaluate("getComputedStyle(document.querySelector('h1')).color");
      expect(await style).toBe('rgb(1, 2, 3)');
    });

    it('makes a slug of what is typed, and shows the whole address', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByLabel('HTML').fill(FORM);
      await page.getByLabel('Address', { exact: true }).fill(' Frühlings-Fest 2027: alle');
      await page.getByText(/^Its address: fruhlings-fest-alle\.localhost(:\d+)?$/).waitFor();
      await page.getByRole('button', { name: 'Publish' }).click();
      await heading(page, 'You’re live');
      expect(await slugsOf(owner)).toEqual(['fruhlings-fest-alle']);
    });

    it('says what is wrong with a page before it is published, and where', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      const html = `<title>Form</title>\n${'<p>\n'.repeat(40)}<form method=post action={{FORM_ACTON}}><input name=a><button>Send</button></form>`;
      await page.getByLabel('HTML').fill(html);
      await page.getByRole('button', { name: 'line 42' }).first().click();
      expect(await selectedCode(page)).toMatch(/^<form .*<\/form>$/);
      await page.getByLabel('HTML').fill(FORM.replace('</form>', '<button>Send</button></form>'));
      await page.getByText('1 form, 1 field. Nothing to correct.').waitFor();
      expect((await owner.get('/deploy')).body.total).toBe(0);
    });

    it('asks before it publishes a form that leads nowhere, and leads to what is wrong', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new', PHONE);
      const broken = '<form method="post" action="{{FORM-ACTION}}">';
      await page.getByLabel('HTML').fill(`<title>Ask</title>\n\n${broken}<input name="a"><button>Send</button></form>`);
      const publish = () => page.getByRole('button', { name: 'Publish', exact: true }).tap();
      await publish();
      const question = page.getByRole('dialog', { name: 'What visitors enter would not arrive' });
      await question.getByText('line 3').waitFor();
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Fix it' }).tap();
      await expect.poll(() => selectedCode(page)).toContain(broken);
      expect(await slugsOf(owner)).toEqual([]);
      await publish();
      await question.getByRole('button', { name: 'Publish anyway' }).tap();
      await heading(page, 'You’re live');
      expect(await slugsOf(owner)).toEqual(['ask']);
      // What is wrong is not forgotten once it is live.
      await page.getByRole('region', { name: 'What to correct' }).getByRole('button', { name: 'line 3' }).tap();
      await heading(page, 'Edit');
      await page.goto(`${dashboard.origin}/dashboard`);
      await page.getByRole('link', { name: '1 problem in its form' }).tap();
      await heading(page, 'Page');
    });

    it('says why a page could not be published, and keeps it, over a reload too', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM, slug: 'taken' });
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Paste the page, or drop its file here.').waitFor();
      await page.getByLabel('HTML').fill(FORM);
      await page.getByLabel('Address', { exact: true }).fill('taken');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Not saved').waitFor();
      await page.reload();
      await openCode(page);
      expect(await typedCode(page)).toBe(FORM);
      expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('taken');
      await page.getByLabel('Address', { exact: true }).fill('free-one');
      await page.getByRole('button', { name: 'Publish' }).click();
      await heading(page, 'You’re live');
      expect(await slugsOf(owner)).toContain('free-one');
      await expect.poll(async () => (await owner.get('/draft')).status).toBe(404);
      await page.goto(`${dashboard.origin}/dashboard/new`);
      await heading(page, 'New page');
      expect(await typedCode(page)).toBe('');
    });

    it('makes a page for a form that is elsewhere', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByRole('link', { name: 'My form is on another site' }).click();
      await page.getByLabel('Name of the form').fill('Ask "us" <b>');
      await page.getByRole('button', { name: 'Get the form' }).click();
      await heading(page, 'Your form');
      await page.reload();
      await page.getByRole('button', { name: 'Turn on mail' }).waitFor();
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      const snippet = String(await page.evaluate('navigator.clipboard.readText()'));
      const [, action = ''] = /action="([^"]+)"/.exec(snippet) ?? [];
      await page.getByRole('button', { name: 'Copy the address' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(action);
      await page.getByRole('navigation', { name: 'This page' }).getByRole('link', { name: 'Inbox' }).click();
      await heading(page, 'Inbox');
      await page.getByText('My form is on another site').click();
      await page.getByText(snippet.trim()).waitFor();
      expect((await fetch(action, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) })).status).toBe(200);
      await page.getByPlaceholder('Search 1 submission').waitFor();
      const [{ id, ...form }] = (await owner.get('/overview')).body.deployments;
      expect(form).toMatchObject({ title: 'Ask "us" <b>', submission_count: 1 });
      // It names no language: visitors read that of their browser.
      expect((await owner.get(`/deploy/${id}/check`)).body).toMatchObject({ lang: null, problems: [] });
    });
  });

  describe('You’re live', () => {
    it('has the address, sends a test, and turns on mail', async () => {
      const owner = await dashboard.owner();
      const { email } = (await owner.get('/me')).body;
      const html = FORM.replace('</form>', '<input name=email type=email><select name=size><option>S</select></form>');
      const { id, url } = await owner.deploy({ html });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/live`, PHONE);
      await page.getByRole('img', { name: 'QR code of the address' }).waitFor();
      await page.getByRole('button', { name: 'Turn on mail' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Copy link' }).tap();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(url);
      await page.getByRole('button', { name: 'Turn on mail' }).tap();
      await page.getByText(`Each submission is mailed to ${email}.`).waitFor();
      expect((await owner.get(`/deploy/${id}/settings`)).body.email_notifications).toBe(true);
      await page.getByRole('button', { name: 'Send a test' }).tap();
      await page.getByRole('link', { name: 'See it in the inbox' }).tap();
      await page.getByText('Test', { exact: true }).first().waitFor();
      const [{ data }] = (await owner.get(`/submissions/${id}/search`)).body.submissions;
      expect(data).toEqual({ name: 'Test', email, size: 'S' });
    });
  });

  it('asks the first owner for an address before it turns on mail', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    await dashboard
      .db('owners')
      .where({ email: (await owner.get('/me')).body.email })
      .update({ email: FIRST_OWNER });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/live`);
    await page.getByRole('link', { name: 'Enter your address' }).waitFor();
    expect(await page.getByRole('button', { name: 'Turn on mail' }).count()).toBe(0);
  });
});
