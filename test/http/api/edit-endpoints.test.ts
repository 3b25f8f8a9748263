import { describe, expect, it } from 'vitest';
import { startAgent } from '../../support/agent.ts';
import { answer } from '../../support/answers.ts';
import { getPage, testService } from '../../support/test-service.ts';

const MAX_HTML_BYTES = 2_000;

/** More than a body with settings has. */
const LONG = 'é'.repeat(200 * 1024);

const service = await testService({ MAX_HTML_BYTES: String(MAX_HTML_BYTES) });
const owner = await service.owner();
const { answerOf, errorOf } = await startAgent(service.url, owner.key);

const FORM =
  '<!doctype html><title>Fair</title><form method="post" action="{{FORM_ACTION}}"><input name="email"><button>Send</button></form>';

/** The connections of the service that wait for a lock. */
const LOCK_WAITS = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

const edit = (find: string, replace: string) => ({ find, replace });
const send = (id: string, edits: unknown, ifMatch?: string) => {
  const request = owner.patch(`/deploy/${id}/html`);
  return (ifMatch === undefined ? request : request.set('If-Match', ifMatch)).send({ edits });
};
const read = (id: string) => owner.get(`/deploy/${id}/html`).expect(200);
const htmlOf = async (id: string): Promise<string> => (await read(id)).body.html;

describe('PATCH /deploy/:id/html', () => {
  it('makes all edits of the HTML before it, as one version, which is live at once', async () => {
    const page = await owner.deploy({ html: '<p>one two three', files: { 'a.css': 'a' } });
    const edited = await send(page.id, [edit('two', 'one $& {{FORM_ACTION}}'), edit('one', 'two')]).expect(200);
    expect(edited.body).toEqual(page);
    const html = '<p>two one $& {{FORM_ACTION}} three';
    const { body, headers } = await read(page.id);
    expect([body.html, headers.etag]).toEqual([html, edited.headers.etag]);
    expect((await getPage(service.url, page.slug)).text).toBe(
      html.replace('{{FORM_ACTION}}', `http://api.test/submit/${page.id}`),
    );
    const { versions } = (await owner.get(`/deploy/${page.id}/versions`)).body;
    expect(versions.length).toBe(2);
    expect((await owner.get(`/deploy/${page.id}/files`)).body.files.length).toBe(2);
  });

  it('changes nothing where a text does not occur once, or two overlap, and says all that is wrong', async () => {
    const html = '<p>one one two';
    const { id } = await owner.deploy({ html });
    const refused = await owner
      .patch(`/deploy/${id}/html`)
      .set('Accept', 'application/problem+json')
      .send({ edits: [edit('two', '2'), edit('one', '1'), edit('three', '3'), edit('e two', '')] })
      .expect(400);
    expect(refused.body.errors).toEqual([
      {
        ...{ pointer: '/edits/1/find', code: 'not-allowed' },
        detail: 'edits.1.find occurs 2 times: send more of the text around it, so that it occurs once.',
      },
      {
        ...{ pointer: '/edits/2/find', code: 'unknown-value' },
        detail: 'edits.2.find occurs 0 times: send a text exactly as GET /deploy/:id/html returns it.',
      },
      {
        ...{ pointer: '/edits/0/find', code: 'conflict' },
        detail: 'edits.0.find overlaps with edits.3.find: make one edit of both.',
      },
    ]);
    expect(await htmlOf(id)).toBe(html);
    expect((await owner.get(`/deploy/${id}/versions`)).body.total).toBe(1);
  });

  it.each([
    [undefined, 'edits is invalid: send a list of {find, replace}, both texts.'],
    [[], 'edits is empty: send at least one.'],
    [Array(101).fill(edit('a', 'b')), 'edits is too long: send at most 100.'],
    [['a'], 'edits is invalid: send a list of {find, replace}, both texts.'],
    [[{ find: 'p' }], 'edits is invalid: send a list of {find, replace}, both texts.'],
    [[edit('', 'x')], 'edits has an empty find: send a text that is in the page.'],
    [[{ find: 'p', replace: '\ud83d' }], 'edits has a lone surrogate: send well-formed Unicode.'],
    [[edit('<p>', '')], 'Nothing of the page would be left: delete the deployment instead.'],
  ])('refuses the edits %j', async (edits, error) => {
    const { id } = await owner.deploy({ html: '<p>' });
    expect(answer(await send(id, edits))).toEqual({ status: 400, body: { error } });
    expect(await htmlOf(id)).toBe('<p>');
  });

  it('refuses a page that would be too large', async () => {
    const { id } = await owner.deploy({ html: '<p>' });
    const rest = 'é'.repeat(MAX_HTML_BYTES / 2 - 1);
    expect(answer(await send(id, [edit('p', `${rest}p`)]))).toEqual({
      status: 413,
      body: { error: 'The page would be too large: it may have at most 2000 bytes.' },
    });
    await send(id, [edit('<p>', `${rest}<p`)]).expect(200);
  });

  it('edits only what If-Match names', async () => {
    const { id } = await owner.deploy({ html: '<p>one' });
    await send(id, [edit('one', 'two')], '"other"').expect(412);
    const { etag = '' } = (await read(id)).headers;
    await send(id, [edit('one', 'two')], etag).expect(200);
    await send(id, [edit('two', 'three')], etag).expect(412);
    expect(await htmlOf(id)).toBe('<p>two');
  });

  it.each([
    ['keeps a change by somebody else at the same moment', '<p>one TWO', 200, '<p>ONE TWO'],
    ['is refused after a change by somebody else that took the text away', '<p>two', 400, '<p>two'],
  ])('%s', async (_, meanwhile, status, html) => {
    const { id } = await owner.deploy({ html: '<p>one two' });
    // The edit has read the page, and waits for this transaction before it is stored.
    const transaction = await service.db.transaction();
    await transaction('pages')
      .where({ deployment_id: id })
      .update({ html: Buffer.from(meanwhile) });
    const editing = send(id, [edit('one', 'ONE')]).then((response) => response);
    const waiting = async () => (await service.db.raw(LOCK_WAITS)).rows.length;
    await expect.poll(waiting).toBe(1);
    await transaction.commit();
    const { status: answered } = await editing;
    expect(answered).toBe(status);
    expect(await htmlOf(id)).toBe(html);
  });
});

describe('a page that is longer than settings', async () => {
  const large = await testService({ MAX_HTML_BYTES: '1000000' });
  const author = await large.owner();
  const agent = await startAgent(large.url, author.key);
  const make = () => author.deploy({ html: '<p>one' });
  const htmlOfLarge = async (id: string) => (await author.get(`/deploy/${id}/html`)).body.html;

  it('is made by an edit, and edited', async () => {
    const { id } = await make();
    await author
      .patch(`/deploy/${id}/html`)
      .send({ edits: [edit('one', LONG)] })
      .expect(200);
    expect(await htmlOfLarge(id)).toBe(`<p>${LONG}`);
    await author
      .patch(`/deploy/${id}/html`)
      .send({ edits: [edit(LONG, 'two')] })
      .expect(200);
    expect(await htmlOfLarge(id)).toBe('<p>two');
  });

  it.each([false, true])('is made by edit_page, with edits as a text: %s', async (asText) => {
    const { id } = await make();
    const edits = [edit('one', LONG), edit('<p>', '<b>')];
    await agent.answerOf('edit_page', { id, edits: asText ? JSON.stringify(edits) : edits });
    expect(await htmlOfLarge(id)).toBe(`<b>${LONG}`);
  });

  it('is refused where it would be too large', async () => {
    const { id } = await make();
    const edits = [edit('one', 'x'.repeat(1_000_000))];
    const error = 'The page would be too large: it may have at most 1000000 bytes.';
    expect(answer(await author.patch(`/deploy/${id}/html`).send({ edits }))).toEqual({ status: 413, body: { error } });
    expect(await agent.errorOf('edit_page', { id, edits })).toBe(error);
  });
});

describe('edit_page', () => {
  it('edits a page, and returns the problems of its forms', async () => {
    const { id, url, slug } = await owner.deploy({ html: FORM });
    const misspelt = await answerOf('edit_page', { id: slug, edits: [edit('{{FORM_ACTION}}', '{{form_action}}')] });
    expect(misspelt).toEqual({ id, url, slug, problems: [expect.objectContaining({ code: 'placeholder-misspelt' })] });
    // Some clients send a list as its text.
    const edits = JSON.stringify([edit('{{form_action}}', '{{FORM_ACTION}}'), edit('Fair', 'Ada’s fair')]);
    expect(await answerOf('edit_page', { id, edits })).toMatchObject({ id, problems: [] });
    expect(await htmlOf(id)).toBe(FORM.replace('Fair', 'Ada’s fair'));
  });

  it('says which text occurs how often', async () => {
    const { id } = await owner.deploy({ html: FORM });
    expect(await errorOf('edit_page', { id, edits: [edit('Fair', 'F'), edit('form', 'f'), edit('Fare', '')] })).toBe(
      'edits.1.find occurs 2 times: send more of the text around it, so that it occurs once. ' +
        'edits.2.find occurs 0 times: send a text exactly as get_html returns it. ' +
        'Correct the arguments, then call the tool again.',
    );
    expect(await errorOf('edit_page', { id })).toMatch(/^edits is invalid: send a list of \{find, replace\}/);
    expect(await errorOf('edit_page', { id, edits: 'x' })).toMatch(/^edits is invalid/);
    expect(await errorOf('edit_page', { id, edits: [], html: '' })).toMatch(
      /^An argument is not known: edit_page takes id, edits\./,
    );
    expect(await htmlOf(id)).toBe(FORM);
  });
});
