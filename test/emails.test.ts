import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noticeEmail, submissionEmail } from '../src/delivery/emails.ts';
import { fieldsOf } from '../src/delivery/payloads.ts';
import { KIB } from './support/form-limits.ts';
import { objectTexts, stringTexts } from './support/json-texts.ts';

const mailOf = (data: string) =>
  submissionEmail({
    deploymentId: 'd_1',
    slug: 'my-page',
    data,
    createdAt: new Date('2026-11-03T10:00:00.000Z'),
  });

const LEAD = 'A form of my-page was submitted at 2026-11-03T10:00:00.000Z (UTC).';
const WHY =
  'You get this mail because email notifications are on for the deployment d_1: PATCH /deploy/d_1 with {"email_notifications": false} switches them off.';

/** The lines that the text part has for fields. */
function textFields(data: string): string[] {
  const { text } = mailOf(data);
  const [start, end] = [`${LEAD}\n\n`, `\n\n${WHY}\n`];
  expect([text.slice(0, start.length), text.slice(-end.length)]).toEqual([start, end]);
  return text.slice(start.length, -end.length).split('\n');
}

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The tags of the HTML part, and what stands between them. */
function htmlOf(data: string): { tags: string[]; texts: string[] } {
  const { html } = mailOf(data);
  const pieces = html.split(/(<[^<>]*>)/);
  const texts = pieces.filter((_, at) => at % 2 === 0);
  for (const text of texts) expect(text).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
  return { tags: pieces.filter((_, at) => at % 2 === 1), texts };
}

/** Names and values as the HTML part shows them. */
function htmlFields(data: string): [name: string, value: string][] {
  const { tags, texts } = htmlOf(data);
  return tags.flatMap((tag, at): [string, string][] =>
    tag === '<b>' ? [[unescaped(texts[at + 1] ?? ''), unescaped(texts[at + 3] ?? '')]] : [],
  );
}

describe('the mail about a submission', () => {
  it('shows its fields as text and as HTML', () => {
    expect(
      mailOf('{"name":"Ada <3","email":"ada@example.com","message":"Hello,\\r\\n  world","n":[1.10,null]}'),
    ).toEqual({
      subject: 'New submission for my-page',
      replyTo: 'ada@example.com',
      text: `A form of my-page was submitted at 2026-11-03T10:00:00.000Z (UTC).

name: Ada <3
email: ada@example.com
message: Hello,
      world
n: 1.10, null

You get this mail because email notifications are on for the deployment d_1: PATCH /deploy/d_1 with {"email_notifications": false} switches them off.
`,
      html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>New submission for my-page</title>
</head>
<body>
<div style="max-width:40em;margin:0 auto;font:16px/1.5 system-ui,sans-serif;word-break:break-word">
<h1 style="font-size:20px">New submission for my-page</h1>
<p>A form of my-page was submitted at 2026-11-03T10:00:00.000Z (UTC).</p>
<div style="margin:0 0 12px;white-space:pre-wrap"><b>name</b><br>Ada &lt;3</div>
<div style="margin:0 0 12px;white-space:pre-wrap"><b>email</b><br>ada@example.com</div>
<div style="margin:0 0 12px;white-space:pre-wrap"><b>message</b><br>Hello,
  world</div>
<div style="margin:0 0 12px;white-space:pre-wrap"><b>n</b><br>1.10, null</div>
<p style="font-size:13px;opacity:.75">You get this mail because email notifications are on for the deployment d_1: PATCH /deploy/d_1 with {&quot;email_notifications&quot;: false} switches them off.</p>
</div>
</body>
</html>
`,
    });
  });

  it.each(['{}', '{"_hp":"","_gotcha":"x"}'])('says that %s has no fields to show', (data) => {
    const { text, html } = mailOf(data);
    const lead = 'A form of my-page was submitted at 2026-11-03T10:00:00.000Z (UTC), with no fields to show.';
    expect(text).toBe(`${lead}\n\n${WHY}\n`);
    expect(
      html.split('\n').filter((line) => line.startsWith('<p>') || line.startsWith('<div style="margin:0 0')),
    ).toEqual([`<p>${lead}</p>`]);
  });

  it('leaves out names that begin with _, and those alone', () => {
    const data = '{"_hp":"","\\u005fx":"1","a_":"2","__proto__":{"b":3}," _c":"4","constructor":"5"}';
    expect(htmlFields(data)).toEqual([
      ['a_', '2'],
      [' _c', '4'],
      ['constructor', '5'],
    ]);
    expect(textFields(data)).toEqual(['a_: 2', ' _c: 4', 'constructor: 5']);
  });

  it.each<[string, string, string]>([
    ['HTML', '<script>alert(1)</script><!--', '<script>alert(1)</script><!--'],
    ['an attribute', '" onmouseover="x()\' style=\'a', '" onmouseover="x()\' style=\'a'],
    ['entities', '&lt;b&gt; &amp; &#60; &', '&lt;b&gt; &amp; &#60; &'],
    ['replacement patterns', "$& $1 $` $' $$", "$& $1 $` $' $$"],
    ['white space', '  a\tb   c  ', '  a\tb   c  '],
    ['nothing', '', ''],
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['C0, DEL and C1', '\x01\b\v\f\x1b[31m\x7f\x85\x9f', '\ufffd\ufffd\ufffd\ufffd\ufffd[31m\ufffd\ufffd\ufffd'],
    ['a CR alone', 'a\rb', 'a\ufffdb'],
    ['lone surrogates', '\ud800a\udc00\ud83d\ude00', '\ufffda\ufffd😀'],
    ['what is not ASCII', 'naïve 😀 \u00a0 \ufeff 你好', 'naïve 😀 \u00a0 \ufeff 你好'],
  ])('shows %s in names and values', (_kind, text, shown) => {
    const json = JSON.stringify(text);
    const data = `{"a":${json},${json}:"b","l":[${json},1]}`;
    expect(htmlFields(data)).toEqual([
      ['a', shown],
      [shown, 'b'],
      ['l', `${shown}, 1`],
    ]);
    expect(textFields(data)).toEqual([`a: ${shown}`, `${shown}: b`, `l: ${shown}, 1`]);
  });

  it.each([
    ['LF', '\n', 2],
    ['CR LF', '\r\n', 2],
    ['a line separator', '\u2028', 2],
    ['a paragraph separator', '\u2029', 2],
    ['two LF', '\n\n', 3],
  ])('keeps lines that %s divides, and lets none pass for a field', (_kind, lineBreak, lines) => {
    const value = `a${lineBreak}email: forged@evil.test`;
    const blank = Array.from({ length: lines - 2 }, () => '    ');
    const data = `{"m":${JSON.stringify(value)},${JSON.stringify(value)}:"v"}`;
    expect(textFields(data)).toEqual([
      ...['m: a', ...blank, '    email: forged@evil.test'],
      ...['a', ...blank, '    email: forged@evil.test: v'],
    ]);
    const kept = `a${'\n'.repeat(lines - 1)}email: forged@evil.test`;
    expect(htmlFields(data)).toEqual([
      ['m', kept],
      [kept, 'v'],
    ]);
  });

  it('shows a thousand fields, and one of 256 KiB', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `"f${at}":"<${at}>"`);
    expect(htmlFields(`{${many.join(',')}}`)).toEqual(many.map((_, at) => [`f${at}`, `<${at}>`]));
    const long = '<\n'.repeat(128 * KIB);
    expect(htmlFields(`{"a":${JSON.stringify(long)}}`)).toEqual([['a', long]]);
    expect(textFields(`{"a":${JSON.stringify(long)}}`)).toHaveLength(128 * KIB + 1);
  });

  it('has the same HTML around any fields, and shows nothing but them', () => {
    const stringText = stringTexts('<b>', '</div>', '&lt;', "'", '\\r\\n', '\\n', '<!--', '_');
    // What is shown otherwise than it is: line breaks and what mail software refuses.
    const replaced = /(?!\t)\p{Cc}|[\u2028\u2029\ufffd]/gu;
    const steady = (text: string) => text.toWellFormed().replaceAll(replaced, '');
    fc.assert(
      fc.property(objectTexts(stringText, stringText), (data) => {
        const shown = fieldsOf(data).filter(({ name }) => !name.startsWith('_'));
        fc.pre(shown.length > 0);
        const plain = shown.map((_, at) => `"f${at}":"v"`);
        expect(htmlOf(data).tags).toEqual(htmlOf(`{${plain.join(',')}}`).tags);
        expect(htmlFields(data).map((field) => field.map(steady))).toEqual(
          shown.map(({ name, value }) => [steady(name), steady(value)]),
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
    'ada@example.com',
    'Ada.Lovelace+forms@sub.Example.co.uk',
    "o'hara_{x}|y=z!#$%&*/?^`~-@example.com",
    'a@b',
    '1@2.example',
    'a@xn--bcher-kva.example',
    `${local(64)}@example.com`,
    ofLength(254),
  ])('is a field email that is %s', (address) => {
    expect(mailOf(`{"name":"x","email":${JSON.stringify(address)},"Email":"b@c.de"}`).replyTo).toBe(address);
  });

  it.each([
    ['', 'nothing'],
    ['ada', 'no address'],
    ['@example.com', 'no local part'],
    ['ada@', 'no domain'],
    ['a@b@c.de', 'two @'],
    ['Ada <ada@example.com>', 'a display name'],
    ['<ada@example.com>', 'angle brackets'],
    ['ada@example.com>', 'one angle bracket'],
    ['ada@example.com,bob@example.com', 'two addresses'],
    ['ada@example.com;bob@example.com', 'two addresses, with a semicolon'],
    ['group:ada@example.com', 'a group'],
    ['ada@example.com\r\nBcc: victim@example.com', 'a header'],
    ['ada@example.com\nBcc:victim@example.com', 'a header after LF'],
    ['ada@example.com\n', 'an LF at the end'],
    ['\nada@example.com', 'an LF at the start'],
    ['ada@example.com\r', 'a CR'],
    ['ada@example.com\0', 'NUL'],
    ['ada\x7f@example.com', 'DEL'],
    [' ada@example.com', 'a space'],
    ['ada@example.com ', 'a space at the end'],
    ['ada lovelace@example.com', 'a space within'],
    ['ada\t@example.com', 'a tab'],
    ['ada\u00a0@example.com', 'a no-break space'],
    ['ada@example.com\u2028', 'a line separator'],
    ['\ufeffada@example.com', 'a byte order mark'],
    ['ädä@example.com', 'a local part that is not ASCII'],
    ['ada@exämple.com', 'a domain that is not ASCII'],
    ['ada@example.ſ', 'a letter whose other case is ASCII'],
    ['ada@\u212aelvin.example', 'another one'],
    ['ada\ud800@example.com', 'a lone surrogate'],
    ['"ada"@example.com', 'a quoted local part'],
    ['"a,b@c.de"@example.com', 'an address in quotes'],
    ['ada(x)@example.com', 'a comment'],
    ['ada@[127.0.0.1]', 'an address literal'],
    ['ada\\@x@example.com', 'a backslash'],
    ['.ada@example.com', 'a dot at the start'],
    ['ada.@example.com', 'a dot at the end'],
    ['a..b@example.com', 'two dots'],
    ['ada@example..com', 'an empty label'],
    ['ada@.example.com', 'a domain with a dot at the start'],
    ['ada@example.com.', 'a domain with a dot at the end'],
    ['ada@-example.com', 'a label with a hyphen at the start'],
    ['ada@example-.com', 'a label with a hyphen at the end'],
    ['ada@exa_mple.com', 'an underscore in the domain'],
    [`ada@${'d'.repeat(64)}.com`, 'a label of 64'],
    ['=?utf-8?q?x=40evil.test=3E?=@example.com', 'an encoded word'],
    ['mailto:ada@example.com', 'a URL'],
    [`${local(65)}@example.com`, 'a local part of 65'],
    [ofLength(255), 'an address of 255'],
    [`${'a.'.repeat(128 * KIB)}@`, '256 KiB'],
  ])('is not taken from %j: %s', (value) => {
    expect(Object.keys(mailOf(`{"email":${JSON.stringify(value)}}`))).toEqual(['subject', 'text', 'html']);
  });

  it.each([
    ['a list', '{"email":["ada@example.com"]}'],
    ['a list with an escape', '{"email":["ada\\u0040example.com"]}'],
    ['an object', '{"email":{"email":"ada@example.com"}}'],
    ['a number', '{"email":1}'],
    ['null', '{"email":null}'],
    ['two fields', '{"email":"ada@example.com","email":"ada@example.com"}'],
    ['two fields, one of which is no string', '{"email":"ada@example.com","\\u0065mail":null}'],
    ['other names', '{"Email":"a@b.cd","EMAIL":"a@b.cd","e-mail":"a@b.cd","email ":"a@b.cd","reply-to":"a@b.cd"}'],
    ['a field within', '{"a":{"email":"ada@example.com"},"b":["email","ada@example.com"]}'],
    ['a header of another name', '{"replyTo":"a@b.cd","from":"a@b.cd","subject":"x","headers":{"X":"y"}}'],
  ])('is not taken from %s', (_kind, data) => {
    expect(Object.keys(mailOf(data))).toEqual(['subject', 'text', 'html']);
    expect(mailOf(data).subject).toBe('New submission for my-page');
  });

  it('is read as JSON says it', () => {
    expect(mailOf('{"\\u0065mail" : "ada\\u0040example.com"}').replyTo).toBe('ada@example.com');
  });
});

describe('the mail about a webhook', () => {
  it('says what became of it, as text and as HTML', () => {
    const text = 'The webhook wh_1 to https://example.com/?a=1&b=<2> was switched off: its receiver answered 410 Gone.';
    expect(noticeEmail({ slug: 'my-page', text })).toEqual({
      subject: 'A webhook of my-page was switched off',
      text: `${text}

You get this mail because you own my-page: DELETE /webhooks/:deployId/:webhookId ends all mail about a webhook.
`,
      html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A webhook of my-page was switched off</title>
</head>
<body>
<div style="max-width:40em;margin:0 auto;font:16px/1.5 system-ui,sans-serif;word-break:break-word">
<h1 style="font-size:20px">A webhook of my-page was switched off</h1>
<p>The webhook wh_1 to https://example.com/?a=1&amp;b=&lt;2&gt; was switched off: its receiver answered 410 Gone.</p>
<p style="font-size:13px;opacity:.75">You get this mail because you own my-page: DELETE /webhooks/:deployId/:webhookId ends all mail about a webhook.</p>
</div>
</body>
</html>
`,
    });
  });

  it('shows what mail software refuses as U+FFFD', () => {
    const { text, html } = noticeEmail({ slug: 'my-page', text: 'Off: \0\x1b\ud800.' });
    expect([text.split('\n')[0], html.split('\n').find((line) => line.startsWith('<p>'))]).toEqual([
      'Off: \ufffd\ufffd\ufffd.',
      '<p>Off: \ufffd\ufffd\ufffd.</p>',
    ]);
  });
});
