import { describe, expect, it } from 'vitest';
import { mailsWith } from '../../support/mail.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService, UNKNOWN_ID } from '../../support/test-service.ts';

/*
 * POST /f/:deployId, for forms that were made for another service. In a browser: test/browser/foreign-scripts.test.ts.
 */

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, MAX_SUBMISSION_BYTES: '2000', PLAN_LIMITS: 'unlimited:none' });
const owner = await service.owner();

const SITE = 'https://shop.example';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const JSON_TYPE = 'application/json; charset=utf-8';
const ID = /^sub_[0-9A-Za-z]{24}fs?r?$/;

type Fields = [string, string][];
const post = (path: string, fields: Fields | object, headers: Record<string, string> = {}) =>
  service.anonymous
    .post(path)
    .redirects(0)
    .set(headers)
    .type(Array.isArray(fields) ? 'form' : 'json')
    .send(Array.isArray(fields) ? `${new URLSearchParams(fields)}` : JSON.stringify(fields));
const storedIn = async (id: string): Promise<unknown[]> =>
  (await owner.get(`/submissions/${id}`).expect(200)).body.submissions.map(({ data }: { data: unknown }) => data);
const spamIn = async (id: string) => (await owner.get(`/deploy/${id}/spam`).expect(200)).body.submissions;
const columnsOf = async (id: string) =>
  (await owner.get(`/submissions/${id}/export.csv`).expect(200)).text.split('\r\n')[0]?.split(',').slice(3);
const faulty = (code: string, message: unknown) => ({
  ...{ ok: false, success: false, error: message, message },
  errors: [{ code, message }],
});

describe('POST /f/:deployId', () => {
  it.each(['', '.json'])('answers scripts with what each of the services says (%j)', async (suffix) => {
    const { id } = await owner.deploy();
    const sent = { name: 'Ada', n: 1.5, list: ['x'] };
    const { status, body, headers } = await post(`/f/${id}${suffix}`, sent, { Accept: 'application/json' });
    expect([status, body, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
      200,
      {
        ...{ ok: true, success: true, message: 'Submission received', id: expect.stringMatching(ID) },
        next: `${BASE_URL}/submit/${id}/thanks`,
      },
      JSON_TYPE,
      '*',
    ]);
    expect(await storedIn(id)).toEqual([sent]);
    const preflight = await service.anonymous
      .options(`/f/${id}${suffix}`)
      .set({ Origin: SITE, 'Access-Control-Request-Headers': 'content-type,x-requested-with' })
      .expect(204);
    expect(preflight.headers['access-control-allow-headers']).toBe('content-type,x-requested-with');
    const { headers: got } = await service.anonymous.get(`/f/${id}${suffix}`).expect(405);
    expect([got.allow, got['content-type']]).toEqual(['OPTIONS, POST', JSON_TYPE]);
    const head = await service.anonymous.head(`/f/${id}${suffix}`).expect(405);
    expect(head.headers.allow).toBe('OPTIONS, POST');
    const { body: put } = await service.anonymous.put(`/f/${id}${suffix}`).expect(405);
    expect(put).toEqual(faulty('method-not-allowed', 'This method is not allowed here: use OPTIONS, POST.'));
  });

  it('redirects a browser, unless a script says that it asks or the address ends in .json', async () => {
    const { id } = await owner.deploy();
    const fields: Fields = [['a', '1']];
    const { status, headers } = await post(`/f/${id}`, fields, BROWSER);
    expect([status, headers.location]).toEqual([303, `/submit/${id}/thanks`]);
    await post(`/f/${id}`, fields, { ...BROWSER, 'X-Requested-With': 'XMLHttpRequest' }).expect(200, /"ok":true/);
    await post(`/f/${id}.json`, fields, BROWSER).expect(200, /"ok":true/);
    await post(`/f/${id}`, fields).expect(200, /"ok":true/);
    expect(await storedIn(id)).toHaveLength(4);
    const page = await service.anonymous.get(`/f/${id}`).set(BROWSER).expect(405);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const { body } = await service.anonymous.get(`/f/${id}.json`).set(BROWSER).expect(405);
    expect(body).toEqual(faulty('method-not-allowed', 'This method is not allowed here: use OPTIONS, POST.'));
  });

  it.each(['', '.json'])('says in the form of the services why a submission is refused (%j)', async (suffix) => {
    const { id } = await owner.deploy();
    const path = `/f/${id}${suffix}`;
    // The documents of RFC 9457 are for clients of this service.
    const accept = { Accept: 'application/problem+json, application/json' };
    const refused = async (code: string, sent: ReturnType<typeof post>) => {
      const { status, body, headers } = await sent;
      expect(body).toEqual(faulty(code, expect.stringMatching(/\.$/)));
      expect([headers['error-code'], headers['content-type'], headers['access-control-allow-origin']]).toEqual([
        ...[code, JSON_TYPE, '*'],
      ]);
      return status;
    };
    const raw = (type: string, text: string) => service.anonymous.post(path).set({ 'Content-Type': type }).send(text);
    expect(await refused('no-such-form', post(`/f/${UNKNOWN_ID}${suffix}`, { a: 1 }, accept))).toBe(404);
    expect(await refused('no-such-form', post(`/f/nothing${suffix}`, [['a', '1']]))).toBe(404);
    expect(await refused('bad-request', raw('application/json', '{'))).toBe(400);
    expect(await refused('bad-request', raw('multipart/form-data', 'x'))).toBe(400);
    expect(await refused('wrong-type', raw('text/xml', '<a/>'))).toBe(415);
    expect(await refused('too-large', post(path, { a: 'x'.repeat(2_001) }, accept))).toBe(413);
    expect(await refused('webhook-loop', post(path, { a: 1 }, { 'formhost-delivery': '1' }))).toBe(508);
    await owner.change(id, { allowed_origins: [SITE] });
    expect(await refused('origin-refused', post(path, [['a', '1']], { Origin: 'https://other.example' }))).toBe(403);
    const key = { 'Idempotency-Key': 'one', Origin: SITE };
    const first = await post(path, { a: 1 }, key).expect(200);
    expect((await post(path, { a: 1 }, key).expect(200)).body).toEqual(first.body);
    expect(await refused('idempotency-key-reused', post(path, { a: 2 }, key))).toBe(422);
    await owner.change(id, { submissions_per_minute: 1 });
    expect(await refused('too-many-submissions', post(path, { a: 1 }))).toBe(429);
    await owner.change(id, { max_submissions: 1, submissions_per_minute: 10 });
    expect(await refused('form-full', post(path, { a: 1 }))).toBe(403);
    await owner.change(id, { closes_at: '2020-01-01T00:00:00Z', closed_message: 'Over.' });
    expect((await post(path, { a: 1 })).body.errors).toEqual([{ code: 'form-closed', message: 'Over.' }]);
    expect(await storedIn(id)).toEqual([{ a: 1 }]);
  });

  it('shows a visitor the page of an error', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { max_submissions: 0 + 1 });
    await post(`/f/${id}`, [['a', '1']], BROWSER).expect(303);
    const { status, headers, text } = await post(`/f/${id}`, [['a', '2']], BROWSER);
    expect([status, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(text).toContain('action="?attempt=');
    const { body, headers: json } = await post(`/f/${id}.json`, [['a', '2']], BROWSER);
    expect([body.ok, json['content-type']]).toEqual([false, JSON_TYPE]);
  });
});

describe('the control fields of a form made for another service', () => {
  it.each(['_gotcha', '_honey', 'botcheck', 'bot-field', 'honeypot'])('have the honeypot %s', async (name) => {
    const { id } = await owner.deploy();
    const empty = ['', 'false', false, null, ['', 'false'], []];
    for (const value of empty) await post(`/f/${id}`, { [name]: value, a: '1' }).expect(200);
    await post(`/f/${id}`, [[name, 'false']]).expect(200);
    expect([(await storedIn(id)).length, await spamIn(id)]).toEqual([empty.length + 1, []]);
    for (const value of ['on', true, ['', 'x'], 0]) {
      const { body } = await post(`/f/${id}`, { [name]: value }).expect(200);
      expect(body).toMatchObject({ ok: true, id: expect.stringMatching(ID) });
    }
    await post(`/f/${id}`, [
      [name, ''],
      [name, 'true'],
    ]).expect(200);
    expect(await spamIn(id)).toMatchObject(Array(5).fill({ reason: 'honeypot' }));
    // At /submit, the honeypots of Web3Forms and Netlify are data without their other fields.
    if (!name.startsWith('_')) await post(`/submit/${id}`, { [name]: 'on' }).expect(200);
    expect(await spamIn(id)).toHaveLength(5);
  });

  it('count without access_key and form-name, in mails and tables, and after a release from spam and a restore', async () => {
    const { id, slug } = await owner.deploy();
    await owner.change(id, { email_notifications: true });
    const fields: Fields = [
      ...([
        ['subject', 'Offer'],
        ['replyto', 'ada@home.example'],
        ['redirect', '/x'],
        ['from_name', 'x'],
      ] as const),
      ...([
        ['ccemail', 'x'],
        ['_template', 'table'],
        ['honeypot', ''],
        ['note', 'Hello'],
      ] as const),
    ].map(([name, value]): [string, string] => [name, value]);
    const { body } = await post(`/f/${id}`, fields).expect(200);
    const [mail] = await mailsWith(smtp, `Offer (${slug})`, 1);
    expect(mail?.text).toContain('\n\nReply-To: ada@home.example\nnote: Hello\n\n');
    expect(readMail(smtp.received[0]?.raw ?? Buffer.of()).headers).toContainEqual(['Reply-To', 'ada@home.example']);
    expect(await columnsOf(id)).toEqual(['replyto', 'note']);
    await owner.mark(id, 'spam', [body.id]).expect(200);
    await owner.post(`/deploy/${id}/spam/${body.id}/release`).expect(200);
    await owner.delete(`/submissions/${id}/${body.id}`).expect(200);
    await owner.post(`/submissions/${id}/trash/${body.id}/restore`).expect(200);
    expect(await columnsOf(id)).toEqual(['replyto', 'note']);
    expect(await storedIn(id)).toEqual([Object.fromEntries(fields)]);
    // At this service's own address, these fields are data.
    await post(`/submit/${id}`, fields).expect(200);
    expect(await columnsOf(id)).toContain('subject');
  });

  it('are data where the page shows them: subject and redirect', async () => {
    const form = (inputs: string) =>
      `<!doctype html><title>Shown</title><form method="post">${inputs}<button>Send</button></form>`;
    const { id } = await owner.deploy({
      html: form('<label>Subject <input name="subject"></label><input type="hidden" name="redirect" value="/a">'),
    });
    await owner.change(id, { email_notifications: true });
    const sent: Fields = [
      ['subject', 'Broken lamp'],
      ['redirect', '/a'],
      ['name', 'Ada'],
    ];
    const { body } = await post(`/f/${id}`, sent).expect(200);
    expect(body.id).toMatch(/fs$/);
    expect(body.next).toMatch(/\/a$/);
    const [mail] = await mailsWith(smtp, 'New submission for Shown: Ada', 1);
    expect(mail?.text).toContain('\nSubject: Broken lamp\nname: Ada\n');
    expect(await columnsOf(id)).toEqual(['subject', 'name']);
    // A form on another site is not known.
    const elsewhere = await post(`/f/${id}`, { subject: 'From the site' }, { Origin: SITE }).expect(200);
    expect(elsewhere.body.id).toMatch(/f$/);
    // The page is changed: what it shows counts from then on.
    await owner
      .put(`/deploy/${id}`)
      .send({ html: form('<select name="redirect"><option>/a</select>') })
      .expect(200);
    const { body: later } = await post(`/f/${id}`, sent).expect(200);
    expect([later.id, later.next]).toEqual([expect.stringMatching(/fr$/), `${BASE_URL}/submit/${id}/thanks`]);
    expect(await columnsOf(id)).toEqual(['subject', 'name', 'redirect']);
  });

  it('have the subject of a form of Netlify, which a mail shows', async () => {
    const { id, slug } = await owner.deploy();
    await owner.change(id, { email_notifications: true });
    await post(`/submit/${id}`, [
      ['form-name', 'contact'],
      ['subject', 'A lamp'],
      ['bot-field', ''],
    ]).expect(200);
    const [mail] = await mailsWith(smtp, `A lamp (${slug})`, 1);
    expect(mail?.text).toContain('\n\nsubject: A lamp\n\n');
  });
});

describe('a relative address after a form', () => {
  it.each(['/submit', '/f'])('leads to the site that the form is on, by its Referer (%s)', async (prefix) => {
    const { id, slug } = await owner.deploy();
    // Its own origins do not have to be allowed.
    await owner.change(id, { submissions_per_minute: 100 });
    const own = `https://${slug}.pages.test`;
    const goes = async (name: string, value: string, headers: Record<string, string>) => {
      const sent = await post(
        `${prefix}/${id}`,
        [
          [name, value],
          ['access_key', 'k'],
        ],
        { ...BROWSER, ...headers },
      );
      return sent.headers.location;
    };
    const from = { Origin: SITE, Referer: `${SITE}/de/contact.html?a=b` };
    for (const name of ['_next', 'redirect', '_redirect']) {
      expect(await goes(name, '/thanks.html', from)).toBe(`${SITE}/thanks.html`);
    }
    expect(await goes('_next', 'thanks.html#top', from)).toBe(`${SITE}/de/thanks.html#top`);
    expect(await goes('_next', '?sent', from)).toBe(`${SITE}/de/contact.html?sent`);
    expect(await goes('_next', '/thanks', {})).toBe(`${own}/thanks`);
    // Without an Origin of the same site, nobody vouches for the Referer.
    for (const headers of [
      { Referer: `${SITE}/` },
      { Referer: `${SITE}/`, Origin: 'null' },
      { Referer: `${SITE}/`, Origin: 'https://other.example' },
      { Referer: `${SITE}.evil.example/`, Origin: SITE },
      { Referer: `https://shop.example@evil.example/`, Origin: SITE },
      { Referer: 'javascript:alert(1)', Origin: SITE },
      { Origin: SITE },
    ]) {
      expect([headers, await goes('_next', '/thanks', headers)]).toEqual([headers, `${own}/thanks`]);
    }
    const nowhere = `/submit/${id}/thanks`;
    for (const value of [
      ...['//evil.example/', '///evil.example', '/\\evil.example', '\\\\evil.example', 'https://evil.example/'],
      ...['javascript:alert(1)', 'data:text/html,x', `${SITE}@evil.example/`, 'https:evil.example', ' //evil.example'],
      ...['/\t/evil.example', `${SITE}/absolute`],
    ]) {
      const location = await goes('_next', value, from);
      // A scheme of the page's own and no host is a path there.
      expect([value, location]).toEqual([value, value === 'https:evil.example' ? `${own}/evil.example` : nowhere]);
    }
  });

  it('leads there after the form was sent again from an error page, which nobody can make lead elsewhere', async () => {
    const { id } = await owner.deploy();
    await owner.change(id, { submissions_per_minute: 1 });
    const fields: Fields = [
      ['_next', '/thanks'],
      ['a', '1'],
    ];
    const from = { ...BROWSER, Origin: SITE, Referer: `${SITE}/contact` };
    await post(`/f/${id}`, fields, from).expect(303);
    const { text } = await post(`/f/${id}`, fields, from).expect(429);
    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
    const query = action.replaceAll('&amp;', '&');
    expect(new URLSearchParams(query).get('from')).toBe(`${SITE}/contact`);
    await owner.change(id, { submissions_per_minute: 100 });
    const again = { ...BROWSER, Origin: BASE_URL, Referer: `${BASE_URL}/f/${id}` };
    const forged = query.replace(encodeURIComponent(SITE), encodeURIComponent('https://evil.example'));
    expect((await post(`/f/${id}${forged}`, fields, again)).headers.location).not.toContain('evil');
    expect((await post(`/f/${id}${query}`, fields, again)).headers.location).toBe(`${SITE}/thanks`);
  });
});

describe('a site made for Netlify', () => {
  const FORM =
    '<form method="post" action="/success" data-netlify="true"><input name="form-name" type="hidden" value="c"></form>';

  it.each(['netlify-honeypot', 'data-netlify-honeypot'])(
    'has the honeypot that a form declares by %s, in that form only',
    async (attribute) => {
      const form = (name: string, attributes: string, inputs: string) =>
        `<form name="${name}" method="post" ${attributes}><input name="email"><input name="company">${inputs}<button>Send</button></form>`;
      const { id, slug } = await owner.deploy({
        html: '<!doctype html><title>Start</title><p>No form here.',
        files: {
          'contact.html': form('contact', `${attribute}="company" data-netlify="true"`, ''),
          'offer.html': form('offer', '', '<textarea name="text"></textarea>'),
        },
      });
      await owner.change(id, { submissions_per_minute: 100 });
      const spamAfter = async (fields: Fields, path = '/') => {
        const before = (await spamIn(id)).length;
        await post(path, fields, { Host: `${slug}.pages.test` }).expect(200);
        return (await spamIn(id)).length - before;
      };
      const email: Fields = [['email', 'ada@home.example']];
      const company = (text: string): Fields => [...email, ['company', text]];
      expect(await spamAfter(company(''))).toBe(0);
      expect(await spamAfter(company('Robots'))).toBe(1);
      expect(
        await spamAfter(
          [
            ['form-name', 'contact'],
            ['company', 'Robots'],
          ],
          '/contact',
        ),
      ).toBe(1);
      expect(await spamAfter([...company('Lamps'), ['text', 'Hello']], '/offer')).toBe(0);
      expect(
        await spamAfter([
          ['form-name', 'offer'],
          ['company', 'Lamps'],
        ]),
      ).toBe(0);
      expect(await spamIn(id)).toMatchObject([{ reason: 'honeypot' }, { reason: 'honeypot' }]);
      // The form loses its honeypot.
      await owner.send('PUT', `/deploy/${id}/files/contact.html`, form('contact', '', ''), {
        'Content-Type': 'text/html',
      });
      expect(await spamAfter(company('Lamps'))).toBe(0);
    },
  );

  it('replies to the field that takes an address by its type', async () => {
    const { id } = await owner.deploy({
      html: '<!doctype html><title>Typed</title><form method="post"><input type="email" name="q1"><button>Send</button></form>',
    });
    await owner.change(id, { email_notifications: true });
    await post(`/submit/${id}`, { q1: 'ada@typed.example', q2: 'bob@typed.example' }).expect(200);
    const subject = 'New submission for Typed: ada@typed.example';
    await mailsWith(smtp, subject, 1);
    const headers = smtp.received.flatMap(({ raw }) => readMail(raw).headers);
    expect(headers).toContainEqual(['Reply-To', 'ada@typed.example']);
  });

  it('has its visitors on the page that its form names, and what they sent is stored', async () => {
    const { id, slug } = await owner.deploy({
      html: FORM,
      files: { 'success.html': '<h1>Sent</h1>', 'more/index.html': FORM, 'style.css': 'a{}' },
    });
    const host = `${slug}.pages.test`;
    const at = (path: string, headers: Record<string, string>) =>
      post(path, [['form-name', 'c']], { ...BROWSER, Host: host, Origin: `https://${host}`, ...headers });
    const goes = async (path: string, from?: string) =>
      (await at(path, from === undefined ? {} : { Referer: `https://${host}${from}` }).expect(303)).headers.location;
    expect(await goes('/success', '/')).toBe('/success');
    expect(await goes('/success?from=home', '/more/')).toBe('/success?from=home');
    expect(await goes('/', '/more/')).toBe('/');
    // A form without an action posts to its own page.
    expect(await goes('/success', '/success.html')).toBe('/thanks');
    expect(await goes('/more/', '/more/?a=b')).toBe('/thanks');
    expect(await goes('/', '/index.html')).toBe('/thanks');
    expect(await goes('/success')).toBe('/thanks');
    expect((await at('/success', { Origin: SITE, Referer: `${SITE}/` })).headers.location).toBe('/thanks');
    await at('/style.css', {}).expect(405);
    await at('/nothing', {}).expect(404);
    // A script that posts to the page's own host reads a success.
    await post('/', [['form-name', 'c']], { Host: host }).expect(200);
    expect(await storedIn(id)).toHaveLength(9);
  });
});
