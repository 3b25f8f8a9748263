import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../../src/lib/project.ts';
import { mailsWith } from '../../support/mail.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { testService } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });
const owner = await service.owner();

/** The pages of docs/migrating with forms, by their services. */
const GUIDES: Readonly<Record<string, string>> = {
  Formspree: 'formspree',
  FormSubmit: 'formsubmit',
  Basin: 'basin',
  Getform: 'getform',
  Web3Forms: 'web3forms',
  'Netlify Forms': 'netlify',
};

/** The form of a page, as the service shows it. */
const SNIPPETS = Object.entries(GUIDES).map(([kind, name]): [string, string] => {
  const [html = ''] =
    /<form.*?<\/form>\n/s.exec(readFileSync(new URL(`docs/migrating/${name}.md`, PROJECT), 'utf8')) ?? [];
  return [kind, html];
});

const HONEYPOTS: Readonly<Record<string, string>> = {
  Formspree: '_gotcha',
  FormSubmit: '_honey',
  Basin: '_gotcha',
  Getform: '_gotcha',
  Web3Forms: 'botcheck',
  'Netlify Forms': 'bot-field',
};

/** The fields that a browser sends: the form's values, and what a visitor enters into the other fields. */
function fill(html: string): [string, string][] {
  const tags = [...html.matchAll(/<(?:input|textarea)\b[^>]*>/g)].map(([tag]) => tag);
  const attributeOf = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return tags.flatMap((tag): [string, string][] => {
    const name = attributeOf(tag, 'name') ?? '';
    const isHoneypot = Object.values(HONEYPOTS).includes(name);
    if (attributeOf(tag, 'type') === 'checkbox') return [];
    return [
      [name, attributeOf(tag, 'value') ?? (isHoneypot ? '' : name === 'email' ? 'ada@home.example' : `my ${name}`)],
    ];
  });
}

async function publish(html: string) {
  const { id, slug } = await owner.deploy({ html });
  await owner.change(id, { email_notifications: true });
  return { id, slug };
}
const visit = (id: string, fields: [string, string][]) =>
  service.anonymous
    .post(`/submit/${id}`)
    .set('Accept', 'text/html')
    .type('form')
    .send(`${new URLSearchParams(fields)}`);
const columnsOf = async (id: string) =>
  (await owner.get(`/submissions/${id}/export.csv`).expect(200)).text.split('\r\n')[0]?.split(',').slice(3);
const spamOf = async (id: string) => (await owner.get(`/deploy/${id}/spam`).expect(200)).body.submissions;

describe('a form that comes from another service', () => {
  it.each(SNIPPETS)('%s: needs another action only', async (kind, snippet) => {
    const html = `<!doctype html><title>Contact by ${kind}</title>${snippet.replace(/action="[^"]*"/, 'action="{{FORM_ACTION}}"')}`;
    const { id, slug } = await publish(html);
    await owner.change(id, { allowed_origins: ['https://example.org'] });
    const { problems } = (await owner.get(`/deploy/${id}/check`).expect(200)).body;
    expect(problems.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([]);
    const fields = fill(snippet);
    const sent = await visit(id, fields).expect(303);
    const next = fields.find(([name]) => name === '_next' || name === 'redirect')?.[1];
    expect(sent.headers.location).toBe(
      next === undefined ? `/submit/${id}/thanks` : new URL(next, `https://${slug}.pages.test`).href,
    );
    const [stored] = (await owner.get(`/submissions/${id}`).expect(200)).body.submissions;
    expect(Object.entries(stored.data)).toEqual(fields);
    const subject = fields.some(([name]) => /^_?subject$/.test(name))
      ? `New message from the site (Contact by ${kind})`
      : `New submission for Contact by ${kind}: ${new Map(fields).get('name') ?? 'ada@home.example'}`;
    const [mail] = await mailsWith(smtp, subject, 1);
    const content = ['name', 'email', 'message'].filter((name) => fields.some(([field]) => field === name));
    expect(await columnsOf(id)).toEqual(fields.map(([name]) => name).filter((name) => content.includes(name)));
    expect(mail?.text.match(/^[\w -]+:(?= \S)/gm)?.slice(0, content.length)).toEqual(
      fields.flatMap(([name]) => (content.includes(name) ? [expect.stringMatching(/:$/)] : [])),
    );

    const honeypot = HONEYPOTS[kind] ?? '';
    const filled = fields.filter(([name]) => name !== honeypot);
    expect((await visit(id, [...filled, [honeypot, 'on']])).headers.location).toBe(sent.headers.location);
    expect(await spamOf(id)).toMatchObject([{ reason: 'honeypot', data: { [honeypot]: 'on' } }]);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
  });

  it('has its Reply-To and subject in mails also as JSON, each where there is one and it can be one', async () => {
    const { id, slug } = await publish('<!doctype html>');
    const mailOf = async (data: object, subject: string) => {
      smtp.received.length = 0;
      await service.anonymous.post(`/submit/${id}`).send(data).expect(200);
      await mailsWith(smtp, subject, 1);
      const { headers, parts } = readMail(smtp.received[0]?.raw ?? Buffer.of());
      return { replyTo: headers.find(([name]) => name === 'Reply-To')?.[1], text: parts[0]?.text ?? '' };
    };
    const formspree = await mailOf(
      { _replyto: 'ada@home.example', email: 'other@home.example', _subject: ' Hello\r\nBcc:\reve@evil.example\0' },
      `Hello Bcc: eve@evil.example (${slug})`,
    );
    expect(formspree.replyTo).toBe('ada@home.example');
    expect(formspree.text).toContain('\nReply-To: ada@home.example\nemail: other@home.example\n');
    expect(formspree.text).not.toContain('_subject');
    const web3forms = await mailOf(
      { access_key: 'k', replyto: 'ada@home.example', subject: 'Offer', from_name: 'Ada', botcheck: false, note: 'x' },
      `Offer (${slug})`,
    );
    expect(web3forms.replyTo).toBe('ada@home.example');
    expect(web3forms.text).toContain('\n\nReply-To: ada@home.example\nnote: x\n\n');
    // In a form of our own, these names are fields like others.
    const own = await mailOf(
      { replyto: 'x', subject: 'Offer', botcheck: 'y', _replyto: 'nobody', email: 'ada@home.example' },
      `New submission for ${slug}: ada@home.example`,
    );
    expect(own.replyTo).toBe('ada@home.example');
    expect(own.text).toContain(
      '\n\nreplyto: x\nsubject: Offer\nbotcheck: y\nReply-To: nobody\nemail: ada@home.example\n\n',
    );
    const none = { _subject: ['One', 'two'], access_key: 'k', subject: '  ' };
    await mailOf(none, `New submission for ${slug}`);
    expect(await spamOf(id)).toEqual([]);
    expect(await columnsOf(id)).toEqual(['_replyto', 'email', 'replyto', 'note', 'subject', 'botcheck']);
  });

  it('stores nothing where our own honeypot is filled in as well', async () => {
    const { id } = await publish('<!doctype html>');
    await visit(id, [
      ['_hp', 'x'],
      ['_gotcha', 'y'],
    ]).expect(303);
    expect([await spamOf(id), (await owner.get(`/submissions/${id}`)).body.total]).toEqual([[], 0]);
  });

  it('goes to _redirect, else to the one address that another service’s field has', async () => {
    const { id, slug } = await publish('<!doctype html>');
    const goes = async (...fields: [string, string][]) => (await visit(id, fields)).headers.location;
    const page = `https://${slug}.pages.test`;
    expect(await goes(['_next', '/a'], ['_redirect', '/b'])).toBe(`${page}/b`);
    expect(await goes(['_redirect', ' '], ['_next', '/a'])).toBe(`${page}/a`);
    expect(await goes(['redirect', '/a'], ['access_key', 'k'])).toBe(`${page}/a`);
    for (const fields of [
      [['redirect', '/a']],
      [
        ['_next', '/a'],
        ['_next', '/b'],
      ],
      [['_next', 'https://evil.example/']],
    ] satisfies [string, string][][]) {
      expect(await goes(...fields)).toBe(`/submit/${id}/thanks`);
    }
  });
});
