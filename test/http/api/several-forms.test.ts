import { describe, expect, it } from 'vitest';
import { publishSite } from '../../support/publish-site.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { testService } from '../../support/test-service.ts';
import { unzip } from '../../support/zip.ts';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });
const owner = await service.owner();

const field = (name: string, label: string): string => `<label>${label} <input name="${name}"></label>`;
const form = (attributes: string, fields: string): string =>
  `<form method="post" action="{{FORM_ACTION}}" ${attributes}>${fields}<button>Send</button></form>`;
const TWO = `<h1>Fair</h1>${form('name="visit"', field('name', 'Your name') + field('day', 'Day'))}
  ${form('id="stand"', field('name', 'Company') + field('size', 'Size'))}`;

const send = (id: string, fields: Record<string, string>) =>
  service.anonymous.post(`/submit/${id}`).type('form').send(fields).expect(200);
const search = async (id: string, query = '') =>
  (await owner.get(`/submissions/${id}/search${query}`).expect(200)).body.submissions;
const formsOf = async (id: string, query = ''): Promise<(string | null)[]> =>
  (await search(id, query)).map((one: { form: string | null }) => one.form);

/** A page with two forms, and a submission of each, and one of none. */
async function publishTwo(): Promise<string> {
  const { id } = await owner.deploy({ html: TWO });
  await send(id, { name: 'Ada', day: 'Monday' });
  await send(id, { name: 'Eve & Co', size: '3' });
  await send(id, { other: 'x' });
  return id;
}

describe('several forms of a page', () => {
  it('are told apart in search, and by its parameter form', async () => {
    const id = await publishTwo();
    expect(await formsOf(id)).toEqual([null, 'stand', 'visit']);
    expect((await search(id, '?form=stand')).map((one: { data: object }) => one.data)).toEqual([
      { name: 'Eve & Co', size: '3' },
    ]);
    expect([await formsOf(id, '?form=%20visit&q=ada'), await formsOf(id, '?form=stand&q=ada')]).toEqual([
      ['visit'],
      [],
    ]);
    const [visit] = await search(id, '?form=visit');
    await owner.mark(id, 'star', [visit.id]).expect(200);
    expect([await formsOf(id, '?form=visit&starred=true'), await formsOf(id, '?form=stand&starred=true')]).toEqual([
      ['visit'],
      [],
    ]);
    const { body } = await owner.get('/inbox?form=visit').expect(200);
    expect(body.submissions.map((one: { form: string }) => one.form)).toContain('visit');
    expect(new Set(body.submissions.map((one: { form: string }) => one.form)).size).toBe(1);
  });

  it('leave the items of the list as they are', async () => {
    const id = await publishTwo();
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    for (const one of body.submissions) expect(Object.keys(one)).toEqual(['id', 'data', 'ip_address', 'created_at']);
  });

  it('are told apart in a page of a filter that goes on, and in bulk', async () => {
    const id = await publishTwo();
    await send(id, { name: 'Zoe', day: 'Friday' });
    const first = (await owner.get(`/submissions/${id}/search?form=visit&limit=1`).expect(200)).body;
    const next = (await owner.get(`/submissions/${id}/search?form=visit&limit=1&cursor=${first.next_cursor}`)).body;
    expect([first, next].flatMap((page) => page.submissions.map((one: { data: object }) => one.data))).toEqual([
      { name: 'Zoe', day: 'Friday' },
      { name: 'Ada', day: 'Monday' },
    ]);
    const bulk = { action: 'delete', filter: { form: 'visit' } };
    expect((await owner.post(`/submissions/${id}/bulk`).send(bulk).expect(200)).body.done).toBe(2);
    expect(await formsOf(id)).toEqual([null, 'stand']);
  });

  it.each(['', '%20%09', 'x'.repeat(201), 'a&form=b'])('are not looked for by %j', async (value) => {
    const id = await publishTwo();
    await owner.get(`/submissions/${id}/search?form=${value}`).expect(400);
  });

  it('stay with a submission in the trash and among spam, and with tests', async () => {
    const id = await publishTwo();
    const [, stand, visit] = await search(id);
    await owner.mark(id, 'delete', [stand.id]).expect(200);
    await owner.post(`/submissions/${id}/trash/${stand.id}/restore`).expect(200);
    await owner.mark(id, 'spam', [visit.id]).expect(200);
    await owner.post(`/deploy/${id}/spam/${visit.id}/release`).expect(200);
    expect(await formsOf(id)).toEqual(['visit', null, 'stand']);
    await owner.change(id, { spam: { blocklist: ['pills'] } });
    await send(id, { name: 'pills', size: '9' });
    const [spam] = (await owner.get(`/deploy/${id}/spam`).expect(200)).body.submissions;
    await owner.post(`/deploy/${id}/spam/${spam.id}/release`).expect(200);
    await owner
      .post(`/submissions/${id}/test`)
      .send({ fields: { name: 'T', day: 'x' } })
      .expect(200);
    expect(await formsOf(id)).toEqual(['visit', 'stand', 'visit', null, 'stand']);
    expect((await search(id, '?form=visit')).map((one: { test: boolean }) => one.test)).toEqual([true, false]);
  });

  it('stay as they were when the page changes', async () => {
    const id = await publishTwo();
    const html = form('name="only"', field('name', 'Your name') + field('day', 'Day'));
    await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    await send(id, { name: 'Bob', day: 'Friday' });
    expect(await formsOf(id)).toEqual([null, null, 'stand', 'visit']);
    expect((await owner.get(`/deploy/${id}/forms`).expect(200)).body.forms).toEqual([
      { name: 'stand', on_page: false, fields: [] },
      { name: 'visit', on_page: false, fields: [] },
    ]);
  });

  it('are those of a submission with a file, a key, or in JSON', async () => {
    const { id } = await owner.deploy({ html: TWO });
    await service.anonymous
      .post(`/submit/${id}`)
      .field('name', 'A')
      .attach('size', Buffer.from('x'), 'a.txt')
      .expect(200);
    await service.anonymous.post(`/submit/${id}`).set('Idempotency-Key', 'k').send({ name: 'B', day: '1' }).expect(200);
    await service.anonymous
      .post(`/submit/${id}`)
      .send({ name: 'C', size: [1] })
      .expect(200);
    expect(await formsOf(id)).toEqual(['stand', 'visit', 'stand']);
  });

  it('are known to another process, also after a change in this one', async () => {
    const other = await service.another();
    const { id } = await owner.deploy({ html: '<form method="post"><input name="a"></form>' });
    await service.submit(id, '{"name":"Ada","day":"1"}', other.url);
    await owner.put(`/deploy/${id}`).send({ html: TWO }).expect(200);
    await expect
      .poll(async () => {
        await service.submit(id, '{"name":"Ada","day":"1"}', other.url);
        return (await formsOf(id))[0];
      })
      .toBe('visit');
    expect((await formsOf(id)).at(-1)).toBe(null);
  });

  it('are known where the page was not read when it was published', async () => {
    const { id } = await owner.deploy({ html: TWO });
    // So it is after a process has ended between the commit and the reading.
    await service.db('pages').where({ deployment_id: id }).update({ forms: null, forms_version: null });
    await send(id, { name: 'Ada', day: 'Monday' });
    expect(await formsOf(id)).toEqual(['visit']);
  });
});

describe('a page with one form', () => {
  it('has submissions of no form, also where the form is named, and no list of forms', async () => {
    const { id } = await owner.deploy({
      html: form('name="a"', '<input type="hidden" name="form-name" value="a"><input name="x">'),
    });
    await send(id, { 'form-name': 'a', x: '1' });
    expect(await formsOf(id)).toEqual([null]);
    expect((await owner.get(`/deploy/${id}/forms`).expect(200)).body).toEqual({
      forms: [],
      fields: [
        { name: 'form-name', label: null, type: 'hidden' },
        { name: 'x', label: null, type: 'text' },
      ],
    });
    const { text } = await owner.get(`/submissions/${id}/export.csv`).expect(200);
    expect(text.split('\r\n')[0]).toBe('id,created_at,ip_address,x');
  });

  it('has those of other sites by their form-name', async () => {
    const { id } = await owner.deploy({ html: '<p>Inbox' });
    await send(id, { 'form-name': 'rsvp', x: '1' });
    await send(id, { x: '1' });
    expect(await formsOf(id)).toEqual([null, 'rsvp']);
    expect((await owner.get(`/deploy/${id}/forms`).expect(200)).body.forms).toEqual([
      { name: 'rsvp', on_page: false, fields: [] },
    ]);
  });
});

it('a site of Netlify with two forms in two files has an inbox that tells them apart', async () => {
  const netlify = (name: string, fields: string): string =>
    `<form name="${name}" method="POST" data-netlify="true" netlify-honeypot="bot-field" action="/success">
       <input type="hidden" name="form-name" value="${name}"><p hidden><input name="bot-field"></p>${fields}</form>`;
  const { id } = await publishSite(owner, {
    'index.html': netlify('contact', field('email', 'E-mail')),
    'rsvp.html': netlify('rsvp', field('email', 'Your address') + field('guests', 'Guests')),
    'success.html': '<p>Thanks',
  });
  await send(id, { 'form-name': 'rsvp', 'bot-field': '', email: 'a@b.test', guests: '2' });
  await send(id, { 'form-name': 'contact', 'bot-field': '', email: 'c@d.test' });
  expect(await formsOf(id)).toEqual(['contact', 'rsvp']);
  const { forms } = (await owner.get(`/deploy/${id}/forms`).expect(200)).body;
  expect(forms.map((one: { name: string; fields: object[] }) => [one.name, one.fields.at(-1)])).toEqual([
    ['contact', { name: 'email', label: 'E-mail', type: 'text' }],
    ['rsvp', { name: 'guests', label: 'Guests', type: 'text' }],
  ]);
});

describe('exports of a page with several forms', () => {
  it('have a column with the form in CSV', async () => {
    const { id } = await owner.deploy({ html: TWO });
    await send(id, { 'form-name': '=1+1', form: 'field' });
    await send(id, { name: 'Ada', day: 'Monday' });
    const { text } = await owner.get(`/submissions/${id}/export.csv`).expect(200);
    const rows = text.split('\r\n').map((row) => row.split(',').slice(3));
    expect(rows).toEqual([
      ['form', 'data.form', 'name', 'day'],
      ["'=1+1", 'field', '', ''],
      ['visit', '', 'Ada', 'Monday'],
      [],
    ]);
    const some = (await owner.get(`/submissions/${id}/export.csv?form=visit`).expect(200)).text;
    expect(some.split('\r\n').map((row) => row.split(',').slice(3))).toEqual([
      ['form', 'name', 'day'],
      ['visit', 'Ada', 'Monday'],
      [],
    ]);
  });

  it('have it also without submissions, and in XLSX', async () => {
    const { id } = await owner.deploy({ html: TWO });
    expect((await owner.get(`/submissions/${id}/export.csv`).expect(200)).text).toBe(
      'id,created_at,ip_address,form\r\n',
    );
    await send(id, { name: 'Ada', size: 'XL' });
    const { body } = await owner.get(`/submissions/${id}/export.xlsx`).buffer(true).responseType('blob').expect(200);
    const sheet = unzip(body).get('xl/worksheets/sheet1.xml') ?? '';
    const cells = Array.from(sheet.matchAll(/<c r="([D-Z]\d)"[^>]*><is><t[^>]*>([^<]*)/g), ([, cell, text]) => [
      cell,
      text,
    ]);
    expect(Object.fromEntries(cells)).toEqual({ D1: 'form', E1: 'name', F1: 'size', D2: 'stand', E2: 'Ada', F2: 'XL' });
  });
});

it('a mail names the form, and has its labels', async () => {
  const { id } = await owner.deploy({ html: TWO });
  await owner.change(id, { email_notifications: true });
  await send(id, { name: 'Eve & Co', size: '3' });
  await expect.poll(() => smtp.received.length).toBe(1);
  const [mail] = smtp.received;
  const { parts } = readMail(mail?.raw ?? Buffer.alloc(0));
  for (const { text } of parts) {
    expect(text).toContain('The form “stand” of ');
    expect(text).toContain('Company');
    expect(text).not.toContain('Your name');
  }
});
