import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLinks } from '../../src/db/account/link-secret.ts';
import { digestEmail, submissionEmail } from '../../src/delivery/mail/submission-mails.ts';
import { SignedLinks } from '../../src/lib/signed-links.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { type Owner, startTestService, type TestService } from '../support/test-service.ts';
import { writeMail } from '../support/write-mail.ts';

/* Tests how mails look in a browser, and where their links lead. */
describe.skipIf(!hasChromium())("a mail reader's browser", () => {
  let browser: Browser;
  let service: TestService;
  let owner: Owner;
  let links: SignedLinks;
  beforeAll(async () => {
    service = await startTestService();
    owner = await service.owner();
    links = await createLinks(service.db, service.url)();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await service?.close();
  });

  async function newPage(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    return context.newPage();
  }

  const LONG = 'x'.repeat(2_000);
  const DATA = {
    long: LONG,
    [`name ${LONG}`]: 'y',
    url: `https://example.org/${'a/'.repeat(500)}`,
    الاسم: 'مرحبا بالعالم، هذا نص من اليمين إلى اليسار',
    html: '</div></body><style>*{display:none}</style><script>document.title="run"</script><img src=x>',
    nested: { list: [{ a: LONG, b: [1, 2] }, 'one, two', LONG], deep: { deeper: { deepest: LONG } } },
  };

  const LINKS = new SignedLinks('https://forms.example.org', Buffer.alloc(32));
  const ABOUT = {
    deploymentId: 'd_1',
    name: 'letters',
    pageUrl: 'https://letters.pages.example.org',
    baseUrl: 'https://forms.example.org',
    timeZone: 'UTC',
    addressFields: new Set<string>(),
    now: new Date(),
    links: LINKS,
  };
  const submission = (id: string) => ({ id, data: JSON.stringify(DATA), createdAt: new Date() });

  it('shows the HTML part of each mail within its width, light and dark', async () => {
    const labels = new Map([['long', `Label ${LONG}`]]);
    const single = submissionEmail({ ...ABOUT, labels, submission: submission('sub_1'), recipientId: null });
    const digest = digestEmail({
      ...ABOUT,
      labels,
      recipientId: 'rcp_1',
      from: new Date(),
      to: new Date(),
      submissions: ['sub_1', 'sub_2', 'sub_3'].map(submission),
      total: 250,
    });
    const notice = JSON.stringify({ owner: `${LONG}@example.org` });
    const asks = await writeMail({ event: 'confirmation', recipientId: LONG, notice }, { links: async () => LINKS });
    const page = await newPage();
    for (const { html } of [single, digest, asks]) {
      await page.setContent(html);
      for (const [colorScheme, width] of [
        ['light', 360],
        ['dark', 1_200],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const shown = await page.evaluate(`({
          width: document.documentElement.scrollWidth,
          elements: document.body.querySelectorAll('style, script, img').length,
          color: getComputedStyle(document.querySelector('p')).color,
        })`);
        expect(shown).toEqual({
          width,
          elements: 0,
          color: colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)',
        });
      }
    }
    await page.setContent(single.html);
    expect(await page.title()).toBe('New submission for letters');
    const directions = `[...document.querySelectorAll('div[dir=auto]')].map((value) => getComputedStyle(value).direction)`;
    expect(await page.evaluate(directions)).toEqual(['ltr', 'ltr', 'ltr', 'rtl', 'ltr', 'ltr']);
  });

  it('saves the file of a link, and shows none of it', async () => {
    const { id } = await owner.deploy();
    const sent = await owner.post(`/submit/${id}`).attach('cv', Buffer.from('<h1>Ada</h1>'), 'cv.html').expect(200);
    const { id: submissionId } = sent.body;
    const { data } = (await owner.get(`/submissions/${id}/${submissionId}`)).body;
    const fileId = data.cv.url.split('/').at(-1);
    const page = await newPage();
    const url = links.file({ deploymentId: id, submissionId, fileId }, new Date(Date.now() + 60_000));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.goto(url).catch((error: Error) => expect(error.message).toContain('Download is starting')),
    ]);
    expect([download.suggestedFilename(), await text(await download.createReadStream())]).toEqual([
      'cv.html',
      '<h1>Ada</h1>',
    ]);
  });

  it('confirms a recipient with the button of a page, and stops its mails with another', async () => {
    const { id, slug } = await owner.deploy();
    await owner
      .patch(`/deploy/${id}`)
      .send({ recipients: ['ada@example.org'] })
      .expect(200);
    const { id: recipientId } = await service.db('mail_recipients').where({ deployment_id: id }).first();
    const states = async () => (await owner.get(`/deploy/${id}/settings`)).body.recipients;
    const page = await newPage({ viewport: { width: 360, height: 800 } });
    await page.goto(links.confirm({ deploymentId: id, recipientId }, new Date(Date.now() + 60_000)));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: 'Send me these mails' }).click();
    await page.getByRole('heading', { name: `You get mail about ${slug}` }).waitFor();
    expect(await states()).toEqual([{ email: 'ada@example.org', confirmed: true }]);
    await page.goto(links.unsubscribe(id, recipientId));
    await page.getByRole('button', { name: 'Stop the mails' }).click();
    await page.getByRole('heading', { name: `No more mails about ${slug}` }).waitFor();
    expect(await states()).toEqual([{ email: 'ada@example.org', confirmed: false }]);
  });

  it('stops mail with the button of a page', async () => {
    const { id, slug } = await owner.deploy();
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
    const isOn = async () =>
      (await service.db('deployments').where({ id }).first('email_notifications')).email_notifications;
    const page = await newPage();
    await page.goto(links.unsubscribe(id));
    const heading = () => page.getByRole('heading').innerText();
    expect([await heading(), await isOn()]).toEqual([`Stop the mails about ${slug}?`, true]);
    await page.getByRole('button', { name: 'Stop the mails' }).click();
    await page.getByRole('heading', { name: `No more mails about ${slug}` }).waitFor();
    expect([await heading(), await isOn()]).toEqual([`No more mails about ${slug}`, false]);
  });
});
