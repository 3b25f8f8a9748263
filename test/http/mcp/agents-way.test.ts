import { expect, it, vi } from 'vitest';
import { startAgent, textsOf } from '../../support/agent.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import { confirmPath, mailsWith } from '../../support/mail.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { getPage, JSON_TYPE, testService } from '../../support/test-service.ts';

/*
 * An agent does this for a user from the first page on, with nothing but the tools.
 */

const PATIENCE = { timeout: 60_000 };

const smtp = await testSmtpServer();
const dns = await startDnsServer();
const service = await testService({
  ...{ SMTP_URL: smtp.url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DNS_SERVERS: dns.address },
  ANONYMOUS_HOURS: '24',
});
const owner = await service.owner();
const { call, answerOf, errorOf } = await startAgent(service.url, owner.key);

const FORM =
  '<!doctype html><title>Fair</title><form method="post" action="{{FORM_ACTION}}"><input name="email"><button>Send</button></form>';

/** Publishes a page, which is named by its slug from then on. */
async function publish(slug: string): Promise<{ id: string }> {
  await answerOf('publish_page', { html: FORM, slug });
  return { id: slug };
}

it('publishes a page, corrects a line of it, rolls back, takes it offline, and brings it back', async () => {
  const misspelt = FORM.replace('{{FORM_ACTION}}', '{{form_action}}');
  const published = await answerOf('publish_page', { html: misspelt, slug: 'fair' });
  const page = { id: 'fair' };
  expect(published.problems).toMatchObject([{ code: 'placeholder-misspelt' }]);
  const { html } = await answerOf('get_html', page);
  const corrected = html.replace('{{form_action}}', '{{FORM_ACTION}}');
  expect((await answerOf('check_html', { html: corrected })).problems).toEqual([]);
  expect(await answerOf('update_page', { ...page, html: corrected })).toEqual({ ...published, problems: [] });

  await answerOf('update_page', { ...page, html: '<p>Oh no' });
  const { versions } = await answerOf('list_versions', page);
  expect(versions.map(({ version, live }: Record<string, unknown>) => [version, live])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ]);
  await answerOf('restore_version', { ...page, version: 2 });
  expect(await answerOf('get_html', page)).toEqual({ html: corrected, next_offset: null });
  expect((await getPage(service.url, 'fair')).text).toContain(`/submit/${published.id}`);

  const { id } = published;
  expect(await answerOf('delete_page', page)).toEqual({ message: 'Deployment deleted', id });
  expect((await getPage(service.url, 'fair')).status).toBe(404);
  expect((await answerOf('list_trash')).deployments).toMatchObject([{ id, slug: 'fair' }]);
  expect(await answerOf('restore_page', page)).toMatchObject({ id, slug: 'fair' });
  expect(await answerOf('get_html', page)).toEqual({ html: corrected, next_offset: null });
});

it('keeps a page that was published without a key', async () => {
  const published = await service.anonymous.post('/publish').send({ html: FORM }).expect(201);
  const { id, slug, url, claim_url: link } = published.body;
  const token = link.slice(link.lastIndexOf('/') + 1);
  expect(await answerOf('claim_page', { token })).toEqual({ id, slug, url });
  expect((await answerOf('get_page', { id })).slug).toBe(slug);
  expect(await errorOf('claim_page', { token })).toContain('claim');
});

it('sets up mail for others, and tries it out', async () => {
  const page = await publish('mail-fair');
  const recipients = ['ada@example.org'];
  const changed = await call('change_settings', { ...page, email_notifications: true, recipients });
  expect(textsOf(changed).at(-1)).toMatch(/^Not confirmed yet, .*ada@example\.org/);
  const [asked] = await mailsWith(smtp, 'Do you want mail about Fair?', 1);
  if (!asked) throw new Error('No mail');
  await fetch(service.url + confirmPath(asked), { method: 'POST' });
  expect((await answerOf('get_settings', page)).recipients).toEqual([{ email: 'ada@example.org', confirmed: true }]);

  await answerOf('test_mail', page);
  await answerOf('submit_test', { ...page, fields: { email: 'grace@example.org' } });
  await vi.waitFor(async () => {
    const { deliveries } = await answerOf('list_mails', page);
    const states = deliveries.map(({ status }: { status: string }) => status);
    expect(states).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  }, PATIENCE);
  const mails = await mailsWith(smtp, 'New submission for Fair: grace@example.org', 2);
  expect(mails.every(({ text }) => text.includes('email: grace@example.org'))).toBe(true);
});

it('sets up a webhook, tries it out with a sample and a submission, and removes it', async () => {
  const page = await publish('hook-fair');
  const receiver = await startReceiver();
  const { id: webhook_id, ...webhook } = await answerOf('add_webhook', { ...page, url: receiver.url });
  expect(webhook).toEqual({ deployment_id: expect.stringMatching(/^d_/), url: receiver.url, type: 'generic' });
  await answerOf('test_webhook', { ...page, webhook_id });
  const { id: submission_id } = await answerOf('submit_test', { ...page, fields: { email: 'ada@example.org' } });
  await vi.waitFor(async () => {
    const { deliveries } = await answerOf('list_deliveries', { ...page, webhook_id });
    expect(deliveries).toMatchObject([
      { submission_id, status: 'succeeded' },
      { submission_id: null, status: 'succeeded' },
    ]);
  }, PATIENCE);
  expect(receiver.received.length).toBe(2);
  const log = await owner.get(`/webhooks/${webhook.deployment_id}/${webhook_id}/deliveries?limit=1`);
  expect(await answerOf('list_deliveries', { ...page, webhook_id, limit: 1 })).toEqual({
    ...log.body,
    next: 'page=2&limit=1',
  });
  const { submissions } = await answerOf('search_submissions', page);
  expect(submissions).toMatchObject([{ id: submission_id, data: { email: 'ada@example.org' }, test: true }]);

  expect((await answerOf('list_webhooks', page)).webhooks).toMatchObject([{ id: webhook_id, active: true }]);
  await answerOf('remove_webhook', { ...page, webhook_id });
  expect(await answerOf('list_webhooks', page)).toEqual({ webhooks: [] });
});

it('finds spam, and releases what is none', async () => {
  const page = await publish('spam-fair');
  await answerOf('change_settings', { ...page, spam: { blocklist: ['casino'] } });
  const { id } = await answerOf('get_page', page);
  const body = JSON.stringify({ street: 'Casino Street 1' });
  await fetch(`${service.url}/submit/${id}`, { method: 'POST', headers: JSON_TYPE, body });
  const { submissions } = await answerOf('list_spam', page);
  expect(submissions).toMatchObject([{ data: { street: 'Casino Street 1' }, reason: 'blocklist' }]);
  await answerOf('release_spam', { ...page, submission_id: submissions[0].id });
  expect((await answerOf('list_spam', page)).submissions).toEqual([]);
  const { submissions: found } = await answerOf('search_submissions', { ...page, q: 'street' });
  expect(found).toMatchObject([{ id: submissions[0].id }]);
});

it('does the whole job: a site with a corrected line, a preview, a test, a domain, a webhook, new submissions and an export', async () => {
  const html = FORM.replace('<title>', '<link rel="stylesheet" href="css/fair.css"><title>').replace(
    'FORM_ACTION',
    'form_action',
  );
  const files = { 'css/fair.css': 'h1 { color: red }', 'old.txt': 'old' };
  expect((await answerOf('whoami')).scope).toBe('full');
  const { problems } = await answerOf('check_html', { html, files });
  expect(problems).toMatchObject([{ code: 'placeholder-misspelt', severity: 'error' }]);
  const { id, url } = await answerOf('publish_page', { html, files, slug: 'whole-fair' });
  expect(url).toBe('https://whole-fair.pages.test');
  const page = { id };

  const edits = [{ find: '{{form_action}}', replace: '{{FORM_ACTION}}' }];
  expect((await answerOf('edit_page', { ...page, edits })).problems).toEqual([]);
  const { content } = await answerOf('read_page_file', { ...page, path: 'css/fair.css' });
  await answerOf('write_page_file', { ...page, path: 'css/fair.css', content: content.replace('red', 'teal') });
  await answerOf('remove_page_file', { ...page, path: 'old.txt' });
  const { files: left } = await answerOf('list_files', page);
  expect(left.map(({ path }: { path: string }) => path)).toEqual(['index.html', 'css/fair.css']);
  expect((await getPage(service.url, 'whole-fair')).text).toContain(`action="http://api.test/submit/${id}"`);
  expect(await answerOf('read_page_file', { ...page, path: 'css/fair.css' })).toMatchObject({
    content: 'h1 { color: teal }',
  });

  const { html: live } = await answerOf('get_html', page);
  const preview = await answerOf('preview_page', { ...page, html: live.replace('Send', 'Sign up') });
  expect(preview.preview_url).toMatch(/^https:\/\/[a-z-]+\.pages\.test$/);
  expect(await answerOf('get_html', page)).toMatchObject({ html: live });
  await answerOf('restore_version', { ...page, version: preview.version });
  expect((await answerOf('get_html', page)).html).toContain('<button>Sign up</button>');

  const receiver = await startReceiver();
  const { id: webhook_id } = await answerOf('add_webhook', { ...page, url: receiver.url });
  const test = await answerOf('submit_test', { ...page, fields: { email: 'test@example.org' } });
  expect((await answerOf('search_submissions', page)).submissions).toMatchObject([
    { id: test.id, data: { email: 'test@example.org' }, test: true },
  ]);
  await vi.waitFor(async () => {
    const { deliveries } = await answerOf('list_deliveries', { ...page, webhook_id });
    expect(deliveries).toMatchObject([{ submission_id: test.id, status: 'succeeded' }]);
  }, PATIENCE);
  await answerOf('delete_submission', { ...page, submission_id: test.id });
  expect((await answerOf('search_submissions', page)).submissions).toEqual([]);

  const { records } = await answerOf('add_domain', { ...page, domain: 'forms.fair.example' });
  for (const { type, name, value } of records) dns.replies.set(`${type} ${name}`, [value]);
  expect((await answerOf('check_domain', { ...page, domain: 'forms.fair.example' })).status).toBe('live');

  await service.submit(id, '{"email":"ada@example.org"}');
  const { submissions, next } = await answerOf('wait_for_submission', page);
  expect(submissions).toMatchObject([{ data: { email: 'ada@example.org' } }]);
  const [{ id: submission_id }] = submissions;
  await answerOf('mark_submission', { ...page, submission_id, status: 'done', note: 'Welcomed' });
  expect(await answerOf('wait_for_submission', { ...page, next, wait: 0 })).toMatchObject({ submissions: [] });
  const { deployments } = await answerOf('overview', { limit: 1 });
  expect(deployments).toMatchObject([{ id, submission_count: 1, failing_webhooks: 0 }]);
  const exported = await answerOf('export_submissions', page);
  expect(exported).toEqual({
    url: `http://api.test/submissions/${id}/export.csv`,
    csv: (await owner.get(`/submissions/${id}/export.csv`)).text,
    next_offset: null,
  });
  expect(exported.csv).toContain('ada@example.org');
});
