import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { answer, failure, fixedHeaders, refused } from '../../support/answers.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { openSocket, testService } from '../../support/test-service.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const TYPE = 'multipart/form-data; boundary=b';
const PER_DEPLOYMENT = 10;

type FileValue = { filename: string; content_type: string; size: number; url: string };
type Part = [parameters: string, content: string | Buffer];

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', TRUST_PROXY: '1' });
/** Another process. */
const other = await service.another();
const owner = await service.owner();

const deploy = async (): Promise<string> => (await owner.deploy()).id;

async function submit(id: string, form: Buffer, { url = service.url, headers = {} } = {}) {
  const response = await fetch(`${url}/submit/${id}`, {
    method: 'POST',
    body: new Uint8Array(form),
    headers: { 'Content-Type': TYPE, ...headers },
  });
  const body: { id: string } = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, body };
}

/** A submission of these parts to a new deployment, and what is listed of it. */
async function stored(...parts: Part[]) {
  const deploymentId = await deploy();
  const { status, body } = await submit(deploymentId, multipartBody(...parts));
  expect([status, body]).toEqual([200, { message: 'Submission received', id: expect.stringMatching(/^sub_/) }]);
  const { text: list } = await owner.get(`/submissions/${deploymentId}`);
  return { deploymentId, submissionId: body.id, list, data: JSON.parse(list).submissions[0].data };
}

async function get(path: string, { key = owner.key, method = 'GET' } = {}) {
  const response = await fetch(service.url + path, { method, headers: { Authorization: `Bearer ${key}` } });
  const content = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: fixedHeaders(response), content };
}

const part = (filename: string, content: string | Buffer, name = 'f'): Part => [
  `name="${name}"; filename="${filename}"`,
  content,
];
const urlPattern = (deploymentId: string, submissionId: string) =>
  expect.stringMatching(new RegExp(`^/submissions/${deploymentId}/${submissionId}/files/file_[0-9A-Za-z]{20,}$`));

const rowsOf = async (deploymentId: string): Promise<{ files: number; bytes: number }> => {
  const { rows } = await service.db.raw(
    `SELECT count(DISTINCT files.id)::int AS files, coalesce(sum(length(content)), 0)::int AS bytes
       FROM submission_files AS files LEFT JOIN submission_file_chunks ON file_id = files.id WHERE deployment_id = ?`,
    [deploymentId],
  );
  return rows[0];
};
const NOTHING = { files: 0, bytes: 0 };

describe('POST /submit/:deployId with files', () => {
  it('gives back files of any size as they were', async () => {
    const pieces = [
      Buffer.alloc(0),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.from('\r\n--bx\r\n--b-\r\n\r\n\r\n--b--x\r\n--'),
      randomBytes(256 * KIB),
      randomBytes(256 * KIB + 1),
    ];
    const contents = [...pieces, randomBytes(MIB - 1)];
    const { data } = await stored(...contents.map((content, n) => part('a.bin', content, `f${n}`)));
    for (const [n, content] of contents.entries()) {
      const file = await get(data[`f${n}`].url);
      expect([file.status, data[`f${n}`].size, file.content.equals(content)]).toEqual([200, content.length, true]);
    }
  });

  it('has its fields in order, other fields beside it', async () => {
    const { list, data, deploymentId, submissionId } = await stored(
      ['name="a"', 'x'],
      ['name="cv"; filename="cv.pdf"\r\nContent-Type: Application/PDF; a="b c"', '%PDF'],
      part('', '', 'photo'),
    );
    const { url } = data.cv;
    expect(url).toEqual(urlPattern(deploymentId, submissionId));
    const text = `{"filename":"cv.pdf","content_type":"Application/PDF; a=\\"b c\\"","size":4,"url":"${url}"}`;
    expect(list).toContain(`"data":{"a":"x","cv":${text},"photo":""},`);
  });

  it('is refused before it is sent, where Content-Length says too much', async () => {
    const socket = openSocket(service.url);
    socket.write(
      `POST /submit/${await deploy()} HTTP/1.1\r\nHost: api.test\r\nContent-Type: ${TYPE}\r\nContent-Length: ${40 * MIB}\r\n\r\n`,
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*\{"error":"The body is too large: send at most \d+ bytes\."\}$/,
    );
  });

  it('takes only empty files with MAX_FILE_BYTES=0', async () => {
    const { url } = await service.another({ MAX_FILE_BYTES: '0' });
    const id = await deploy();
    expect(answer(await submit(id, multipartBody(part('a', 'x')), { url }))).toEqual(refused(413));
    expect((await submit(id, multipartBody(part('a', ''), part('', '')), { url })).status).toBe(200);
    expect(await rowsOf(id)).toEqual({ files: 1, bytes: 0 });
  });

  it('lets exactly 10 of 40 in, with files and without, over two processes, and keeps the files of those alone', async () => {
    const urls = [service.url, other.url];
    const id = await deploy();
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const parts = n % 4 < 2 ? part('a', 'x'.repeat(n + 1)) : part('', '');
        return { n, ...(await submit(id, multipartBody(parts), { url: urls[n % 2] ?? '' })) };
      }),
    );
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.length).toBe(PER_DEPLOYMENT);
    for (const { status, headers, body } of answers.filter((one) => !taken.includes(one))) {
      expect([status, body]).toEqual([429, failure]);
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
    }
    const sizes = taken.flatMap(({ n }) => (n % 4 < 2 ? [n + 1] : []));
    expect(await rowsOf(id)).toEqual({ files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(PER_DEPLOYMENT);
  });

  it('writes no file for a deployment that takes no more', async () => {
    const id = await deploy();
    for (let count = 0; count < PER_DEPLOYMENT; count += 1) await submit(id, multipartBody());
    await service.db.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'written'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON submission_files
        FOR EACH ROW WHEN (NEW.deployment_id = '${id}') EXECUTE FUNCTION refuse()`);
    // One process has it from memory, the other from the database.
    for (const { url } of [service, other]) {
      expect(answer(await submit(id, multipartBody(part('a', 'x')), { url }))).toEqual(refused(429));
    }
  });
});

describe('the memory of uploads', () => {
  it('is bounded: past it an upload is a 503, a small submission is not, and there is room once some have gone', async () => {
    const [id, other] = [await deploy(), await deploy()];
    const file = multipartBody(...[10, 10, 5].map((size) => part('a', Buffer.alloc(size * MIB))));
    const head = `POST /submit/${id} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\nContent-Type: ${TYPE}\r\nContent-Length: ${file.length}\r\n`;
    // Each from another address, for one sender may have no more than half of it.
    const begin = async (_each: undefined, index: number): Promise<Socket> => {
      const socket = openSocket(service.url);
      socket.write(`${head}X-Forwarded-For: 203.0.113.${index + 1}\r\n\r\n`);
      await new Promise((resolve) => socket.write(file.subarray(0, -1), resolve));
      return socket;
    };
    const sockets = await Promise.all(Array.from<undefined>({ length: 5 }).map(begin));
    const refusal = { status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/), body: failure };
    const again = async () => {
      const { status, headers, body } = await submit(other, file);
      return { status, retryAfter: headers.get('retry-after'), body };
    };
    await expect.poll(() => again()).toEqual(refusal);
    expect((await submit(id, multipartBody(part('a', 'small')))).status).toBe(200);
    expect((await owner.post(`/submit/${id}`).send({ a: 'small' })).status).toBe(200);

    // One is let finish, the others leave.
    const [first, ...others] = sockets;
    for (const socket of others) socket.destroy();
    first?.write(file.subarray(-1));
    expect(first && (await text(first))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await expect.poll(async () => (await again()).status).toBe(200);
  });
});

describe('GET /submissions/:deployId/:submissionId/files/:fileId', () => {
  it('answers the file as an attachment that does nothing', async () => {
    const { data } = await stored(['name="f"; filename="a.html"\r\nContent-Type: text/html', '<script>1</script>']);
    const harmless = { 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' };
    const sent = {
      'content-disposition': 'attachment; filename=a.html',
      'content-length': '18',
      'content-type': 'text/html',
    };
    const headers = { 'cache-control': 'no-store', ...sent, ...harmless };
    const expected = { status: 200, headers, content: Buffer.from('<script>1</script>') };
    expect(await get(data.f.url)).toEqual(expected);
    expect(await get(data.f.url, { method: 'HEAD' })).toEqual({ ...expected, content: Buffer.alloc(0) });
  });

  it('names it safely', async () => {
    const names: [sent: string, header: string][] = [
      ['a%22b', 'attachment; filename="a\\"b"'],
      ['a%0D%0AX: y', `attachment; filename="a??X: y"; filename*=UTF-8''a%0D%0AX%3A%20y`],
      ['../../etc/passwd', 'attachment; filename=passwd'],
      ['naïve 😀.txt', `attachment; filename="na?ve ??.txt"; filename*=UTF-8''na%C3%AFve%20%F0%9F%98%80.txt`],
      ['', 'attachment'],
      ['é'.repeat(5_000), `attachment; filename="${'?'.repeat(127)}"; filename*=UTF-8''${'%C3%A9'.repeat(127)}`],
    ];
    const { data } = await stored(...names.map(([name], n) => part(name, 'x', `f${n}`)));
    for (const [n, [sent, header]] of names.entries()) {
      const file: FileValue = data[`f${n}`];
      expect((await get(file.url)).headers['content-disposition']).toBe(header);
      expect(file.filename).toBe(sent.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n'));
    }
  });

  it('holds no connection of the pool for those who do not read, and lets go of those who leave', async () => {
    const { data } = await stored(part('a', randomBytes(10 * MIB)));
    const readers = Array.from({ length: 12 }, () => {
      const socket = openSocket(service.url);
      socket.write(`GET ${data.f.url} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`);
      return socket;
    });
    await Promise.all(readers.map((socket) => once(socket, 'readable')));
    for (const socket of readers) socket.pause();
    const file = await get(data.f.url);
    expect([file.status, file.content.length]).toEqual([200, 10 * MIB]);
    for (const socket of readers) socket.destroy();
    expect((await get(data.f.url)).content.equals(file.content)).toBe(true);
  });

  it('cuts a file off, and never ends it as if it were whole, when it is deleted meanwhile', async () => {
    const { data, deploymentId, submissionId } = await stored(part('a', randomBytes(10 * MIB)));
    const response = await fetch(service.url + data.f.url, { headers: { Authorization: `Bearer ${owner.key}` } });
    expect(response.status).toBe(200);
    await service.db('submission_files').where({ deployment_id: deploymentId, submission_id: submissionId }).delete();
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await rowsOf(deploymentId)).toEqual(NOTHING);
  });
});
