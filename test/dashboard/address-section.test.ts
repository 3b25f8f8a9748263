import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_LIMITS } from '../../src/dashboard/dashboard-limits.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';
import { startDnsServer } from '../support/dns-server.ts';

/* Settings, Address: the domains of a page, as an owner who has a DNS provider adds them. */

const { checkIntervalMs } = DASHBOARD_LIMITS.domains;

describe.skipIf(!hasChromium())('the dashboard, Address', () => {
  let dashboard: DashboardUnderTest;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  beforeAll(async () => {
    dns = await startDnsServer();
    dashboard = await startDashboard({ DNS_SERVERS: dns.address });
  });
  afterAll(() => dashboard?.close());

  /** The settings of a page, in which the clock is moved. */
  async function opened(...options: [Parameters<DashboardUnderTest['open']>[2]?]) {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy();
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, ...options);
    await page.clock.install();
    await page.reload();
    await openSections(page, 'Domains');
    const domains = async () => (await owner.get(`/deploy/${id}/domains`).expect(200)).body.domains;
    async function add(text: string): Promise<void> {
      await page.getByLabel('Add a domain').fill(text);
      await page.getByRole('button', { name: 'Add domain' }).click();
    }
    return { page, domains, add };
  }

  it('adds a domain, says what DNS lacks, sees that it becomes live, and removes it, on a phone', async () => {
    const { page, domains, add } = await opened({ ...PHONE, colorScheme: 'dark' });
    await add(' https://Forms.Shop.Example:8443/register?x=1 ');
    await page.getByText('The TXT record of _formhost.forms.shop.example is missing: DNS answered NXDOMAIN.').waitFor();
    expect(await page.getByLabel('Add a domain').inputValue()).toBe('');
    await page.getByLabel('Where you manage the domain').selectOption('Namecheap');
    await page.getByText('Advanced DNS').waitFor();
    await expectAccessible(page);
    const [{ records }] = await domains();
    for (const { type, name, value } of records) {
      for (const [what, text] of [
        ['name', name],
        ['value', value],
      ]) {
        const button = `Copy ${what} of the ${type} record of forms.shop.example`;
        await page.getByRole('button', { name: button }).tap();
        await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text);
      }
      dns.replies.set(`${type} ${name}`, [value]);
    }
    await page.clock.fastForward(checkIntervalMs);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('is missing').count()).toBe(0);
    await page.locator('summary', { hasText: 'DNS records' }).tap();
    expect(await page.locator('.dns-record .badge').allInnerTexts()).toEqual(['Found', 'Found']);
    const open = page.getByRole('link', { name: 'Open forms.shop.example' });
    expect(await open.getAttribute('href')).toBe(dashboard.origin.replace('localhost', 'forms.shop.example'));
    await page.getByRole('button', { name: 'Remove forms.shop.example' }).tap();
    await page.getByText('forms.shop.example is removed.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Dismiss' }).tap();
    await expect.poll(domains).toEqual([]);
  });

  it('says at the field why a domain is refused, and shows its letters in place of xn--', async () => {
    const { page, add } = await opened();
    await add('co.uk');
    await page.getByRole('alert').getByText('The domain is a public suffix').waitFor();
    await add('müller.example');
    await page.getByText('müller.example', { exact: true }).waitFor();
    await page.getByText('xn--mller-kva.example · Checked').waitFor();
    await page.getByText('ALIAS record', { exact: true }).waitFor();
  });

  it('says in the language of the person what DNS lacks', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy();
    for (const domain of ['fair.example', 'www.fair.example']) {
      await owner.post(`/deploy/${id}/domains`).send({ domain }).expect(201);
      await owner.post(`/deploy/${id}/domains/${domain}/check`).expect(200);
    }
    const [apex] = (await owner.get(`/deploy/${id}/domains`).expect(200)).body.domains;
    const [, target = ''] = / record to (\S+),/.exec(apex.problem) ?? [];
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, { ...PHONE, locale: 'ar' });
    const { dns: said, domains } = textsOf('ar').settings;
    await openSections(page, domains.title);
    const filled = (text: string, domain: string): string =>
      text.replace('{domain}', domain).replace('{answer}', 'NXDOMAIN').replace('{target}', target);
    const { sentences } = said;
    for (const text of [
      ...[filled(sentences['no-record-apex'], 'fair.example'), filled(sentences['no-record'], 'www.fair.example')],
      filled(sentences['alias-value'], ''),
    ]) {
      await page.getByText(text, { exact: true }).waitFor();
    }
    await expect.poll(() => page.getByText(filled(sentences['proof-missing'], '')).count()).toBe(2);
    const direction = page.evaluate(
      `getComputedStyle([...document.querySelectorAll('code')].find((one) => one.textContent === '_formhost.fair.example')).direction`,
    );
    expect(await direction).toBe('ltr');
    await expectAccessible(page);
  });

  it('checks the domains that wait in turn, while the page is seen', async () => {
    const { page, add } = await opened();
    const waiting = ['one.shop.example', 'two.shop.example'];
    for (const domain of waiting) {
      await add(domain);
      await page.getByText(`_formhost.${domain} is missing`).waitFor();
    }
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`);
    await hide(true);
    const checks = new Set<string>();
    page.on('request', (request) => {
      const [, domain] = /domains\/(.*)\/check$/.exec(request.url()) ?? [];
      if (domain !== undefined) checks.add(domain);
    });
    await page.clock.fastForward(checkIntervalMs);
    // The browser tells of its requests in their order.
    await page.evaluate(`fetch('/healthz').then(({ status }) => status)`);
    expect([...checks]).toEqual([]);
    await hide(false);
    async function checkedNext(): Promise<string[]> {
      await page.clock.fastForward(checkIntervalMs);
      return [...checks].toSorted();
    }
    await expect.poll(checkedNext).toEqual(waiting);
  });
});
