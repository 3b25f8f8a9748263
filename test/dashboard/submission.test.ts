import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import {
  ADA,
  FORM,
  focusedText,
  GRACE,
  type Inbox,
  marksOf,
  names,
  newInbox,
  row,
} from '../support/inbox-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';

/** A picture of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

describe.skipIf(!hasChromium())('a submission', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const inbox = (...sent: (object | string)[]): Promise<Inbox> => newInbox(dashboard, FORM, sent);

  it('has links in addresses, URLs and phone numbers, and in nothing else', async () => {
    const { owner, path } = await inbox({
      email: 'ada@example.org',
      site: 'https://example.org/a?b',
      phone: '030 123456',
      abroad: '+49 (30) 12-34',
      number: '123456789',
      script: 'javascript:alert(1)',
      two: 'https://example.org https://example.com',
    });
    const page = await dashboard.open(owner, path);
    await row(page, 'ada@example.org').getByRole('link').click();
    const links = page.locator('.fields a');
    await expect
      .poll(() => links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))))
      .toEqual(['mailto:ada@example.org', 'https://example.org/a?b', 'tel:030123456', 'tel:+49301234']);
  });

  it('has a reply with its subject and a quotation, which is cut where a program would refuse it', async () => {
    const { owner, path } = await inbox(
      { ...ADA, message: 'When do\nyou open?' },
      { name: 'Long', email: 'long@example.org', message: 'ä'.repeat(5_000) },
      '{"name":"Odd","email":"\\ud800@example.org?cc=x"}',
    );
    const page = await dashboard.open(owner, path);
    const replyTo = async (name: string): Promise<string> => {
      await row(page, name).getByRole('link').click();
      await page.getByRole('heading', { level: 2, name }).waitFor();
      await page.getByRole('term').filter({ hasText: 'Your name' }).waitFor();
      return (await page.getByRole('link', { name: 'Reply' }).getAttribute('href')) ?? '';
    };
    const quotation = ['', '', '> Your name: Ada', '> E-mail: ada@example.org', '> Message: When do', '> you open?'];
    expect(await replyTo('Ada')).toBe(
      `mailto:ada@example.org?subject=Re%3A%20Ask%20us&body=${encodeURIComponent(quotation.join('\r\n'))}`,
    );
    const long = await replyTo('Long');
    expect(long.length).toBeLessThan(2_000);
    expect(decodeURIComponent(long)).toMatch(/Message: ä{200,}…$/);
    expect(await replyTo('Odd')).toMatch(/^mailto:%EF%BF%BD@example\.org%3Fcc%3Dx\?subject=/);
  });

  it('is read once it was opened, also when one goes on before that is stored', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path);
    const goneOn = Promise.withResolvers<void>();
    await page.route(/\/submissions\/\w+\/sub_\w+$/, async (route) => {
      await goneOn.promise;
      await route.continue();
    });
    await row(page, 'Ada').getByRole('link').click();
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('heading', { level: 2, name: 'Grace' }).waitFor();
    goneOn.resolve();
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Grace', true, false],
        ['Ada', true, false],
      ]);
  });

  it('shows images that run nothing, and only their names where they are none', async () => {
    const { owner, path, id } = await inbox();
    const form = new FormData();
    form.append('name', 'Ada');
    form.append('photo', new File([GIF], 'photo.gif', { type: 'image/gif' }));
    form.append(
      'photo',
      new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'drawing.svg', { type: 'image/svg+xml' }),
    );
    form.append('photo', new File(['no image'], 'broken.png', { type: 'image/png' }));
    await fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: form });
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').getByRole('link').click();
    await page.getByRole('link', { name: 'photo.gif' }).locator('img').waitFor();
    await page.getByRole('link', { name: 'broken.png' }).locator('svg').waitFor();
    expect(await page.getByRole('link', { name: 'drawing.svg' }).locator('img').count()).toBe(0);
  });

  it('has files to download, and sends deliveries again', async () => {
    const { owner, path, id } = await inbox();
    // It asks for an hour, so that nothing but the button sends again.
    const receiver = await startReceiver((response) => void response.writeHead(500, { 'Retry-After': '3600' }).end());
    await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    const form = new FormData();
    form.append('name', 'Ada');
    form.append('cv', new File(['My life'], '../<b>cv</b>.txt', { type: 'text/html' }));
    form.append('cv', new File(['More'], 'more.txt', { type: 'text/plain' }));
    await fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: form });
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').getByRole('link').click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: '<b>cv</b>.txt' }).click();
    const stream = await (await downloading).createReadStream();
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('My life');
    expect(page.url()).toContain(`${path}/sub_`);

    await expect.poll(() => receiver.received.length).toBe(1);
    await page.reload();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('last answer: HTTP 500').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.received.length).toBe(2);
  });

  it('has no button for a key that may only read, and what it may do', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE, { name: 'Robot' });
    const found = await owner.get(`/submissions/${id}/search`).expect(200);
    const [robot, , ada] = Array.from(found.body.submissions, ({ id: one }) => String(one));
    await owner.mark(id, 'spam', [robot]);
    await owner.mark(id, 'star', [ada]);
    await owner.patch(`/submissions/${id}/${ada}`).send({ note: 'Call back' }).expect(200);
    const { body } = await owner.post('/keys').send({ name: 'Reader', scope: 'read' }).expect(201);
    const page = await dashboard.open({ ...owner, key: String(body.key) }, path);
    await row(page, 'Ada').waitFor();
    const named = (name: RegExp) => page.locator('main').getByRole('button', { name }).filter({ visible: true });
    await page.getByRole('img', { name: 'Starred: Ada' }).waitFor();
    expect(await named(/^Star /).count()).toBe(0);
    await row(page, 'Ada').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Export CSV' }).waitFor();
    expect(await named(/Delete|Spam|Done|Star|Mark/).count()).toBe(0);
    await page.keyboard.press('#');
    await page.keyboard.press('d');

    await row(page, 'Ada').getByRole('link').click();
    await page.getByText('When do you open?').last().waitFor();
    await page.getByText('Call back').waitFor();
    expect(await page.getByRole('textbox', { name: 'Note' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Reply' }).waitFor();
    await page.getByRole('button', { name: 'Copy as text' }).waitFor();
    expect(await named(/Delete|Spam|Done|^Star|Mark/).count()).toBe(0);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('None of the last 100 deliveries is of this submission.').waitFor();
    await page.getByText('Version 1').waitFor();
    await page.goto(`${dashboard.origin}${path}?view=spam`);
    await page.getByText('Robot').first().click();
    await page.getByText('Marked by you').waitFor();
    expect(await page.locator('main').getByRole('checkbox').count()).toBe(0);
    expect(await named(/Delete|spam$/).count()).toBe(0);
    await expectAccessible(page);
    expect(await page.getByText('Not saved').count()).toBe(0);
    expect(await marksOf(owner, id)).toEqual([
      ['Grace', false, false],
      ['Ada', false, true],
    ]);
  });

  it('is shown as text if it is hostile, and nothing breaks the layout', async () => {
    const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const { owner, path } = await inbox(
      { name: script, email: `${script}@example.org`, [script]: script },
      { name: '\u202Egnp.exe \u202E\u2066\u0000', message: `${'\u0301'.repeat(500)}` },
      { name: 'Long', message: 'x'.repeat(250_000) },
      {
        name: 'Many',
        ...Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`f${index}`, 'y'.repeat(100)])),
      },
      '{"name":"Own","__proto__":"polluted","constructor":{"prototype":{"x":1}},"toString":"t"}',
      '{"name":"Exact","n":12345678901234567890,"10":"ten","2":"two","n":1e400,"file":{"filename":"f","content_type":"t","size":1,"url":"javascript:alert(1)"}}',
      { name: 'שלום עולם', message: 'مرحبا بالعالم' },
      {},
      { name: '' },
    );
    const page = await dashboard.open(owner, path);
    await row(page, 'Many').waitFor();
    await expectAccessible(page);
    const open = async (name: string, heading: string | RegExp = name): Promise<void> => {
      await row(page, name).getByRole('link').click();
      await page.getByRole('heading', { level: 2, name: heading }).waitFor();
      await page.getByText('None of the last 100 deliveries is of this submission.').waitFor({ state: 'attached' });
    };
    const pairs = (): Promise<string[]> => page.locator('.fields dt, .fields dd').allInnerTexts();
    await open('Exact');
    expect(await pairs()).toEqual([
      ...['Your name', 'Exact', 'n', '12345678901234567890', '10', 'ten', '2', 'two', 'n', '1e400', 'file'],
      '{"filename":"f","content_type":"t","size":1,"url":"javascript:alert(1)"}',
    ]);
    await open('Own');
    expect((await pairs()).slice(2, 4)).toEqual(['__proto__', 'polluted']);
    await open('<img', /^<img/);
    expect(await page.title()).toMatch(/^\(\d\) Inbox · Ask us · formhost$/);
    await open('Many');
    await page.getByText('f998').waitFor();
    await expectFitting(page);
    await open('Long');
    await expectFitting(page);
    await open('gnp', /gnp/);
    const phone = await dashboard.open(owner, path, PHONE);
    await row(phone, 'Many').waitFor();
    await expectFitting(phone);
  });

  it('is kept apart as spam, which says why, and several of which are released or deleted', async () => {
    const { owner, path, id, send } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Spam', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['Grace']);
    await owner
      .patch(`/deploy/${id}`)
      .send({ spam: { blocklist: ['win', 'casino*', 'ميسر'] } })
      .expect(200);
    await send({ name: 'Robot', message: 'Window of two casinos, ميسر' });
    await page.getByRole('link', { name: 'Spam' }).click();
    const reason = page.getByText('Blocked: casino*, ميسر');
    await reason.waitFor();
    // Otherwise its letters would turn the time that follows.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.kept-row .badge')).unicodeBidi")).toBe(
      'isolate',
    );
    await page.getByText('Marked by you').click();
    await page.getByText('127.0.0.1').filter({ visible: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Ada' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Not spam' }).click();
    await expect.poll(() => focusedText(page)).toContain('Inbox');
    await page.getByRole('checkbox', { name: 'Select Robot' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('1 submission deleted.').waitFor();
    await page.getByRole('heading', { name: 'There is no spam' }).waitFor();
    await page.getByRole('link', { name: 'Inbox', exact: true }).last().click();
    await row(page, 'Ada').waitFor();
    expect(await names(page)).toEqual(['Ada', 'Grace']);
  });

  it('begins with the name in the spam folder, also in a script that runs to the left', async () => {
    const { owner, path, id, send } = await inbox(ADA);
    await owner.change(id, { spam: { blocklist: ['casino'] } }).expect(200);
    await send({ name: 'ليلى حداد', message: 'casino مرحبا' });
    const page = await dashboard.open(owner, `${path}?view=spam`);
    const name = page.locator('.kept-row').getByText('ليلى حداد').first();
    const more = page.locator('.kept-row summary').getByText('casino', { exact: false }).first();
    await more.waitFor();
    const [{ x = 0 }, { x: after = 0 }] = [{ ...(await name.boundingBox()) }, { ...(await more.boundingBox()) }];
    expect(x).toBeLessThan(after);
  });
});
