import { join } from 'node:path';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { allowProgram, sendForm } from '../support/allow-program.ts';
import { answer } from '../support/answers.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { backedUp, formhost, restored } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { readMail, testSmtpServer } from '../support/smtp.ts';
import { asOwner, BASE_URL, getPage, type Owner, PAGES_DOMAIN, testService } from '../support/test-service.ts';

const GUEST = 'guest@backup.example';
const DRAFT = '<h1>é\0</h1>';
const OWN = { Origin: BASE_URL };

const smtp = await testSmtpServer();
const settings = { SMTP_URL: smtp.url, ANONYMOUS_HOURS: '24', ADMIN_EMAILS: 'ada@backup.example' };
const before = await testService(settings);
const ada = await before.owner({ email: 'ada@backup.example' });

/** The path in an address of the API. */
const pathOf = (url: string): string => url.replace(BASE_URL, '');

async function invitation(): Promise<string> {
  const mails = () => smtp.received.filter(({ to }) => to.includes(GUEST));
  await vi.waitFor(() => expect(mails().length).toBe(1), 60_000);
  const [mail] = mails();
  const { text = '' } = readMail(mail?.raw ?? Buffer.alloc(0)).parts[0] ?? {};
  return /\/invitations\/[0-9A-Za-z]{43}/.exec(text)?.[0] ?? '';
}

/** One of each that a person or a program has been given; the secrets are the paths and tokens. */
async function give() {
  const { id, slug } = await ada.deploy({
    html: '<form method="post" action="{{FORM_ACTION}}"><input name="a"></form>',
  });
  await before.submit(id, '{"a":"Grace wrote this"}');
  await ada.post(`/deploy/${id}/guests`).send({ email: GUEST, role: 'editor' }).expect(201);
  const { body: share } = await ada.post(`/deploy/${id}/shares`).send({}).expect(201);
  const { body: feed } = await ada.post(`/deploy/${id}/feeds`).send({ name: 'Sheet' }).expect(201);
  const { body: preview } = await ada.put(`/deploy/${id}?preview=1`).send({ html: '<h1>Next' }).expect(200);
  await ada.put(`/deploy/${id}/draft`).send({ html: DRAFT, etag: '"1"' }).expect(200);
  const { tokens, clientId } = await allowProgram(before, ada, { scope: 'publish' });
  const { body: unclaimed } = await before.anonymous.post('/publish').send({ html: '<h1>Mine' }).expect(201);
  return {
    ...{ id, slug, tokens, clientId, unclaimed },
    ...{ share: pathOf(share.url), feed: pathOf(feed.url), invitation: await invitation() },
    preview: String(new URL(preview.preview_url).host.split('.')[0]),
  };
}

const given = await give();

/** What an owner reads of all of it; times of use differ, because reading is a use. */
async function readAll(owner: Owner) {
  const { id } = given;
  const paths = [
    `/deploy/${id}/guests`,
    `/deploy/${id}/shares`,
    `/deploy/${id}/draft`,
    `/deploy/${id}/versions`,
    '/audit',
  ];
  const all = await Promise.all(
    [...paths, `/deploy/${id}/feeds`, '/grants', '/admin/audit'].map((path) => owner.get(path)),
  );
  return JSON.parse(JSON.stringify(all.map(answer), (name, value) => (/^last_\w+_at$/.test(name) ? '' : value)));
}

async function restoreElsewhere() {
  const file = join(await emptyFolder(), 'all.backup');
  const target = await testDatabase(emptyDatabase);
  const run = (name: string, url: string) => formhost(['admin', name, file], { settings: { DATABASE_URL: url } });
  expect(await run('backup', before.databaseUrl)).toEqual(backedUp);
  expect(await run('restore', target.url)).toEqual(restored);
  return testService(settings, { ...target, drop: async () => {} });
}

describe('after a restore', async () => {
  const seen = await readAll(ada);
  const after = await restoreElsewhere();
  const owner = asOwner(after.url, ada.key);

  it('an owner reads guests, shares, feeds, drafts, previews, grants and the audit as they were', async () => {
    expect(seen.map(({ status }: { status: number }) => status)).toEqual(seen.map(() => 200));
    expect(seen[2].body.html).toBe(DRAFT);
    expect(seen[4].body.total).toBeGreaterThan(5);
    expect(await readAll(owner)).toEqual(seen);
  });

  it('the addresses of a share, a feed and a preview work', async () => {
    for (const path of [given.share, given.feed]) {
      const { status, text } = await after.anonymous.get(path);
      expect([status, text]).toEqual([200, expect.stringContaining('Grace wrote this')]);
    }
    const { text } = await getPage(after.url, given.preview);
    expect(text).toContain('<h1>Next');
  });

  it('an invitation signs its guest in, once, who reads the page', async () => {
    const { status, headers } = await after.anonymous.post(given.invitation).set(OWN).redirects(0);
    expect([status, headers.location]).toEqual([303, `/dashboard/pages/${given.id}`]);
    const cookie = String(headers['set-cookie']).replace(/;.*/, '');
    const session = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
    const { body } = await request(after.url).get(`/submissions/${given.id}`).set(session).expect(200);
    expect(body.submissions).toMatchObject([{ data: { a: 'Grace wrote this' } }]);
    const { body: list } = await owner.get(`/deploy/${given.id}/guests`).expect(200);
    expect(list.guests).toMatchObject([{ email: GUEST, role: 'editor', accepted_at: expect.any(String) }]);
    expect((await after.anonymous.post(given.invitation).set(OWN)).status).toBe(404);
  });

  it('a program goes on with its tokens, and gets new ones', async () => {
    const program = asOwner(after.url, given.tokens.access_token);
    expect((await program.get('/me').expect(200)).body.email).toBe('ada@backup.example');
    const form = { grant_type: 'refresh_token', client_id: given.clientId, refresh_token: given.tokens.refresh_token };
    const { body } = await sendForm(after, '/oauth/token', form);
    expect((await asOwner(after.url, body.access_token).get('/me')).status).toBe(200);
    // A refresh token that is used twice still ends the grant.
    expect((await sendForm(after, '/oauth/token', form)).status).toBe(400);
    expect((await asOwner(after.url, body.access_token).get('/me')).status).toBe(401);
  });

  it('a page that nobody had claimed is claimed', async () => {
    const { id, slug, url, claim_url: address } = given.unclaimed;
    expect((await getPage(after.url, slug)).text).toContain('Published without an account');
    const claimed = await owner.post('/claims').send({ token: address.slice(-43) });
    expect(answer(claimed)).toEqual({ status: 200, body: { id, url, slug } });
    expect((await owner.get(`/deploy/${id}`)).body.url).toBe(`https://${slug}.${PAGES_DOMAIN}`);
  });
});
