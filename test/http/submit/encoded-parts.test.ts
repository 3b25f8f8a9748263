import { describe, expect, it } from 'vitest';
import { failure } from '../../support/answers.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { testService } from '../../support/test-service.ts';

const MIB = 1024 * 1024;
const TYPE = 'multipart/form-data; boundary=b';

const service = await testService({ MAX_FILE_BYTES: String(8 * MIB), MAX_FILES_BYTES: String(8 * MIB) });
const owner = await service.owner();

/** The answer to parts, and what is listed of the submission. */
async function submit(...parts: [parameters: string, content: string | Buffer][]) {
  const { id } = await owner.deploy();
  const body = new Uint8Array(multipartBody(...parts));
  const response = await fetch(`${service.url}/submit/${id}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': TYPE },
  });
  const answer: unknown = await response.json();
  const { submissions } = (await owner.get(`/submissions/${id}`)).body;
  return { status: response.status, answer, data: submissions[0]?.data };
}

async function download(path: string) {
  const response = await fetch(service.url + path, { headers: { Authorization: `Bearer ${owner.key}` } });
  return { name: response.headers.get('content-disposition'), content: Buffer.from(await response.arrayBuffer()) };
}

describe('a part of POST /submit/:deployId', () => {
  it.each([
    ['text', 'text/plain', Buffer.from('Liebe Grüße')],
    ['binary', 'application/octet-stream', Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80])],
  ])('is a file when only filename* names it: %s', async (_what, type, content) => {
    const { status, data } = await submit([
      `name="cv"; filename*=UTF-8''L%C3%A4ufe.pdf\r\nContent-Type: ${type}`,
      content,
    ]);
    expect([status, data]).toEqual([
      200,
      { cv: { filename: 'Läufe.pdf', content_type: type, size: content.length, url: expect.any(String) } },
    ]);
    expect(await download(data.cv.url)).toEqual({
      name: `attachment; filename="L?ufe.pdf"; filename*=UTF-8''L%C3%A4ufe.pdf`,
      content,
    });
  });

  it('has the name of filename* as .NET sends it', async () => {
    const names = `filename="=?utf-8?B?TMOkdWZlLnBkZg==?="; filename*=utf-8''L%C3%A4ufe.pdf`;
    const { data } = await submit([`name=cv; ${names}`, 'x']);
    expect(data.cv.filename).toBe('Läufe.pdf');
  });

  it('is decoded from its charset, next to others in UTF-8', async () => {
    const { data } = await submit(
      ['name=a\r\nContent-Type: text/plain; charset=ISO-8859-1', Buffer.from('Z\xfcrich', 'latin1')],
      ['name=b\r\nContent-Type: text/plain; charset=utf-16', Buffer.from('Zürich', 'utf16le')],
      ['name=c', 'Zürich'],
    );
    expect(data).toEqual({ a: 'Zürich', b: 'Zürich', c: 'Zürich' });
  });

  it.each([
    [415, 'Content-Type: text/plain; charset=x-none', 'a'],
    [400, 'Content-Transfer-Encoding: x-uuencode', 'a'],
    [400, 'Content-Transfer-Encoding: base64', 'YW'],
    [400, 'Content-Type: text/plain; charset=utf-16', 'odd'],
  ])('is refused with %i, and nothing is stored: %s', async (status, lines, content) => {
    expect(await submit([`name=a\r\n${lines}`, content])).toEqual({ status, answer: failure, data: undefined });
  });

  it('may be as large in base64 as without, and not larger', async () => {
    const inBase64 = (bytes: number): [string, string] => [
      'name=f; filename=x\r\nContent-Transfer-Encoding: base64',
      Buffer.alloc(bytes, 'x').toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ];
    const { status, data } = await submit(inBase64(8 * MIB));
    expect([status, data?.f.size]).toEqual([200, 8 * MIB]);
    const { content } = await download(data.f.url);
    expect(content.equals(Buffer.alloc(8 * MIB, 'x'))).toBe(true);
    expect((await submit(inBase64(8 * MIB + 1))).answer).toEqual({
      error: `A file is too large: send at most ${8 * MIB} bytes in each.`,
    });
  });
});
