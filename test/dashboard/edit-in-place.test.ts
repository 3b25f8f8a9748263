import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_LIMITS } from '../../src/dashboard/dashboard-limits.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import { beginAtEnd, editedPage } from '../support/edited-page.ts';
import type { Owner } from '../support/test-service.ts';

/* Editing a page where its texts stand: what is published has all bytes that were not changed. */

const HTML = [
  '\ufeff<!DOCTYPE html>\r\n<HTML Lang=en><title>Caf&eacute</title>',
  '<body class=a class=b>\r\n<h1>Tom &amp; Jerry &copy 2026</h1>\r\n',
  '<p>Read <b>this</b> and <a HREF=/old title=x>the\r\n  rules</a>.\r\n<p><img src=cat.png alt=Cat>',
  '<form method=post action={{FORM_ACTION}}><label>Name <input name=name></label><BUTTON>Send it</BUTTON></form>\r\n',
].join('');

describe.skipIf(!hasChromium())('the dashboard, editing in place', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const htmlOf = async (owner: Owner, id: string): Promise<string> => (await owner.get(`/deploy/${id}/html`)).body.html;

  it('changes texts, links, images and buttons, and nothing else, without loading the frame again', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: HTML });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await frame.locator('body').evaluate('document.kept = true');
    await beginAtEnd(page, frame, 'Tom & Jerry © 2026');
    await page.keyboard.type(' <i>');
    await page.keyboard.press('Enter');
    await beginAtEnd(page, frame, 'this');
    await page.keyboard.type(' now');
    await beginAtEnd(page, frame, 'Send it');
    await page.keyboard.type(' now');
    await frame.getByText('rules').click();
    await page.getByLabel('Address that it leads to').fill('/new?a=1&b="2"');
    await frame.getByRole('img').click();
    await page.getByLabel('Description of the image').fill('A grey cat');
    await page.getByLabel('Address of the image').fill('dog.png');
    await expectAccessible(page);
    expect(await frame.locator('body').evaluate('document.kept')).toBe(true);
    await page.getByText('Not published').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    const wanted = HTML.replace('2026', '2026 &lt;i>')
      .replace('<b>this', '<b>this now')
      .replace('Send it', 'Send it now')
      .replace('HREF=/old', 'HREF="/new?a=1&amp;b=&quot;2&quot;"')
      .replace('src=cat.png alt=Cat', 'src="dog.png" alt="A grey cat"');
    expect(await htmlOf(owner, id)).toBe(wanted);
  });

  it('works with the keyboard, takes a text back with Escape, and undoes and redoes', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: HTML });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    const title = frame.getByRole('heading');
    await tabTo(page, page.getByRole('button', { name: 'Redo' }));
    await page.keyboard.press('Tab');
    await expect.poll(() => frame.locator('h1:focus').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.type(' and more');
    await page.keyboard.press('Escape');
    expect(await title.innerText()).toBe('Tom & Jerry © 2026');
    for (const text of ['First', 'Second']) {
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.keyboard.press('Control+z');
    await expect.poll(() => title.innerText()).toBe('First');
    await undo.click();
    await expect.poll(() => title.innerText()).toBe('Tom & Jerry © 2026');
    await expect.poll(() => undo.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Not published').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => title.innerText()).toBe('First');
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect(await htmlOf(owner, id)).toBe(HTML.replace('Tom &amp; Jerry &copy 2026', 'First'));
  });

  it.each([
    ['in a button', '<button>Send <b>it</b></button>', '<button>Send now then <b>it</b></button>'],
    [
      'of a summary',
      '<details><summary>Send</summary>a</details>',
      '<details><summary>Send now then</summary>a</details>',
    ],
  ])('types spaces into a text %s', async (_where, before, after) => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: `<title>Spaces</title>${before}` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await beginAtEnd(page, frame, 'Send');
    await page.keyboard.type(' now then');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect(await htmlOf(owner, id)).toBe(`<title>Spaces</title>${after}`);
  });

  /** Publishes what was edited, and returns the HTML. */
  async function published(page: Page, owner: Owner, id: string): Promise<string> {
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    return htmlOf(owner, id);
  }

  /** Clicks a text, and takes it away. */
  async function empty(page: Page, frame: FrameLocator, text: string): Promise<void> {
    await beginAtEnd(page, frame, text);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
  }

  it.each([
    ['the text of a button', '<button>Register</button>', 'Register', '<button>Sign up now</button>'],
    ['the last text', '<p>a</p><footer>© Old shop</footer>', '© Old shop', '<p>a</p><footer>Sign up now</footer>'],
    ['the text of a link', '<p>a</p><a href=x>Go</a>', 'Go', '<p>a</p><a href=x>Sign up now</a>'],
  ])('empties %s and writes it anew, at once and later', async (_what, before, text, after) => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: `<title>Empty</title>${before}` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await empty(page, frame, text);
    await page.keyboard.press('Escape');
    await empty(page, frame, text);
    await page.keyboard.type('Sign');
    await page.keyboard.press('Enter');
    await empty(page, frame, 'Sign');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Sign up now');
    await page.keyboard.press('Enter');
    expect(await published(page, owner, id)).toBe(`<title>Empty</title>${after}`);
  });

  it('goes on with other texts where one was emptied', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: '<title>Empty</title><h1>Old</h1><p>Next</p><p>Last</p>' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await empty(page, frame, 'Old');
    await beginAtEnd(page, frame, 'Next');
    await page.keyboard.type(' one');
    await empty(page, frame, 'Last');
    await beginAtEnd(page, frame, 'Next one');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await frame.locator('h1').click();
    await page.keyboard.type('New');
    await page.keyboard.press('Enter');
    await expect.poll(() => frame.locator('body').innerText()).toContain('New');
    expect(await published(page, owner, id)).toBe('<title>Empty</title><h1>New</h1><p>Next one!</p><p></p>');
  });

  it('keeps the line breaks of texts, typed in the page and beside it', async () => {
    const owner = await dashboard.owner();
    const html = `<title>Line\r\n breaks</title><pre>One\n  two\nthree</pre><p>A long\r\n  text</p>
<p style="white-space: pre-wrap">Four\rfive</p><a href=x>the\n  rules</a>
<form method=post action={{FORM_ACTION}}><label>Your\n name <input name=name></label><button>Send</button></form>`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    for (const text of ['three', 'A long', 'Four']) {
      await frame.getByText(text).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('!');
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('!');
      // A text is typed as the page shows it, so that the next one stands where it stood.
    }
    await frame.getByText('rules').click();
    await page.getByLabel('Link: text').press('End');
    await page.keyboard.type('!');
    await page.getByLabel('Title').press('End');
    await page.keyboard.type('!');
    await page.getByRole('button', { name: 'Your name' }).click();
    await page.getByLabel('Label').press('End');
    await page.keyboard.type('!');
    const wanted = html
      .replace('One\n  two\nthree', '!One\n  two\nthree!')
      .replace('A long\r\n  text', '!A long\r\n  text!')
      .replace('Four\rfive', '!Four\rfive!')
      .replace('rules', 'rules!')
      .replace('breaks', 'breaks!')
      .replace(' name <', ' name! <');
    expect(await published(page, owner, id)).toBe(wanted);
  });

  it('shows a page as browsers do whose fields and images have the names of properties', async () => {
    const owner = await dashboard.owner();
    const names = ['attributes', 'childNodes', 'getAttribute', 'localName', 'parentNode', 'closest', 'isEqualNode'];
    const images = ['compatMode', 'adoptNode', 'hasFocus', 'head'];
    const html = `\ufeff<!doctype html><title>Names</title><form method=post action={{FORM_ACTION}}>${names.map((name) => `<input name=${name}>`).join('')}<p>Text</p><button>Send</button></form>
${images.map((name) => `<img name=${name} alt="">`).join('')}<p class="a"">Quoted</p>`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    // The browser's driver can't look for an element around a text that has such names.
    const begin = async (): Promise<void> => {
      const { x = 0, y = 0 } = (await frame.getByText('Text', { exact: true }).boundingBox()) ?? {};
      await page.mouse.click(x + 5, y + 5);
      await frame.locator('[contenteditable]').waitFor();
      await page.keyboard.press('Control+End');
    };
    expect(
      await frame
        .locator('html')
        .evaluate('Object.getOwnPropertyDescriptor(Document.prototype, "compatMode").get.call(document)'),
    ).toBe('CSS1Compat');
    await begin();
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).click();
    await frame.getByText('Text', { exact: true }).waitFor();
    await begin();
    await page.keyboard.type('?');
    await page.keyboard.press('Enter');
    expect(await published(page, owner, id)).toBe(html.replace('Text', 'Text?'));
  });

  it('offers the address of a link around what is chosen, in sight on a phone', async () => {
    const owner = await dashboard.owner();
    const html = `<title>Links</title>${'<br>'.repeat(20)}<a href=/a><i></i> Book now</a><a href=/b><span>Text</span></a><a href=/c><img alt=Cat></a>`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`, PHONE);
    const frame = await editedPage(page);
    const address = page.getByLabel('Address that it leads to');
    const bottomOf = async (element: Locator): Promise<number> => {
      const { y = Number.NaN, height = 0 } = (await element.boundingBox()) ?? {};
      return y + height;
    };
    const chosen = [frame.getByText('Book now'), frame.getByText('Text'), frame.getByRole('img')];
    for (const [index, place] of chosen.entries()) {
      await place.tap();
      await expect.poll(() => address.inputValue()).toBe(`/${'abc'.charAt(index)}`);
      await expect.poll(() => bottomOf(address)).toBeLessThanOrEqual(PHONE.viewport?.height ?? 0);
      await address.fill(`/new-${index}`);
    }
    await expectAccessible(page);
    expect(await published(page, owner, id)).toBe(
      html.replace('/a>', '"/new-0">').replace('/b>', '"/new-1">').replace('/c>', '"/new-2">'),
    );
  });

  it('opens what is folded, and lists what can’t be seen', async () => {
    const owner = await dashboard.owner();
    const folded =
      '<details name=a><summary>One</summary><p>First</p></details><details name=a>\n<p>Second</p></details>';
    const html = `<title>Folded</title><style>.gone { visibility: hidden }</style>${folded}\n<dialog><p>In the dialog</p></dialog>
<p class=gone>Gone</p>`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    for (const text of ['First', 'Second']) {
      await beginAtEnd(page, frame, text);
      await page.keyboard.type('!');
      await page.keyboard.press('Enter');
    }
    await page.getByText('2 parts are edited in the code').click();
    expect(await page.getByText('This can’t be seen in the page as it is shown here.').allInnerTexts()).toEqual([
      ...[
        'line 3: This can’t be seen in the page as it is shown here.',
        'line 4: This can’t be seen in the page as it is shown here.',
      ],
    ]);
    expect(await published(page, owner, id)).toBe(html.replaceAll(/First|Second/g, '$&!'));
  });

  it('edits a page as code only that is too long to be edited in place', async () => {
    const owner = await dashboard.owner();
    const { maxInPlaceChars } = DASHBOARD_LIMITS.editor;
    const html = `<title>Long</title><h1>Long</h1>\n${'<p>Text</p>\n'.repeat(maxInPlaceChars / 10)}`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await page.getByText('This page is too complex to be edited where its texts stand.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await page.getByRole('button', { name: 'Edit its code' }).click();
    await page.getByLabel('HTML', { exact: true }).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('<!-- new -->');
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect(await htmlOf(owner, id)).toBe(`<!-- new -->${html}`);
  });

  it('leads to the code where a text can’t be edited in place', async () => {
    const owner = await dashboard.owner();
    const html = `<title>Script</title>\n<p id=a></p>\n<script>document.querySelector('#a').textContent = 'made'</script><p>Text`;
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`, PHONE);
    await editedPage(page);
    await page.getByText('1 part is edited in the code').tap();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'line 3' }).tap();
    await page.getByLabel('HTML').waitFor();
    await expectAccessible(page);
  });

  describe('of a hostile page', () => {
    it('changes nothing but what the user edits, and does not leave the frame', async () => {
      const owner = await dashboard.owner();
      const api = dashboard.origin;
      const html = `<!doctype html><title>Trap</title><base target=_top><meta http-equiv=refresh content="0;url=${api}/evil">
<script>parent.postMessage({ type: 'typed', id: 0, version: 1, text: 'evil' }, '*'); addEventListener('message', ({ ports }) => ports[0] && ports[0].postMessage({ type: 'typed', id: 0, version: 1, text: 'evil' }));document.title = 'ran'</script>
<img src=x onerror="document.title = 'ran'"><svg onload="document.title = 'ran'"></svg><iframe srcdoc="<script>try { top.location = 'about:blank' } catch {}</script>"></iframe>
<p data-formhost-place=0 contenteditable tabindex=5 onfocus="document.title = 'ran'">Mine</p>
<a id=away href="${api}/evil" ping="${api}/evil">away</a> <a href="javascript:document.title='ran'">script</a>
<form id=f action="${api}/evil" method=post target=_top><label>Name<input name=name></label><button formaction="javascript:document.title='ran'">Go</button></form>
<object data="${api}/evil"></object><embed src="${api}/evil">
<p>${'x'.repeat(60_000)}</p>`;
      const { id } = await owner.deploy({ html });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/evil')) asked.push(request.url());
      });
      const frame = await editedPage(page);
      for (const text of ['away', 'script', 'Go']) {
        await frame.getByText(text, { exact: true }).click();
        await page.keyboard.press('Enter');
      }
      await frame.locator('input').press('Enter');
      await beginAtEnd(page, frame, 'Mine');
      await page.keyboard.type('!');
      await page.keyboard.press('Enter');
      await frame.getByText('xxxxxxxxxx').click();
      await page.getByText('This text is too long to be edited here.').waitFor();
      expect(await frame.locator('html').evaluate('document.title')).toBe('Trap');
      expect(asked).toEqual([]);
      expect(page.url()).toBe(`${api}/dashboard/pages/${id}/page/edit`);
      expect(page.context().pages()).toHaveLength(1);
      await page.getByRole('button', { name: 'Publish' }).click();
      await page
        .getByRole('button', { name: 'Publish anyway' })
        .or(page.getByText('The new version is live.'))
        .first()
        .waitFor();
      const anyway = page.getByRole('button', { name: 'Publish anyway' });
      if (await anyway.isVisible()) await anyway.click();
      await heading(page, 'Page');
      expect(await htmlOf(owner, id)).toBe(html.replace('>Mine<', '>Mine!<'));
    });

    it.each([
      ['no object', 'null'],
      ['another type', "{ type: 'evil', id: 0, version: 1 }"],
      ['no such place', "{ type: 'typed', id: 99, version: 1, text: 'evil' }"],
      ['no number', "{ type: 'typed', id: '0', version: 1, text: 'evil' }"],
      ['another version', "{ type: 'typed', id: 0, version: 0, text: 'evil' }"],
      ['no text', "{ type: 'typed', id: 0, version: 1, text: { length: 1 } }"],
      ['a huge text', "{ type: 'typed', id: 0, version: 1, text: 'x'.repeat(60000) }"],
    ])('ignores a message of the frame with %s', async (_name, message) => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: HTML });
      const page = await dashboard.open(owner, '/dashboard/account');
      // The port of the frame, as if a page had got it.
      await page.addInitScript(`if (location.pathname.includes('/assets/in-place-')) {
        addEventListener('message', ({ ports }) => { globalThis.port = ports[0]; }, { once: true });
      }`);
      await page.goto(`${dashboard.origin}/dashboard/pages/${id}/page/edit`);
      const frame = await editedPage(page);
      await frame.locator('body').evaluate(`globalThis.port.postMessage(${message})`);
      await beginAtEnd(page, frame, 'this');
      await page.keyboard.type('!');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Publish' }).click();
      await heading(page, 'Page');
      expect(await htmlOf(owner, id)).toBe(HTML.replace('<b>this', '<b>this!'));
    });
  });
});
