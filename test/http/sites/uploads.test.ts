import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const service = await testService({
  MAX_SITE_FILES: '4',
  MAX_SITE_FILE_BYTES: '1000',
  MAX_SITE_BYTES: '1500',
  MAX_HTML_BYTES: '500',
});
const owner = await service.owner();

const BOUNDARY = 'line-7';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part of a body: its header without the line of the name, and its content. */
type Part = { name?: string; filename?: string; header?: string; content?: string | Buffer };

const headerOf = ({ name = 'file', filename, header }: Part): string =>
  header ??
  `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`;

const bodyOf = (...parts: Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`--${BOUNDARY}\r\n${headerOf(part)}\r\n`),
      Buffer.from(part.content ?? ''),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

const send = (method: string, path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  owner.send(method, path, body, { 'Content-Type': TYPE, ...headers });
const publish = (...parts: Part[]) => send('POST', '/deploy', bodyOf(...parts));

/** What a form of a browser or a script sends. */
async function sendForm(form: FormData, path = '/deploy', method = 'POST') {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${owner.key}` },
    body: form,
  });
  const body: unknown = await answer.json();
  return { status: answer.status, notice: answer.headers.get('formhost-notice'), body };
}

const idOf = (body: unknown): string => (body instanceof Object && 'id' in body ? String(body.id) : '');

async function pathsOf(id: string): Promise<string[]> {
  const { body } = await owner.get(`/deploy/${id}/files`).expect(200);
  return body.files.map(({ path }: { path: string }) => path);
}
const htmlOf = async (id: string): Promise<string> => (await owner.get(`/deploy/${id}/html`).expect(200)).body.html;

async function published(...parts: Part[]): Promise<string> {
  const { status, body } = await publish(...parts);
  expect({ status, body }).toEqual({ status: 201, body });
  return idOf(body);
}

/** The status and the sentence of an answer. */
const outcome = ({ status, body }: { status: number; body: unknown }): string =>
  `${status} ${body instanceof Object && 'error' in body ? body.error : JSON.stringify(body)}`;

const file = (filename: string, content: string | Buffer = 'a'): Part => ({ filename, content });
const INDEX = file('index.html', '<p>');

describe('POST /deploy of a form', () => {
  it('publishes the files of a FormData under their names, with the slug', async () => {
    const form = new FormData();
    const binary = Buffer.from([0, 0xff, 13, 10, 45, 45, 0x80]);
    form.append('slug', 'from-form');
    form.append('file', new Blob(['<link rel=stylesheet href="css/ä b.css">']), 'index.html');
    form.append('file', new Blob(['body {}\r\n']), 'css/ä b.css');
    form.append('other', new Blob([binary]), 'a"b%.bin');
    const { status, notice, body } = await sendForm(form);
    expect({ status, notice, body }).toEqual({
      status: 201,
      notice: null,
      body: { id: idOf(body), slug: 'from-form', url: expect.stringContaining('//from-form.') },
    });
    const { body: listed } = await owner.get(`/deploy/${idOf(body)}/files`).expect(200);
    expect(listed.files.map(({ path, bytes, sha256 }: Record<string, unknown>) => [path, bytes, sha256])).toEqual(
      [
        ['index.html', '<link rel=stylesheet href="css/ä b.css">'],
        ['a"b%.bin', binary],
        ['css/ä b.css', 'body {}\r\n'],
      ].map(([path = '', content = '']) => [
        path,
        Buffer.byteLength(content),
        createHash('sha256').update(content).digest('hex'),
      ]),
    );
    const page = await service.anonymous.get('/css/%C3%A4%20b.css').set('Host', 'from-form.pages.test');
    expect([page.status, page.text]).toEqual([200, 'body {}\r\n']);
  });

  it.each(['page.html', 'Meine Seite (1).HTM', './start.html', 'a/b.html'])(
    'takes %s alone as the page',
    async (name) => {
      const id = await published(file(name, '<p>ä{{FORM_ACTION}}'));
      expect(await pathsOf(id)).toEqual(['index.html']);
      expect(await htmlOf(id)).toBe('<p>ä{{FORM_ACTION}}');
    },
  );

  it('takes a page alone by its type, and a page as a text', async () => {
    const typed = { header: 'Content-Disposition: form-data; name="f"; filename="-"\r\nContent-Type: text/html\r\n' };
    expect(await htmlOf(await published({ ...typed, content: '<p>1' }))).toBe('<p>1');
    const id = await published({ name: 'html', content: '<p>2' }, file('a.css'));
    expect([await htmlOf(id), await pathsOf(id)]).toEqual(['<p>2', ['index.html', 'a.css']]);
    expect(await htmlOf(await published({ name: 'html', content: '<p>3' }))).toBe('<p>3');
  });

  it('drops a folder that contains everything, and what is no file of a site', async () => {
    const id = await published(
      file('my site/.DS_Store'),
      file('my site/index.html', '<p>'),
      file('__MACOSX/my site/._a.css'),
      file('my site/.git/config', 'x'.repeat(1_200)),
      file('my site/js/a.js'),
      file('my site/.well-known/b'),
      file('my site/Icon%0D'),
    );
    expect(await pathsOf(id)).toEqual(['index.html', '.well-known/b', 'js/a.js']);
  });

  it('unpacks a zip that is the only file', async () => {
    const zip = zipFiles({ 'x/index.html': '<p>zip', 'x/c.css': 'c' });
    for (const part of [
      file('site.ZIP', zip),
      {
        header: 'Content-Disposition: form-data; name="f"; filename="blob"\r\nContent-Type: application/zip\r\n',
        content: zip,
      },
    ]) {
      const id = await published(part);
      expect([await htmlOf(id), await pathsOf(id)]).toEqual(['<p>zip', ['index.html', 'c.css']]);
    }
    const id = await published(INDEX, file('download.zip', zip));
    expect(await pathsOf(id)).toEqual(['index.html', 'download.zip']);
    expect(outcome(await publish(file('site.zip', 'none')))).toBe(
      '400 The zip is damaged or incomplete: make it again.',
    );
  });

  it('ignores empty inputs, and names the fields that it does not know', async () => {
    const empty = { header: 'Content-Disposition: form-data; name="more"; filename=""\r\n' };
    const octets = 'Content-Type: application/octet-stream\r\n';
    const form = new FormData();
    form.append('slug', '');
    form.append('slog', 'x');
    form.append('__proto__', 'x');
    form.append('file', new Blob(['<p>']), 'index.html');
    const { status, notice } = await sendForm(form);
    expect([status, notice]).toEqual([
      201,
      'Ignored, because no field has this name: slog (did you mean slug?), __proto__',
    ]);
    const id = await published({ name: 'slug' }, empty, { header: `${empty.header}${octets}` }, INDEX);
    expect(await pathsOf(id)).toEqual(['index.html']);
  });

  it('takes a compressed body, and the slug from the query', async () => {
    const body = bodyOf(INDEX, file('a.css'));
    const zipped = await send('POST', '/deploy?slug=gzipped', gzipSync(body), { 'Content-Encoding': 'gzip' });
    expect([zipped.status, zipped.body]).toEqual([201, expect.objectContaining({ slug: 'gzipped' })]);
    const br = await send('POST', '/deploy', brotliCompressSync(body), { 'Content-Encoding': 'br' });
    expect(await pathsOf(idOf(br.body))).toEqual(['index.html', 'a.css']);
  });

  it('makes one deployment for each Idempotency-Key, whatever the boundary', async () => {
    const once = (content: string, boundary = BOUNDARY) =>
      send('POST', '/deploy', bodyOf(INDEX, file('a', content)).toString().replaceAll(BOUNDARY, boundary), {
        'Idempotency-Key': 'upload',
        'Content-Type': `multipart/form-data; boundary=${boundary}`,
      });
    const first = await once('a');
    expect(first.status).toBe(201);
    expect(await once('a', 'another')).toEqual(first);
    expect((await once('b')).status).toBe(422);
  });

  it('is for owners only, and checks the key before the body', async () => {
    const answer = await service.anonymous.post('/deploy').set('Content-Type', TYPE).send('none');
    expect(answer.status).toBe(401);
    expect((await send('PUT', '/deploy/d_000000000000000000000000', 'none')).status).toBe(404);
  });
});

describe('PUT /deploy/:id of a form', () => {
  it('replaces all files, or with a page alone only the page', async () => {
    const id = await published(INDEX, file('a.css'), file('b.css'));
    expect((await send('PUT', `/deploy/${id}`, bodyOf(file('new.html', '<p>2')))).status).toBe(200);
    expect([await htmlOf(id), await pathsOf(id)]).toEqual(['<p>2', ['index.html', 'a.css', 'b.css']]);
    expect((await send('PUT', `/deploy/${id}`, bodyOf(INDEX, file('c.css')))).status).toBe(200);
    expect([await htmlOf(id), await pathsOf(id)]).toEqual(['<p>', ['index.html', 'c.css']]);
  });

  it('honours If-Match', async () => {
    const id = await published(INDEX);
    const { headers } = await owner.get(`/deploy/${id}/html`).expect(200);
    const replace = (content: string) =>
      send('PUT', `/deploy/${id}`, bodyOf(file('index.html', content)), { 'If-Match': String(headers.etag) });
    expect((await replace('<p>2')).status).toBe(200);
    expect((await replace('<p>3')).status).toBe(412);
    expect(await htmlOf(id)).toBe('<p>2');
  });
});

describe('a form that is refused', () => {
  const NO_INDEX =
    '400 The upload has no index.html at its root, or in the one folder that contains everything: add it.';
  const INCOMPLETE =
    '400 The multipart body is malformed: send all of it, begin each part with the boundary that the content type names, and end it with the boundary between two pairs of dashes.';
  const AFTER_END = '400 The multipart body is malformed: put nothing after the boundary that ends it.';
  const UNREADABLE =
    '400 The multipart body is malformed: give each part a Content-Disposition of form-data with a name, and each file a filename.';
  const HEADER =
    '400 The multipart body is malformed: give each part a header of at most 16 KiB, with an empty line after it.';
  const NO_FILE =
    '400 The upload has no file: send each file as a part with a filename, as curl -F file=@index.html does.';
  const SLUG = '400 slug is not one text: send it once, without brackets in its name.';
  const slug = { name: 'slug', content: 'twice' };
  const raw = (header: string, content = 'a'): Part => ({ header: `${header}\r\n`, content });

  it.each<[string, string, Part[]]>([
    ['no part', NO_FILE, []],
    ['no file', NO_FILE, [slug]],
    ['ignored files only', NO_FILE, [file('.DS_Store'), file('a/.git/b')]],
    ['several files without index.html', NO_INDEX, [file('a.html'), file('b.css')]],
    ['two folders', NO_INDEX, [file('a/index.html'), file('b/c.css')]],
    ['one file that is no page', NO_INDEX, [file('a.css')]],
    ['a slug twice', SLUG, [slug, slug, INDEX]],
    [
      'a page twice',
      '400 html is not one text: send it once, without brackets in its name.',
      [
        { name: 'html', content: 'a' },
        { name: 'html', content: 'b' },
      ],
    ],
    ['a slug in brackets', SLUG, [{ name: 'slug[a]', content: 'b' }, INDEX]],
    [
      'files as a text',
      '400 files is a text: send each file as a part with a filename.',
      [{ name: 'files', content: 'a' }, INDEX],
    ],
    ['a wrong slug', '400 slug is reserved: choose another.', [{ name: 'slug', content: 'www' }, INDEX]],
    ['an empty page', '400 html is empty: send the page.', [file('index.html', '')]],
    ['a path twice', '400 The file "a" is there twice: send it once.', [INDEX, file('a'), file('./a')]],
    ['index.html twice', '400 The file "index.html" is there twice: send it once.', [INDEX, INDEX]],
    [
      'a page as a text and a file',
      '400 The page is there twice: send it as html, or as the file "index.html".',
      [{ name: 'html', content: 'a' }, INDEX],
    ],
    ['a path that leads out', '400 The file "../a" is refused: the path has the name "..".', [INDEX, file('../a')]],
    [
      'a page alone that leads out',
      '400 The file "../a.html" is refused: the path has the name "..".',
      [file('../a.html')],
    ],
    ['a root', '400 The file "/a" is refused: a name in the path is empty.', [INDEX, file('/a')]],
    [
      'a backslash',
      '400 The file "a\\\\b" is refused: the path has a backslash: separate names with /.',
      [INDEX, file('a\\b')],
    ],
    ['a long name', '400 The file "aaa', [INDEX, file('a'.repeat(256))]],
    ['a long path', '400 The file "a/a', [INDEX, file('a/'.repeat(3_000))]],
    [
      'a path that is not UTF-8',
      '400 The file "\ufffd',
      [INDEX, raw('Content-Disposition: form-data; name="f"; filename="\ufffd"')],
    ],
    [
      'a page that is not UTF-8',
      '400 The file "b.html" is not UTF-8: save it as UTF-8, and send it again.',
      [INDEX, file('b.html', Buffer.from([0xe4]))],
    ],
    [
      'a page alone that is not UTF-8',
      '400 The file "b.html" is not UTF-8: save it as UTF-8, and send it again.',
      [file('b.html', Buffer.from([0xe4]))],
    ],
    [
      'a text that is not UTF-8',
      '400 html has a character that is not UTF-8: save the page as UTF-8, or send it as a file.',
      [{ name: 'html', content: Buffer.from([0xe4]) }],
    ],
    [
      'too many files',
      '413 The site has too many files: send at most 4, with index.html.',
      [INDEX, file('a'), file('b'), file('c'), file('d')],
    ],
    [
      'a file that is too large',
      '413 The file "a" is too large: send at most 1000 bytes.',
      [INDEX, file('a', 'a'.repeat(1_001))],
    ],
    [
      'a page that is too large',
      '413 html is too large: send at most 500 bytes.',
      [file('index.html', 'a'.repeat(501))],
    ],
    [
      'a page alone that is too large, and not UTF-8',
      '413 html is too large: send at most 500 bytes.',
      [file('b.html', Buffer.alloc(501, 0xe4))],
    ],
    [
      'another page that is too large, and not UTF-8',
      '413 The file "b.html" is too large: send at most 500 bytes.',
      [INDEX, file('b.html', Buffer.alloc(501, 0xe4))],
    ],
    [
      'a text that is too large',
      '413 A text field is too large: send at most 500 bytes in each.',
      [{ name: 'html', content: 'a'.repeat(501) }],
    ],
    [
      'too much in all',
      '413 The site is too large: send at most 1500 bytes in all.',
      [INDEX, file('a', 'a'.repeat(999)), file('b', 'b'.repeat(499))],
    ],
    [
      'too many ignored files',
      '413 The body has too many files: send fewer.',
      Array.from({ length: 41 }, () => file('.a')),
    ],
    [
      'too many parts',
      '413 The body has too many parts: send fewer files.',
      [...Array.from({ length: 70 }, () => file('.a')), ...Array.from({ length: 71 }, () => ({ name: 'a' }))],
    ],
    [
      'too many texts',
      '413 The body has too many text fields: send at most 100.',
      Array.from({ length: 101 }, () => ({ name: 'a' })),
    ],
    [
      'a long name of a field',
      '413 The name of a field is too long: send at most 200 characters.',
      [INDEX, { name: 'a'.repeat(201) }],
    ],
    [
      'a long list',
      '400 The multipart body is malformed: send no fields whose names have high numbers in brackets.',
      [INDEX, { name: 'a[4294967294]' }],
    ],
    ['a part without a name', UNREADABLE, [INDEX, raw('Content-Disposition: form-data; filename="a"')]],
    ['a part without a disposition', UNREADABLE, [INDEX, raw('Content-Type: text/plain')]],
    [
      'a part of another disposition',
      UNREADABLE,
      [INDEX, raw('Content-Disposition: attachment; name="a"; filename="b"')],
    ],
    ['a filename that does not end', UNREADABLE, [INDEX, raw('Content-Disposition: form-data; name="a"; filename="b')]],
    [
      'a content without a filename',
      UNREADABLE,
      [INDEX, raw('Content-Disposition: form-data; name="a"\r\nContent-Type: application/octet-stream')],
    ],
    ['a header without its end', HEADER, [INDEX, raw('Content-Disposition form-data')]],
    [
      'a header that is too long',
      HEADER,
      [INDEX, raw(`Content-Disposition: form-data; name="a"; filename="${'a'.repeat(20_000)}"`)],
    ],
    [
      'a text in a charset that is not known',
      '415 The charset of a part is not supported: send UTF-8.',
      [INDEX, raw('Content-Disposition: form-data; name="slug"\r\nContent-Type: text/plain; charset=klingon')],
    ],
    [
      'a file in base64',
      '400 The multipart body is malformed: send each part as it is, without a Content-Transfer-Encoding.',
      [
        INDEX,
        raw('Content-Disposition: form-data; name="a"; filename="b"\r\nContent-Transfer-Encoding: base64', 'YQ=='),
      ],
    ],
  ])('has %s', async (_case, expected, parts) => {
    const { body: before } = await owner.get('/deploy');
    expect(outcome(await publish(...parts))).toContain(expected);
    expect((await owner.get('/deploy')).body.total).toBe(before.total);
  });

  const whole = bodyOf(INDEX, file('a.css', 'a')).toString();
  it.each([
    ['is empty', INCOMPLETE, '', TYPE],
    ['is none', INCOMPLETE, '<p>', TYPE],
    ['is cut off', INCOMPLETE, whole.slice(0, -10), TYPE],
    // The parser would wait for ever: the header of a file goes on behind the next boundary, and the file has no end.
    [
      'has a header that the next boundary cuts off',
      HEADER,
      `--${BOUNDARY}\r\n${headerOf(file('a'))}--${BOUNDARY}\r\n\r\n---${BOUNDARY}\r\na: b\r\n--${BOUNDARY}--\r\n`,
      TYPE,
    ],
    ['has a header that the end cuts off', HEADER, `--${BOUNDARY}\r\n${headerOf(file('a'))}--${BOUNDARY}--\r\n`, TYPE],
    ['is cut off in a header', INCOMPLETE, whole.slice(0, 40), TYPE],
    ['has another boundary', INCOMPLETE, whole, 'multipart/form-data; boundary=line-8'],
    [
      'has its boundary in a content',
      '400 The multipart body is malformed: choose a boundary that no content has, with a line break after it.',
      bodyOf(file('a.css', `a\r\n--${BOUNDARY}8`), INDEX).toString(),
      TYPE,
    ],
    ['goes on after its end', AFTER_END, whole + bodyOf(file('b')).toString(), TYPE],
    ['goes on after its end, without another', AFTER_END, whole + bodyOf(file('b')).toString().slice(0, -12), TYPE],
    [
      'names no boundary',
      '400 The multipart body is malformed: name its boundary, 1 to 70 characters, in the content type.',
      whole,
      'multipart/form-data',
    ],
    [
      'names a long boundary',
      '400 The multipart body is malformed: name its boundary, 1 to 70 characters, in the content type.',
      whole,
      `multipart/form-data; boundary=${'a'.repeat(71)}`,
    ],
    [
      'is of another type',
      '415 The content type is not supported: send JSON with Content-Type: application/json, or the page itself with Content-Type: text/html, or a site with Content-Type: application/zip, or its files with Content-Type: multipart/form-data.',
      whole,
      `multipart/mixed; boundary=${BOUNDARY}`,
    ],
    ['is too large', '413 The body is too large: send at most 271836 bytes.', 'a'.repeat(271_837), TYPE],
  ])('%s', async (_case, expected, body, type) => {
    expect(outcome(await send('POST', '/deploy', body, { 'Content-Type': type }))).toBe(expected);
  });

  it('has a slug in the query too', async () => {
    expect(outcome(await send('POST', '/deploy?slug=one', bodyOf({ name: 'slug', content: 'one' }, INDEX)))).toBe(
      '400 slug is not one string: send it once, or leave it out.',
    );
  });

  it('is told to programs with the places of what is wrong', async () => {
    const errorsOf = async (...parts: Part[]) => {
      const { body } = await send('POST', '/deploy', bodyOf(...parts), { Accept: 'application/problem+json' });
      const errors = body instanceof Object && 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
      return errors.map(({ pointer, code, limit }) =>
        [pointer, code, ...(limit === undefined ? [] : [limit])].join(' '),
      );
    };
    expect(await errorsOf(INDEX, { name: 'slug', content: 'A' })).toEqual(['/slug wrong-format']);
    expect(await errorsOf(slug, slug, INDEX)).toEqual(['/slug not-allowed']);
    expect(await errorsOf()).toEqual(['/html missing']);
    expect(await errorsOf(file('a.css'))).toEqual(['/html missing']);
    expect(await errorsOf(INDEX, file('../a'), file('b\\c'), file('d/e'))).toEqual([
      '/files/..~1a wrong-format',
      '/files/b\\c wrong-format',
    ]);
    expect(await errorsOf(INDEX, file('a/b'), file('a/b'))).toEqual(['/files/a~1b not-allowed']);
    expect(await errorsOf(INDEX, file('../a'), { name: 'slug', content: 'A' })).toEqual([
      '/files/..~1a wrong-format',
      '/slug wrong-format',
    ]);
    expect(await errorsOf(file('index.html', 'a'.repeat(501)))).toEqual(['/html too-long 500']);
    expect(await errorsOf(INDEX, file('a'), file('b'), file('c'), file('d'))).toEqual(['/files too-long 3']);
  });

  it('ends with its client, and the next one is read', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = `POST /deploy HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${owner.key}\r\nContent-Type: ${TYPE}\r\nContent-Length: 100000\r\n\r\n`;
    socket.end(`${head}${whole}`);
    expect(await text(socket)).toContain('HTTP/1.1 400 ');
    await published(INDEX);
  });
});
