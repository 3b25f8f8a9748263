import { expect, it, vi } from 'vitest';
import { startAgent, textsOf } from '../../support/agent.ts';
import { confirmPath, mailsWith } from '../../support/mail.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { getPage, JSON_TYPE, testService } from '../../support/test-service.ts';

/*
 * An agent does this for a user from the first page on, with nothing but the tools.
 */

const PATIENCE = { timeout: 60_000 };

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const { call, answerOf } = await startAgent(service.url, owner.key);

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
