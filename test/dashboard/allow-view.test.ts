import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askedQuery, newPkce, registerProgram } from '../support/allow-program.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';
import { type TestHttpServer, testRedirects } from '../support/redirects.ts';
import { readMail, type SmtpServer, startSmtpServer } from '../support/smtp.ts';

describe.skipIf(!hasChromium())('a program that asks to be allowed', () => {
  let dashboard: DashboardUnderTest;
  let program: TestHttpServer;
  let smtp: SmtpServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    dashboard = await startDashboard({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}` });
    program = await testRedirects();
  });
  afterAll(async () => {
    await dashboard?.close();
    await program?.close();
    await smtp?.close();
  });

  async function asked(): Promise<string> {
    const clientId = await registerProgram(dashboard, { redirectUris: [program.url] });
    const more = { redirect_uri: program.url, resource: `${dashboard.origin}/mcp`, scope: 'full' };
    return `/oauth/authorize?${askedQuery(clientId, newPkce().challenge, more)}`;
  }

  it('is named with its host and its rights, and gets a code for the pages that are chosen', async () => {
    const owner = await dashboard.owner();
    const { id, slug } = await owner.deploy();
    await owner.deploy();
    const page = await dashboard.open(undefined, await asked());
    await page.getByLabel('API key').fill(owner.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Allow a program');
    await page.getByText('Agent', { exact: true }).waitFor();
    await page.getByText(`a program on this computer (${new URL(program.url).host})`).waitFor();
    await expectAccessible(page);
    await page.getByLabel('What it may do').selectOption({ index: 1 });
    await page.getByLabel('Pages', { exact: true }).selectOption({ label: 'These pages alone' });
    await page.getByLabel(slug).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${program.url}?code=*`);
    expect(new URL(page.url()).searchParams.get('iss')).toBe(dashboard.origin);
    const { grants } = (await owner.get('/grants')).body;
    expect(grants).toEqual([expect.objectContaining({ client: 'Agent', scope: 'read', pages: [id] })]);
    await page.goto(`${dashboard.origin}/dashboard/account`);
    const programs = page.getByRole('region', { name: 'Programs' });
    await programs.getByText('Agent').waitFor();
    await programs.getByRole('button', { name: 'End' }).click();
    await page.getByText('Agent may do nothing any more.').waitFor();
    expect((await owner.get('/grants')).body.total).toBe(0);
  });

  it('is allowed by a person who signs in by mail: the link leads back to what the program asks for', async () => {
    const owner = await dashboard.owner();
    const { email } = (await owner.get('/me')).body;
    const page = await dashboard.open(undefined, await asked());
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await expect.poll(() => smtp.received.length).toBe(1);
    const { raw = Buffer.alloc(0) } = smtp.received.at(-1) ?? {};
    const [link = ''] = /http:\/\/\S+\/session\/mail\/\w+/.exec(readMail(raw).parts[0]?.text ?? '') ?? [];
    const tab = await page.context().newPage();
    await tab.goto(dashboard.origin + new URL(link).pathname);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await heading(tab, 'Allow a program');
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.waitForURL(`${program.url}?code=*`);
    expect(new URL(tab.url()).searchParams.get('state')).toBe('a state');
  });

  it('is denied, and hears of it', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, await asked());
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${program.url}?error=access_denied*`);
    expect((await owner.get('/grants')).body.total).toBe(0);
  });

  it('gets nothing by a click right after another window has gone, such as the second of a double click', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, await asked());
    const allow = page.getByRole('button', { name: 'Allow' });
    await expect.poll(() => allow.getAttribute('aria-disabled')).toBe(null);
    // In one turn, as fast as no person clicks.
    const isSent = await page.evaluate(`new Promise((resolve) => {
      const allow = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Allow');
      dispatchEvent(new Event('blur'));
      dispatchEvent(new Event('focus'));
      allow.click();
      requestAnimationFrame(() => resolve(allow.hasAttribute('aria-busy')));
    })`);
    expect([isSent, (await owner.get('/grants')).body.total]).toEqual([false, 0]);
    await allow.click();
    await page.waitForURL(`${program.url}?code=*`);
  });

  it('cannot frame the question', async () => {
    const { headers } = await fetch(`${dashboard.origin}/dashboard/allow`);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    // A program in a window of its own hears of the answer through its opener.
    expect(headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
  });
});
