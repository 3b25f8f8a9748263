import { beforeAll, describe, expect, it } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { startAgent, textsOf } from '../../support/agent.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';

/*
 * A call that fails tells an agent a sentence of the endpoint, and what to do next.
 */

const service = await testService({ PLAN_LIMITS: 'free:1,unlimited:none' });
const owner = await service.owner();
const { call, errorOf } = await startAgent(service.url, owner.key);

describe('an error', () => {
  beforeAll(async () => void (await owner.deploy({ slug: 'taken' })));

  it.each([
    ['get_page', { id: UNKNOWN_ID }, /^No such page: .* list_pages has the ids and slugs of the pages, list_trash /],
    ['get_page', { id: 'd_\u0000' }, /^No such page/],
    ['get_page', {}, /^id is required: send it as a string\. Correct the arguments, then call the tool again\.$/],
    ['get_page', { id: UNKNOWN_ID, name: 'x' }, /^An argument is not known: get_page takes id\. Correct/],
    ['publish_page', {}, /^html is required: send the page as a string\. Correct/],
    ['publish_page', { html: 'x', slug: 'No' }, /^slug is invalid/],
    [
      'publish_page',
      { html: 'x', slug: 'taken' },
      /^slug is taken: choose another, or leave it out\. Then call the tool again\.$/,
    ],
    ['publish_page', { html: '\ud800' }, /^html has a lone surrogate/],
    ['list_pages', { page: 0 }, /^page is invalid/],
    ['list_pages', { limit: {} }, /^limit is invalid/],
    ['list_pages', { max_chars: 100 }, /^max_chars is invalid: send a whole number from 2000 to 2097152\. Correct/],
    ['list_pages', { next: 2 }, /^next is invalid: send that of the answer before/],
    ['list_pages', { next: 'skip=3' }, /^An argument is not known/],
    [
      'restore_version',
      { version: 7 },
      /^No such version: choose one that list_versions lists\. list_pages has the pages, /,
    ],
    ['restore_page', {}, /^No such deleted page: choose one that list_trash lists\. list_pages has /],
    ['submit_test', { fields: { n: 1 } }, /^fields is invalid: send an object/],
    ['release_spam', { submission_id: 'sub_x' }, /^No such spam: .* list_spam has what can be released\.$/],
    ['wait_for_submission', { wait: 31 }, /^wait is invalid: send a whole number from 0 to 30/],
    ['wait_for_submission', { cursor: 'x' }, /^cursor is invalid/],
    ['search_submissions', { q: 'x'.repeat(201) }, /^q is too long/],
    ['get_stats', { from: 'x' }, /^from is invalid: send a time such as \S+ or a day such as 2026-11-22\. Correct/],
    ['get_stats', { by: 'week' }, /^by is invalid/],
    ['add_webhook', { url: 'ftp://example.org' }, /^url is invalid/],
    ['add_webhook', { url: 'http://10.0.0.1/' }, /^url is an address that webhooks may not reach/],
    ['add_webhook', { url: 'https://example.org', type: 'x' }, /^type is invalid/],
    ['list_deliveries', { webhook_id: 'wh_x' }, /^No such webhook: .* list_webhooks has the ids/],
  ])('of %s with %j says what to do', async (name, args, text) => {
    const takesId = !['publish_page', 'list_pages', 'get_page'].includes(name);
    const { id } = takesId ? await owner.deploy() : { id: '' };
    expect(await errorOf(name, { ...(takesId && { id }), ...args })).toMatch(text);
  });

  it('is the same for the page of another owner', async () => {
    const { id } = await (await service.owner()).deploy();
    for (const name of ['get_page', 'delete_page', 'list_submissions', 'list_spam', 'submit_test', 'change_settings']) {
      expect(await errorOf(name, { id })).toBe(await errorOf(name, { id: UNKNOWN_ID }));
    }
  });

  it('refuses a change to a key that may only read', async () => {
    const { id } = await owner.deploy({ html: 'old' });
    const { body } = await owner.post('/keys').send({ name: 'agent', scope: 'read' }).expect(201);
    const reader = await startAgent(service.url, body.key);
    for (const [name, args] of [
      ['publish_page', { html: 'new' }],
      ['update_page', { id, html: 'new' }],
    ] as const) {
      expect(await reader.errorOf(name, args)).toMatch(
        /^This API key may only read: use a key with the scope full\. Ask the user to do that\.$/,
      );
    }
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: 'old' });
  });

  it('says why a page that was taken down accepts no test', async () => {
    const { id } = await owner.deploy();
    await takeDown(service.db, id, 'a reason');
    const notice = expect.stringMatching(/^The operator has taken this page down/);
    expect(textsOf(await call('submit_test', { id }))).toEqual([expect.stringMatching(/^No such page/), notice]);
  });

  it("says that the plan's limit is reached", async () => {
    const small = await service.owner({ plan: 'free' });
    await small.deploy();
    const other = await startAgent(service.url, small.key);
    expect(await other.errorOf('publish_page', { html: 'x' })).toMatch(
      /^Your plan \(free\) allows 1 page: delete one, or ask the operator for a larger plan\. Ask the user to do that\.$/,
    );
  });
});
