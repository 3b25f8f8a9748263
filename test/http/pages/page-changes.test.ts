import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { restore, takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { troubledPostgres } from '../../support/postgres-proxy.ts';
import { asOwner, getPage, type Owner, testService } from '../../support/test-service.ts';

const service = await testService();
const proxy = await troubledPostgres(service.databaseUrl);
afterAll(() => proxy.close());
/** Another process' worth, which reaches Postgres through the proxy. */
const other = await service.another({ DATABASE_URL: proxy.url });
const owner = await service.owner();

beforeEach(() => proxy.make('none'));

/** The page's text that a service shows under a slug, or the status of an error. */
async function look(url: string, slug: string): Promise<string | number> {
  const { status, text } = await getPage(url, slug);
  return status === 200 ? text : status;
}

/** Looks until a service shows what is expected, and then some more. */
async function shows(url: string, slug: string, expected: string | number): Promise<void> {
  await expect.poll(() => look(url, slug)).toBe(expected);
  for (let again = 0; again < 3; again += 1) expect(await look(url, slug)).toBe(expected);
}

/** A page that a service has shown, and so has in its memory. */
async function shown(url: string, html: string): Promise<{ id: string; slug: string }> {
  const deployment = await owner.deploy({ html });
  await shows(url, deployment.slug, html);
  return deployment;
}

const put = (by: Owner, id: string, html: string) => by.put(`/deploy/${id}`).send({ html }).expect(200);

/** Makes every kind of change of pages through `service`, one after another, until each shows at `url`. */
async function everyChange(url: string): Promise<void> {
  const { id, slug } = await shown(url, 'one');
  for (const html of ['two', 'three']) {
    await put(owner, id, html);
    await shows(url, slug, html);
  }
  await takeDown(service.db, id, 'a reason');
  await shows(url, slug, 451);
  await restore(service.db, id);
  await shows(url, slug, 'three');
  await owner.delete(`/deploy/${id}`).expect(200);
  await shows(url, slug, 404);
  const next = await owner.deploy({ slug, html: 'another deployment' });
  await shows(url, slug, 'another deployment');
  await owner.delete(`/deploy/${next.id}`).expect(200);
  await shows(url, slug, 404);
}

describe('a change of a page made in one process', () => {
  it('shows in another: new HTML, a take-down and its end, a deletion, a creation where there was no page', async () => {
    await everyChange(other.url);
  });

  it('shows what was last, when both processes change a page at once', async () => {
    const { id, slug } = await shown(other.url, 'one');
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        put(asOwner(index % 2 ? other.url : service.url, owner.key), id, `version ${index}`),
      ),
    );
    const last = (await owner.get(`/deploy/${id}/html`).expect(200)).body.html;
    await Promise.all([service, other].map(({ url }) => shows(url, slug, last)));
  });
});

describe('while the database is out of reach', () => {
  it.each(['refused', 'hanging'] as const)('a process serves the pages that it has (%s)', async (trouble) => {
    const { id, slug } = await owner.deploy({ html: 'kept' });
    // The process would drop the page once more when it reads the change.
    await service.db('deployment_changes').delete();
    for (const _time of [1, 2]) await asOwner(other.url, owner.key).get('/me').expect(200);
    await shows(other.url, slug, 'kept');
    proxy.make(trouble);
    for (let again = 0; again < 5; again += 1) expect(await look(other.url, slug)).toBe('kept');
    await put(owner, id, 'changed meanwhile');
    proxy.make('none');
    await shows(other.url, slug, 'changed meanwhile');
  });
});
