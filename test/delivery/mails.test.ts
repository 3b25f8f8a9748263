import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestEmail, submissionEmail } from '../../src/delivery/mail/submission-mails.ts';
import { SIZES } from '../../src/sizes.ts';
import { KIB } from '../support/form-limits.ts';
import { objectTexts, stringTexts } from '../support/json-texts.ts';
import { writeMail } from '../support/write-mail.ts';

const DEPLOYMENT = 'd_0VbbZBZKKTcBD17YQfyDgVGm';
const SUBMISSION = 'sub_0VbbZBa7Zs1yGh5JkLpOiUyT';
const FILE = 'file_0VbbZBa7Aq2sWd3eRf4tGy5H';

const mailOf = (
  data: string,
  other: {
    recipientId?: string;
    timeZone?: string;
    labels?: ReadonlyMap<string, string>;
    addressFields?: ReadonlySet<string>;
  } = {},
) =>
  submissionEmail({
    deploymentId: DEPLOYMENT,
    name: 'my-page',
    submission: { id: SUBMISSION, data, createdAt: new Date('2026-11-03T09:05:59.999Z') },
    recipientId: null,
    labels: new Map(),
    addressFields: new Set(),
    timeZone: 'UTC',
    now: new Date('2026-11-03T09:06:00.001Z'),
    links: {
      file: ({ deploymentId, submissionId, fileId }, expires) =>
        `https://api.test/files/${deploymentId}/${submissionId}/${fileId}?until=${expires.toISOString()}&x`,
      spam: ({ deploymentId, submissionId }) => `https://api.test/spam/${deploymentId}/${submissionId}?c&d`,
      unsubscribe: (deploymentId) => `https://api.test/unsubscribe/${deploymentId}?a&b`,
    },
    pageUrl: 'https://my-page.pages.test',
    baseUrl: 'https://api.test',
    ...other,
  });

const LEAD = 'A form of my-page was submitted on 3 November 2026, 09:05 UTC.';
const CUT = `It is too large for a mail, which shows a part of it. This request answers all of it:

curl https://api.test/submissions/${DEPLOYMENT}/${SUBMISSION} -H "Authorization: Bearer YOUR_API_KEY"`;
const IN_INBOX = `https://api.test/dashboard/pages/${DEPLOYMENT}/inbox/${SUBMISSION}`;
const SPAM = `https://api.test/spam/${DEPLOYMENT}/${SUBMISSION}?c&d`;
const END = `Open in inbox: ${IN_INBOX}
Spam: ${SPAM}

You get this mail because mail about submissions to my-page is on.
Open the page: https://my-page.pages.test
Stop these mails: https://api.test/unsubscribe/${DEPLOYMENT}?a&b`;
/** A link to a file: after seven days, at the next whole minute. */
const LINK = `https://api.test/files/${DEPLOYMENT}/${SUBMISSION}/${FILE}?until=2026-11-10T09:07:00.000Z&x`;

/** A file's value, as multipart bodies become it. */
const fileValue = (filename: string, size: number, { submissionId = SUBMISSION, fileId = FILE } = {}): string =>
  JSON.stringify({
    filename,
    content_type: 'text/plain',
    size,
    url: `/submissions/${DEPLOYMENT}/${submissionId}/files/${fileId}`,
  });

/** The text part between its first words and its last. */
function middleOf({ text }: { text: string }): string {
  const [start, end] = [`${LEAD}\n\n`, `\n\n${END}\n`];
  expect([text.slice(0, start.length), text.slice(-end.length)]).toEqual([start, end]);
  return text.slice(start.length, -end.length);
}

/** The lines that the text part has for fields. */
const textFields = (data: string): string[] => middleOf(mailOf(data)).split('\n');

const unescaped = (html: string): string =>
  html
    .replaceAll('<br>', '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The tags of the HTML part but line breaks, and what stands between them. */
function htmlOf(data: string): { tags: string[]; texts: string[] } {
  const { html } = mailOf(data);
  const pieces = html.split(/(<(?!br>)[^<>]*>)/);
  const texts = pieces.filter((_, at) => at % 2 === 0);
  for (const text of texts)
    expect(text.replaceAll('<br>', '')).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39|middot);)/);
  return { tags: pieces.filter((_, at) => at % 2 === 1), texts };
}

/** Names and values as the HTML part shows them, of fields that are texts. */
function htmlFields(data: string): string[] {
  const { tags, texts } = htmlOf(data);
  const fieldAt = (at: number): string => `${unescaped(texts[at + 1] ?? '')}: ${unescaped(texts[at + 3] ?? '')}`;
  return tags.flatMap((tag, at) => (tag.startsWith('<b ') ? [fieldAt(at)] : []));
}

/** The HTML part between its first words and its last. */
function htmlMiddle(data: string): string {
  const { html } = mailOf(data);
  const [, middle = ''] =
    /UTC\.<\/p>\n<div style="margin:0 0 16px;white-space:pre-wrap">(.*)<\/div>\n/.exec(html) ?? [];
  return middle;
}

describe('the mail about several submissions', () => {
  const digestOf = (
    data: readonly string[],
    { total = data.length, ...other }: { total?: number; recipientId?: null; timeZone?: string } = {},
  ) =>
    digestEmail({
      deploymentId: DEPLOYMENT,
      name: 'my-page',
      recipientId: 'rcp_1',
      labels: new Map([['name', 'Your <name>:']]),
      addressFields: new Set(),
      timeZone: 'UTC',
      now: new Date('2026-11-03T10:00:01.000Z'),
      links: {
        file: ({ submissionId, fileId }) => `https://api.test/files/${submissionId}/${fileId}`,
        spam: () => 'https://api.test/spam',
        unsubscribe: (deploymentId, recipientId) => `https://api.test/unsubscribe/${deploymentId}/${recipientId}`,
      },
      pageUrl: 'https://my-page.pages.test',
      baseUrl: 'https://api.test',
      from: new Date('2026-11-03T09:00:00.000Z'),
      to: new Date('2026-11-03T10:00:00.000Z'),
      submissions: data.map((one) => ({ id: SUBMISSION, data: one, createdAt: new Date('2026-11-03T09:05:59.999Z') })),
      total,
      ...other,
    });
  const END_OF_DIGEST = `You get this mail because you are a recipient of mail about submissions to my-page.
Open the page: https://my-page.pages.test
Stop these mails: https://api.test/unsubscribe/${DEPLOYMENT}/rcp_1
`;

  it('shows the same in both of its parts, with labels, and links to the files of each', () => {
    const { text, html, ...rest } = digestOf(['{"name":"Ada\\n2. forged"}', '{}', `{"cv":${fileValue('a.txt', 18)}}`]);
    expect(rest).toEqual({
      language: 'en',
      subject: '3 new submissions for my-page',
      unsubscribe: `https://api.test/unsubscribe/${DEPLOYMENT}/rcp_1`,
    });
    expect(text).toBe(`3 submissions to my-page came from 3 November 2026, 09:00 UTC to 3 November 2026, 10:00 UTC.

1. 3 November 2026, 09:05 UTC

Your <name>: Ada
    2. forged

2. 3 November 2026, 09:05 UTC

No fields to show.

3. 3 November 2026, 09:05 UTC

cv: a.txt (18 bytes)
    https://api.test/files/${SUBMISSION}/${FILE}

The links to files work until 10 November 2026, 10:01 UTC, for everybody who has them.

${END_OF_DIGEST}`);
    const words = html.replaceAll(/<(?!br>)[^<>]*>/g, '\n');
    for (const part of ['Your &lt;name&gt;', 'Ada<br>2. forged', 'No fields to show.', 'a.txt']) {
      expect(words.split('\n').map((line) => line.trim())).toContain(part);
    }
  });

  it("has times in the owner's zone, and leads the owner to the inbox", () => {
    const { text, html } = digestOf(['{}'], { recipientId: null, timeZone: 'Asia/Kolkata' });
    expect(
      text,
    ).toContain(`1 submission to my-page came from 3 November 2026, 14:30 GMT+5:30 to 3 November 2026, 15:30 GMT+5:30.

1. 3 November 2026, 14:35 GMT+5:30
`);
    const inbox = `https://api.test/dashboard/pages/${DEPLOYMENT}/inbox`;
    expect(text).toContain(`\n\nOpen the inbox: ${inbox}\n\n`);
    expect(html).toContain(`<a href="${inbox}" style="`);
  });

  it('stays small with 100 of the largest, and says which are shown in part', () => {
    const large = `{${JSON.stringify('n'.repeat(300))}:${JSON.stringify('<\n"'.repeat(64 * KIB))}}`;
    const { text, html } = digestOf(
      Array.from({ length: 100 }, () => large),
      { total: 101 },
    );
    for (const part of [text, html]) expect(Buffer.byteLength(part)).toBeLessThan(76 * KIB);
    expect(text).toContain(`101 submissions to my-page came`);
    expect(text).toContain(`This mail shows the first 100. This request answers all, newest first:

curl "https://api.test/submissions/${DEPLOYMENT}?limit=100" -H "Authorization: Bearer YOUR_API_KEY"

Some are too large for this mail, which shows a part of them. This request answers one by its id:

curl "https://api.test/submissions/${DEPLOYMENT}/ID" -H "Authorization: Bearer YOUR_API_KEY"

1. 3 November`);
    expect(text.match(new RegExp(`^A part of ${SUBMISSION}$`, 'gm'))?.length).toBe(100);
  });
});

describe('the mail about a submission', () => {
  it('shows its fields as text and as HTML', () => {
    const data = `{"name":"Ada <3","email":"ada@example.com","message":"Hello,\\r\\n  world","n":[1.10,null],"cv":${fileValue('a&b.txt', 18)}}`;
    const href = LINK.replace('&', '&amp;');
    const { html, ...mail } = mailOf(data);
    expect(mail).toEqual({
      language: 'en',
      subject: 'New submission for my-page: Ada <3',
      replyTo: 'ada@example.com',
      unsubscribe: `https://api.test/unsubscribe/${DEPLOYMENT}?a&b`,
      text: `${LEAD}

name: Ada <3
email: ada@example.com
message: Hello,
      world
n: 1.10, null
cv: a&b.txt (18 bytes)
    ${LINK}

The links to files work until 10 November 2026, 09:07 UTC, for everybody who has them.

${END}
`,
    });
    const fields = [
      '<b dir="auto">name</b><div dir="auto">Ada &lt;3</div>',
      '<b dir="auto">email</b><div dir="auto">ada@example.com</div>',
      '<b dir="auto">message</b><div dir="auto">Hello,<br>  world</div>',
      '<b dir="auto">n</b><div dir="auto">1.10, null</div>',
      `<b dir="auto">cv</b><div dir="auto"><a dir="auto" href="${href}">a&amp;b.txt</a> (18 bytes)</div>`,
    ];
    expect(htmlMiddle(data)).toBe(fields.map((field) => `<div style="margin:12px 0 0">${field}</div>`).join(''));
    for (const part of [
      '<title>New submission for my-page: Ada &lt;3</title>',
      '>New submission for my-page: Ada &lt;3</h1>',
      `<a href="https://api.test/unsubscribe/${DEPLOYMENT}?a&amp;b">Stop these mails</a>`,
    ]) {
      expect(html).toContain(part);
    }
  });

  it('has buttons for the owner: to the inbox, for a reply, and for spam', () => {
    const data = '{"name":"Ada & Co","email":"ada%tag+1@example.com"}';
    const { html } = mailOf(data);
    const buttons = [...html.matchAll(/<a href="([^"]*)" style="[^"]*"><b>([^<]*)<\/b><\/a>/g)];
    expect(buttons.map(([, href = '', label]) => [label, unescaped(href)])).toEqual([
      ['Open in inbox', IN_INBOX],
      [
        'Reply',
        'mailto:ada%25tag%2B1@example.com?subject=Re%3A%20New%20submission%20for%20my-page%3A%20Ada%20%26%20Co',
      ],
      ['Spam', SPAM],
    ]);
    const recipients = mailOf(data, { recipientId: 'rcp_1' });
    for (const part of [recipients.html, recipients.text]) expect(part).not.toMatch(/\/dashboard\/|\/spam\/|mailto:/);
  });

  it("has times in the owner's zone", () => {
    const { text } = mailOf(`{"cv":${fileValue('a.txt', 18)}}`, { timeZone: 'Europe/Berlin' });
    expect(text).toContain('was submitted on 3 November 2026, 10:05 CET.');
    expect(text).toContain('The links to files work until 10 November 2026, 10:07 CET, ');
  });

  it('says that there are no fields to show', () => {
    const { text, html } = mailOf('{"_hp":"","_gotcha":"x"}');
    const lead = 'A form of my-page was submitted on 3 November 2026, 09:05 UTC, with no fields to show.';
    expect(text).toBe(`${lead}\n\n${END}\n`);
    expect(html).toContain(`<p style="margin:0 0 16px">${lead}</p>\n<p style="margin:0 0 8px"><a `);
  });

  it('leaves out names that begin with _ and what the widgets of captchas send, and those alone', () => {
    const data =
      '{"_hp":"","\\u005fx":"1","a_":"2","__proto__":"3"," _c":"4","altcha":"a","h-captcha-response":"c","Altcha":"5"}';
    for (const fields of [htmlFields, textFields]) expect(fields(data)).toEqual(['a_: 2', ' _c: 4', 'Altcha: 5']);
  });

  it.each<[string, string, string]>([
    ['HTML', '<script>alert(1)</script><!--', '<script>alert(1)</script><!--'],
    ['an attribute', '" onmouseover="x()\' style=\'a', '" onmouseover="x()\' style=\'a'],
    ['replacement patterns', "$& $1 $` $' $$", "$& $1 $` $' $$"],
    ['C0, DEL and C1', '\x01\b\v\f\x1b[31m\x7f\x85\x9f', '\ufffd\ufffd\ufffd\ufffd\ufffd[31m\ufffd\ufffd\ufffd'],
    ['overrides of the direction', 'bill_\u202efdp.exe\u202da', 'bill_\ufffdfdp.exe\ufffda'],
    ['lone surrogates', '\ud800a\udc00\ud83d\ude00', '\ufffda\ufffd😀'],
    ['what is not ASCII', 'naïve 😀 \u00a0 \ufeff 你好', 'naïve 😀 \u00a0 \ufeff 你好'],
  ])('shows %s in names and values', (_kind, text, shown) => {
    const json = JSON.stringify(text);
    const data = `{"a":${json},${json}:"b","l":[${json}]}`;
    for (const fields of [htmlFields, textFields]) {
      expect(fields(data)).toEqual([`a: ${shown}`, `${shown}: b`, `l: ${shown}`]);
    }
  });

  it.each([
    ['LF', '\n', 2],
    ['a line separator', '\u2028', 2],
    ['two CR LF', '\r\n\r\n', 3],
  ])('keeps lines that %s divides, and lets none pass for a field', (_kind, lineBreak, lines) => {
    const value = `a${lineBreak}email: forged@evil.test`;
    const blank = Array.from({ length: lines - 2 }, () => '    ');
    const data = `{"m":${JSON.stringify(value)},${JSON.stringify(value)}:"v"}`;
    expect(textFields(data)).toEqual([
      ...['m: a', ...blank, '    email: forged@evil.test'],
      ...['a', ...blank, '    email: forged@evil.test: v'],
    ]);
    const kept = `a${'\n'.repeat(lines - 1)}email: forged@evil.test`;
    expect(htmlFields(data)).toEqual([`m: ${kept}`, `${kept}: v`]);
  });

  it.each<[string, string, string]>([
    ['nothing', '""', 'f:'],
    ['numbers and words as they are written', '[1.10,1e400,12345678901,null]', 'f: 1.10, 1e400, 12345678901, null'],
    ['a list of texts', '["a","b c"]', 'f: a, b c'],
    ['a list with a line break', '["a\\nb","c"]', 'f: a\n    b, c'],
    ['objects and lists in each other', '[{ "a": "<b>\\n" }, [2]]', 'f: [{"a":"<b>\\n"},[2]]'],
  ])('lays out %s', (_kind, json, text) => {
    expect(middleOf(mailOf(`{"f":${json}}`))).toBe(text);
  });

  it('links to files, alone and in lists', () => {
    const data = `{"a":[${fileValue('1.txt', 1)},"x",${fileValue('', 12_345)}],"b":${fileValue('<3>\r\n.jpg', 2_500_000)}}`;
    expect(middleOf(mailOf(data))).toBe(`a: 1.txt (1 byte)
    ${LINK}
a: x
a: file (12.3 kB)
    ${LINK}
b: <3>
    .jpg (2.5 MB)
    ${LINK}

The links to files work until 10 November 2026, 09:07 UTC, for everybody who has them.`);
  });

  it.each([
    ['a file of another submission', fileValue('a', 1, { submissionId: 'sub_0VbbZBa7Zs1yGh5JkLpOiUyU' })],
    ['no id', fileValue('a', 1, { fileId: 'file_1' })],
    ['another order', fileValue('a', 1).replace('"filename":"a",', '').replace('}', ',"filename":"a"}')],
    ['a URL elsewhere', fileValue('a', 1).replace('"/sub', '"https://evil.test/sub')],
    ['a URL that is no text', fileValue('a', 1).replace(/"url":.*}/, '"url":[1]}')],
  ])('makes no link of an object like a file, with %s', (_kind, json) => {
    const { text, html } = mailOf(`{"f":${json}}`);
    expect([text.includes('https://api.test/files'), html.match(/<a /g)?.length]).toEqual([false, 4]);
    expect(text).not.toContain('The links to files');
  });

  it.each<[string, string]>([
    ['a thousand fields', `{${Array.from({ length: 1_000 }, (_, at) => `"f${at}":"<${at}>"`).join(',')}}`],
    ['256 KiB in one field', `{"a":${JSON.stringify('<\n"'.repeat(64 * KIB))},"b":"x"}`],
    ['a name of 256 KiB', `{${JSON.stringify('n"'.repeat(128 * KIB))}:"x"}`],
    ['a list of 5,000', `{"a":[${Array.from({ length: 5_000 }, (_, at) => at + 10_000).join(',')}]}`],
  ])('stays small and says so, with %s', (_kind, data) => {
    const { text, html } = mailOf(data);
    expect(middleOf({ text }).startsWith(`${CUT}\n\n`)).toBe(true);
    expect(html).toContain('>It is too large for a mail, ');
    // Gmail cuts off what is beyond.
    for (const part of [text, html]) expect(Buffer.byteLength(part)).toBeLessThan(80 * KIB);
    htmlOf(data);
  });

  it('shows a value of 20,000 characters, and cuts a longer one between characters', () => {
    const whole = 'é'.repeat(SIZES.mail.maxValueChars);
    expect(textFields(`{"a":"${whole}","b":"x"}`)).toEqual([`a: ${whole}`, 'b: x']);
    const longer = `${'é'.repeat(SIZES.mail.maxValueChars - 1)}😀`;
    expect(middleOf(mailOf(`{"a":"${longer}","b":"x"}`))).toBe(
      `${CUT}\n\na: ${'é'.repeat(SIZES.mail.maxValueChars - 1)}…\nb: x`,
    );
  });

  it('shows a name of 200 characters, and cuts a longer one', () => {
    const name = 'n'.repeat(SIZES.mail.maxNameChars);
    expect(textFields(`{"${name}":"x"}`)).toEqual([`${name}: x`]);
    expect(middleOf(mailOf(`{"${name}n":"x"}`))).toBe(`${CUT}\n\n${name}…: x`);
  });

  it('shows any fields as text, between tags of its own', () => {
    const stringText = stringTexts('<b>', '</div>', '&lt;', "'", '\\r\\n', '\\n', '<!--', '_');
    const ownTag = /^<(?:div style="margin:12px 0 0"|(?:b|div) dir="auto"|\/(?:div|b)|p style="[^"]*"|\/p)>$/;
    const frame = htmlOf('{}').tags.concat('<div style="margin:0 0 16px;white-space:pre-wrap">');
    fc.assert(
      fc.property(objectTexts(stringText, stringText), (data) => {
        const { tags } = htmlOf(data);
        expect(tags.filter((tag) => !frame.includes(tag) && !ownTag.test(tag))).toEqual([]);
        expect(tags.filter((tag) => tag === '<div>' || tag.startsWith('<div ')).length).toBe(
          tags.filter((tag) => tag === '</div>').length,
        );
        const { text, html } = mailOf(data);
        for (const part of [text, html])
          expect([part.isWellFormed(), /(?!\n|\t)\p{Cc}/u.test(part)]).toEqual([true, false]);
      }),
    );
  });
});

describe('Reply-To', () => {
  const local = (length: number): string => 'l'.repeat(length);
  /** An address of this length, with a local part of one. */
  const ofLength = (length: number): string => {
    const label = `${'d'.repeat(61)}.`;
    return `a@${label.repeat(5).slice(-(length - 4))}de`;
  };

  it.each([
    ...['ada@example.com', 'Ada.Lovelace+forms@sub.Example.co.uk', "o'hara_{x}|y=z!#$%&*/?^`~-@example.com"],
    ...['a@xn--bcher-kva.example', `${local(64)}@example.com`, ofLength(254)],
  ])('is a field email that is %s', (address) => {
    expect(mailOf(`{"name":"x","email":${JSON.stringify(address)},"Email":"b@c.de"}`).replyTo).toBe(address);
  });

  it.each([
    ...['', '@example.com', 'ada@', 'a@b@c.de', 'Ada <ada@example.com>', 'ada@example.com,bob@example.com'],
    ...['group:ada@example.com', 'ada@example.com\r\nBcc: victim@example.com', 'ada\x7f@example.com'],
    ...['ada @example.com', 'ädä@example.com', 'ada\ud800@example.com', '"ada"@example.com'],
    ...['ada@[127.0.0.1]', '.ada@example.com', 'a..b@example.com', 'ada@example..com', 'ada@-example.com'],
    ...['ada@exa_mple.com', `ada@${'d'.repeat(64)}.com`, '=?utf-8?q?x=40evil.test=3E?=@example.com'],
    ...[`${local(65)}@example.com`, ofLength(255), `${'a.'.repeat(128 * KIB)}@`],
  ])('is not taken from %j', (value) => {
    expect(mailOf(`{"email":${JSON.stringify(value)}}`)).not.toHaveProperty('replyTo');
  });

  it('is read without the white space around it, and with its domain in IDNA', () => {
    expect(mailOf('{"email":"\\u00a0ada@M\u00fcnchen.example\\r\\n"}')).toMatchObject({
      replyTo: 'ada@xn--mnchen-3ya.example',
      text: expect.stringContaining('email: \u00a0ada@München.example\n'),
      subject: 'New submission for my-page: ada@xn--mnchen-3ya.example',
    });
    expect(mailOf('{"_replyto":" \\t","email":"ada@example.com"}').replyTo).toBe('ada@example.com');
    expect(mailOf('{"_replyto":" eve@home.example","email":"ada@example.com"}').replyTo).toBe('eve@home.example');
  });

  it.each([
    ['a list', '{"email":["ada@example.com"]}'],
    ['null', '{"email":null}'],
    ['two fields', '{"email":"ada@example.com","email":"ada@example.com"}'],
    ['several addresses', '{"Email":"a@b.cd","your-email":"b@b.cd","copy":"c@b.cd"}'],
    ['a name that says nothing of addresses', '{"reply-to":"a@b.cd","contact":"a@b.cd","address":"a@b.cd"}'],
    ['an address in another field than an address', '{"E-Mail":"write to a@b.cd","correo":["a@b.cd"],"courriel":7}'],
    ['a field within', '{"a":{"email":"ada@example.com"},"b":["email","ada@example.com"]}'],
    ['a header of another name', '{"replyTo":"a@b.cd","from":"a@b.cd","subject":"x","headers":{"X":"y"}}'],
  ])('is not taken from %s', (_kind, data) => {
    expect(Object.keys(mailOf(data))).toEqual(['language', 'subject', 'text', 'html', 'unsubscribe']);
    expect(mailOf(data).subject).toBe('New submission for my-page');
  });

  it.each([
    ...['Email', 'E-Mail', 'EMAIL', 'e_mail', 'mail', 'your-email', 'userEmail', 'workMail', 'Mailadresse', 'correo'],
    ...['Correo electrónico', 'courriel', 'e-post', 'posta', 'メールアドレス', '邮箱', 'البريد الإلكتروني'],
  ])('is a field that is called %s', (name) => {
    const named = JSON.stringify({ name: 'Ada', [name]: ' ada@home.example ', again_email: 'ada@home.example' });
    expect(mailOf(named).replyTo).toBe('ada@home.example');
    expect(mailOf(named).subject).toBe('New submission for my-page: Ada');
  });

  it('is a field whose label says so, after control fields and email', () => {
    const labelled = (data: string) => mailOf(data, { labels: new Map([['q3', 'Your e-mail address']]) });
    expect(labelled('{"q3":"ada@home.example","q4":"other@home.example"}').replyTo).toBe('ada@home.example');
    expect(mailOf('{"q4":"ada@home.example"}', { addressFields: new Set(['q4']) }).replyTo).toBe('ada@home.example');
    expect(labelled('{"q3":"ada@home.example","email":"bea@home.example"}').replyTo).toBe('bea@home.example');
    expect(labelled('{"Mail":"a@b.cd","email":"b@b.cd","_replyto":"c@b.cd"}').replyTo).toBe('c@b.cd');
    expect(labelled('{"Mail":"a@b.cd","email":"no address"}').replyTo).toBe('a@b.cd');
  });

  it('is read as JSON says it', () => {
    expect(mailOf('{"\\u0065mail" : "ada\\u0040example.com"}').replyTo).toBe('ada@example.com');
  });
});

describe('the subject', () => {
  it.each([
    ['{"Name":"Ada","email":"ada@example.com"}', ': Ada'],
    ['{"full_name":" Ada\\r\\nBcc: eve\\u202e@evil.example "}', ': Ada Bcc: eve @evil.example'],
    ['{"name":"","email":"ada@example.com"}', ': ada@example.com'],
    ['{"email":"ada@example.com\\r\\nBcc: eve@evil.example"}', ''],
    ['{"name":"=?utf-8?q?Ada=0D=0AEve?="}', ': = ?utf-8?q?Ada=0D=0AEve?='],
    ['{"name":"Ada","Name":"Eve"}', ''],
    ['{"name":["Ada"],"username":"ada"}', ''],
    [`{"name":"${'é'.repeat(300)}"}`, `: ${'é'.repeat(72)}`],
    [`{"name":"${'x'.repeat(71)}😀"}`, `: ${'x'.repeat(71)}`],
  ])('of %s ends with who wrote: %j', (data, end) => {
    expect(mailOf(data).subject).toBe(`New submission for my-page${end}`);
  });
});

describe('the mail about a webhook', () => {
  const off = {
    webhook_id: 'wh_1',
    url: 'https://example.com/?a=1&b=<2>',
    gone: false,
    last_error: 'the receiver answered 503',
    failing_since: '2026-10-29T23:59:59.999+00:00',
  };
  const notice = (given: Partial<typeof off>) =>
    writeMail({ event: 'webhook-off', deploymentId: DEPLOYMENT, notice: JSON.stringify({ ...off, ...given }) });
  const AGAIN = `Submissions that come while it is off are stored, and not sent to it. Deliveries that wait for another attempt are sent when it is on again. To switch it on, mend its receiver and send this request, with your API key:

curl -X PATCH https://api.test/webhooks/${DEPLOYMENT}/wh_1 -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '{"active": true}'

You get this mail because you own my-page. It comes once a day for a webhook at most.
Open the page: https://my-page.pages.test
`;

  it('says why, since when, and how to switch it on again', async () => {
    const { html, ...mail } = await notice({});
    expect(mail).toEqual({
      language: 'en',
      subject: 'A webhook of my-page was switched off',
      text: `The webhook wh_1 of my-page was switched off: no delivery to it has succeeded since 29 October 2026, 23:59 UTC.

URL: https://example.com/?a=1&b=<2>
Failing since: 29 October 2026, 23:59 UTC
Last failure: the receiver answered 503

${AGAIN}`,
    });
    expect(html).toContain(
      '<p style="margin:0 0 16px">URL: https://example.com/?a=1&amp;b=&lt;2&gt;<br>Failing since: 29 October 2026, 23:59 UTC<br>Last failure: the receiver answered 503</p>',
    );
    expect(unescaped(html)).toContain(`-d '{"active": true}'</p>`);
  });

  it('says that its receiver is gone', async () => {
    expect((await notice({ gone: true, last_error: 'the receiver answered 410' })).text).toBe(
      `The webhook wh_1 of my-page was switched off: its receiver answered 410 Gone, which asks for no further deliveries.

URL: https://example.com/?a=1&b=<2>
Failing since: 29 October 2026, 23:59 UTC
Last failure: the receiver answered 410

${AGAIN}`,
    );
  });

  it('has U+FFFD in place of what mail software refuses', async () => {
    const { text, html } = await notice({ last_error: 'off: \0\x1b\ud800.' });
    expect(text).toContain('Last failure: off: \ufffd\ufffd\ufffd.\n');
    expect(html).toContain('Last failure: off: \ufffd\ufffd\ufffd.</p>');
  });
});
