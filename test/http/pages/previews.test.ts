import { describe, expect, it } from 'vitest';
import { getPage, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService({ PAGE_VERSIONS: '3' });
const owner = await service.owner();
const FORM = '<title>Fair</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>';
const PREVIEW_URL = new RegExp(`^https://preview-[a-z]{26}\\.${PAGES_DOMAIN}$`);

type Previewed = { version: number; preview_url: string };
/** The first label of the host of a preview. */
const labelOf = ({ preview_url }: Previewed): string => new URL(preview_url).host.split('.')[0] ?? '';

async function preview(id: string, body: object): Promise<Previewed & { label: string }> {
  const { body: made } = await owner.put(`/deploy/${id}?preview=1`).send(body).expect(200);
  return { ...made, label: labelOf(made) };
}
const status = async (slug: string): Promise<number> => (await getPage(service.url, slug)).status;
const versionsOf = async (id: string) => (await owner.get(`/deploy/${id}/versions`).expect(200)).body.versions;
const searched = async (id: string) => (await owner.get(`/submissions/${id}/search`).expect(200)).body.submissions;

describe('PUT /deploy/:id?preview=1', () => {
  it('puts the page at a secret address, and leaves the live one and the list of submissions as they are', async () => {
    const { id, slug, url } = await owner.deploy({ html: '<h1>Live</h1>' });
    const { etag } = (await owner.get(`/deploy/${id}/html`)).headers;
    const { body } = await owner.put(`/deploy/${id}?preview=1`).send({ html: '<h1>Next</h1>' }).expect(200);
    expect(body).toEqual({ id, url, slug, version: 2, preview_url: expect.stringMatching(PREVIEW_URL) });
    const shown = await getPage(service.url, labelOf(body));
    expect([shown.status, shown.text, shown.headers['x-robots-tag']]).toEqual([200, '<h1>Next</h1>', 'noindex']);
    const live = await getPage(service.url, slug);
    expect([live.status, live.text, live.headers['x-robots-tag']]).toEqual([200, '<h1>Live</h1>', undefined]);
    expect((await owner.get(`/deploy/${id}/html`)).headers.etag).toBe(etag);
    expect(
      (await versionsOf(id)).map(({ version, live, preview }: Record<string, unknown>) => [version, live, preview]),
    ).toEqual([
      [2, false, true],
      [1, true, undefined],
    ]);
    const other = await preview(id, { html: '<h1>Other</h1>' });
    expect(other.label).not.toBe(labelOf(body));
    expect(other.version).toBe(3);
  });

  it('shows its forms as tools where the settings say so', async () => {
    const { id } = await owner.deploy({ html: FORM });
    await owner.change(id, { form_tools: true });
    const { label } = await preview(id, { html: FORM });
    expect((await getPage(service.url, label)).text).toMatch(/<form toolname="[^"]+" tooldescription="[^"]+" /);
    await owner.change(id, { form_tools: false });
    const { label: plain } = await preview(id, { html: FORM });
    expect((await getPage(service.url, plain)).text).not.toContain('toolname');
  });

  it('becomes live when its version is restored, with its files', async () => {
    const { id, slug } = await owner.deploy({ html: 'a', files: { 'a.css': 'a{}', 'b.css': 'b{}' } });
    const kept = await preview(id, { html: 'b' });
    const replaced = await preview(id, { html: 'c', files: { 'c.css': 'c{}' } });
    const file = (label: string, path: string) => service.anonymous.get(path).set('Host', `${label}.${PAGES_DOMAIN}`);
    expect((await file(kept.label, '/b.css').expect(200)).text).toBe('b{}');
    expect((await file(replaced.label, '/c.css').expect(200)).headers['x-robots-tag']).toBe('noindex');
    expect([(await file(replaced.label, '/a.css')).status, (await file(slug, '/c.css')).status]).toEqual([404, 404]);
    await owner.post(`/deploy/${id}/versions/${replaced.version}/restore`).expect(200);
    expect([(await getPage(service.url, slug)).text, (await file(slug, '/c.css')).status]).toEqual(['c', 200]);
    const live = (await versionsOf(id)).find((one: { live: boolean }) => one.live);
    expect(live.version).toBe(4);
    expect(await status(kept.label)).toBe(200);
  });

  it('sends tests from its forms, by each of their addresses, whatever the settings say', async () => {
    const { id } = await owner.deploy({ html: FORM });
    await owner.change(id, { allowed_origins: ['https://example.org'], closes_at: '2020-01-01T00:00:00Z' });
    const { label, preview_url, version } = await preview(id, { html: FORM });
    const { text } = await getPage(service.url, label);
    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
    const path = new URL(action).pathname;
    const send = (to: string, host?: string) => {
      const request = service.anonymous.post(to).set('Origin', preview_url).type('form');
      return (host === undefined ? request : request.set('Host', host)).send('email=ada%40example.org');
    };
    await send(path).expect(200);
    await send('/', `${label}.${PAGES_DOMAIN}`).expect(200);
    // The page may have the address of the live form in it.
    const { body } = await send(`/submit/${id}`).expect(200);
    const browser = await send('/', `${label}.${PAGES_DOMAIN}`).set('Accept', 'text/html');
    expect([browser.status, browser.headers.location]).toEqual([303, '/thanks']);
    const found = await searched(id);
    expect(found).toHaveLength(4);
    for (const one of found) {
      expect(one).toMatchObject({ test: true, page_version: version, data: { email: 'ada@example.org' } });
    }
    expect(found.map((one: { id: string }) => one.id)).toContain(body.id);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(0);
    // Another site's form is closed all the same, and an address that was guessed is none.
    const stray = await service.anonymous
      .post(`/submit/${id}`)
      .set('Origin', 'https://example.org')
      .type('form')
      .send('a=1');
    expect(stray.status).toBe(403);
    expect(
      (
        await service.anonymous
          .post(`/submit/preview-${'a'.repeat(26)}`)
          .type('form')
          .send('a=1')
      ).status,
    ).toBe(404);
  });

  it('sends a submission to another page as that one accepts it', async () => {
    const { id } = await owner.deploy({ html: FORM });
    const { id: other } = await owner.deploy({ html: FORM });
    const { preview_url } = await preview(id, { html: FORM });
    await service.anonymous.post(`/submit/${other}`).set('Origin', preview_url).type('form').send('a=1').expect(200);
    expect((await owner.get(`/submissions/${other}`)).body.total).toBe(1);
    expect(await searched(id)).toEqual([]);
  });

  it('takes at most 20 tests a minute', async () => {
    const { id } = await owner.deploy({ html: FORM });
    const { label } = await preview(id, { html: FORM });
    const send = async () => (await service.anonymous.post(`/submit/${label}`).type('form').send('a=1')).status;
    const answers = await Promise.all(Array.from({ length: 21 }, send));
    expect(answers.filter((one) => one === 429)).toHaveLength(1);
  });

  it('takes each body of PUT, no other value, and If-Match', async () => {
    const { id, slug } = await owner.deploy();
    for (const query of ['preview=0', 'preview=true', 'preview=', 'preview=1&preview=1']) {
      const { status, body } = await owner.put(`/deploy/${id}?${query}`).send({ html: 'x' });
      expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^preview /)]);
    }
    const html = await owner.put(`/deploy/${id}?preview=1`).type('text/html').send('<p>html').expect(200);
    expect((await getPage(service.url, labelOf(html.body))).text).toBe('<p>html');
    const form = await owner.put(`/deploy/${id}?preview=1`).attach('file', Buffer.from('<p>file'), 'index.html');
    expect((await getPage(service.url, labelOf(form.body))).text).toBe('<p>file');
    const stale = owner.put(`/deploy/${id}?preview=1`).set('If-Match', `"${'0'.repeat(64)}"`);
    expect((await stale.send({ html: 'x' })).status).toBe(412);
    expect((await owner.put(`/deploy/${id}?preview=1`).send({})).status).toBe(400);
    const stranger = await service.owner();
    expect((await stranger.put(`/deploy/${id}?preview=1`).send({ html: 'x' })).status).toBe(404);
    expect((await getPage(service.url, slug)).text).toBe('<h1>Hello</h1>');
  });

  it('keeps the last PAGE_VERSIONS previews, and as many versions that were live', async () => {
    const { id } = await owner.deploy({ html: 'v1' });
    const first = await preview(id, { html: 'p', files: { 'a.css': 'a' } });
    for (const html of ['v2', 'v3', 'v4', 'v5']) await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    expect(await status(first.label)).toBe(200);
    const later = [
      await preview(id, { html: 'q' }),
      await preview(id, { html: 'r' }),
      await preview(id, { html: 's' }),
    ];
    expect(await status(first.label)).toBe(404);
    expect(await Promise.all(later.map(({ label }) => status(label)))).toEqual([200, 200, 200]);
    const kept = (await versionsOf(id)).filter((one: { preview?: true }) => !one.preview);
    expect(kept).toHaveLength(3);
  });

  it('goes offline with the page, and comes back with it', async () => {
    const { id } = await owner.deploy();
    const { label } = await preview(id, { html: 'next' });
    expect(await status(label)).toBe(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await status(label)).toBe(404);
    await owner.post(`/trash/${id}/restore`).send({}).expect(200);
    expect(await status(label)).toBe(200);
  });

  it('has a host that no page gets', async () => {
    const slug = `preview-${'a'.repeat(26)}`;
    const { status: refused, body } = await owner.post('/deploy').send({ html: 'x', slug });
    expect([refused, body.error]).toEqual([400, expect.stringContaining('slug is reserved')]);
    expect((await owner.deploy({ slug: 'preview-of-summer' })).slug).toBe('preview-of-summer');
  });

  it('leaves the version of submissions as it was', async () => {
    const { id } = await owner.deploy({ html: FORM });
    await preview(id, { html: 'x' });
    await service.submit(id);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: `${FORM}2` })
      .expect(200);
    await service.submit(id);
    expect((await searched(id)).map((one: { page_version: number }) => one.page_version)).toEqual([3, 1]);
  });
});
