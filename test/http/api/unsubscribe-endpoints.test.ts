import { describe, expect, it } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { mailsWith } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, DELIVERY_RETRY_DELAYS: '600' });
const owner = await service.owner();
const links = await createLinks(service.db, '')();

/** A page whose owner gets mail. */
async function deploy(): Promise<{ id: string; slug: string }> {
  const page = await owner.deploy();
  await owner.change(page.id, { email_notifications: true });
  return page;
}

const submit = (id: string) => service.anonymous.post(`/submit/${id}`).send({ text: 'Hello' }).expect(200);

const isOn = async (id: string): Promise<boolean> => {
  const { email_notifications } = await service.db('deployments').where({ id }).first('email_notifications');
  return email_notifications;
};

const mailAbout = async (slug: string) => (await mailsWith(smtp, `New submission for ${slug}`, 1))[0];

/** The path that the one mail about a page names in its header and its text. */
async function linkOf(slug: string): Promise<string> {
  const { unsubscribe = '', text, html } = (await mailAbout(slug)) ?? {};
  expect(text).toContain(`\nStop these mails: ${BASE_URL}${unsubscribe}\n`);
  expect(html).toContain(`<a href="${BASE_URL}${unsubscribe}">Stop these mails</a>`);
  return unsubscribe;
}

/** The request of mail software (RFC 8058, 3.2). */
const oneClick = (path: string) =>
  fetch(service.url + path, {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    redirect: 'manual',
  });

const WRONG = '<p>Check that the link is complete. If it is, the page has been deleted, and sends no mail.</p>';

describe('POST /unsubscribe/:deployId', () => {
  it('switches mail off for the one page, without a cookie or a redirect, as often as it comes', async () => {
    const [page, other] = [await deploy(), await deploy()];
    await submit(page.id);
    const link = await linkOf(page.slug);
    const before = (await owner.get(`/deploy/${page.id}`)).body;
    for (const _time of [1, 2]) {
      const response = await oneClick(link);
      const html = await response.text();
      expect([response.status, response.headers.has('set-cookie')]).toEqual([200, false]);
      expect(response.headers.get('content-security-policy')).toMatch(/form-action 'none'/);
      expect(html).toContain(`<h1>No more mails about ${page.slug}</h1>`);
      expect(html).toContain(
        `<code>curl -X PATCH ${BASE_URL}/deploy/${page.id} -H &quot;Authorization: Bearer YOUR_API_KEY&quot; -H &quot;Content-Type: application/json&quot; -d &#39;{&quot;email_notifications&quot;: true, &quot;notify_owner&quot;: true}&#39;</code>`,
      );
      expect([await isOn(page.id), await isOn(other.id)]).toEqual([false, true]);
    }
    expect((await owner.get(`/deploy/${page.id}`)).body).toEqual(before);
    await submit(page.id);
    await submit(other.id);
    await linkOf(other.slug);
    await mailAbout(page.slug);

    await owner.change(page.id, { email_notifications: true });
    expect((await oneClick(link)).status).toBe(200);
    expect(await isOn(page.id)).toBe(false);
  });

  it.each<[string, RequestInit]>([
    ['with a large body', { body: 'x'.repeat(300_000) }],
    ['with an encoding that is not known', { body: 'x', headers: { 'Content-Encoding': 'x' } }],
  ])('works %s', async (_how, init) => {
    const { id } = await deploy();
    expect((await fetch(service.url + links.unsubscribe(id), { method: 'POST', ...init })).status).toBe(200);
    expect(await isOn(id)).toBe(false);
  });

  it('is the same page for each link that was changed, and for a page that is deleted', async () => {
    const [page, other, gone] = [await deploy(), await deploy(), await deploy()];
    await owner.delete(`/deploy/${gone.id}`).expect(200);
    const link = links.unsubscribe(page.id);
    const file = links.file({ deploymentId: page.id, submissionId: '', fileId: '' }, new Date());
    const wrong = [
      `/unsubscribe/${page.id}`,
      link.replace(page.id, other.id),
      link.replace(page.id, '%00'),
      `/unsubscribe/${page.id}?${file.split('?')[1]}`,
      // Signed, and of nothing that is there.
      links.unsubscribe(gone.id),
      links.unsubscribe(UNKNOWN_ID),
    ];
    const pages: string[] = [];
    for (const path of wrong) {
      const [asked, done] = [await fetch(service.url + path), await oneClick(path)];
      expect([path, asked.status, done.status]).toEqual([path, 404, 404]);
      pages.push(await asked.text(), await done.text());
    }
    expect([new Set(pages).size, pages[0]?.includes(WRONG)]).toEqual([1, true]);
    expect([await isOn(page.id), await isOn(other.id)]).toEqual([true, true]);
  });
});

describe('GET /unsubscribe/:deployId', () => {
  it('asks with a button that posts to the same address, and changes nothing', async () => {
    const { id, slug } = await deploy();
    const path = links.unsubscribe(id);
    const response = await fetch(service.url + path);
    const html = await response.text();
    expect([response.status, response.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(html).toContain(`<h1>Stop the mails about ${slug}?</h1>`);
    expect(html).toContain('<svg class="ask"');
    expect(html).toContain(
      '<form method="post"><button name="List-Unsubscribe" value="One-Click">Stop the mails</button></form>',
    );
    expect((await fetch(service.url + path, { method: 'HEAD' })).status).toBe(200);
    expect(await isOn(id)).toBe(true);
  });
});
