import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';

/*
 * An S3 server in this process, written from the documentation of S3 and of Signature Version 4, without code of the
 * service. It keeps objects in memory, verifies every signature and every hash, and can fail as servers do.
 */

export const S3_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'AKIATESTTESTTESTTEST',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const BUCKET = 'forms';
const REGION = 'eu-central-1';
const MAX_SKEW_MS = 15 * 60 * 1_000;

/** `isDone`: whether the server has stored or deleted already what was asked, and only the answer is missing. */
export type S3Request = { method: string; key: string; isList: boolean; isDone: boolean; step?: UploadStep };
/** A step of an upload in parts. */
type UploadStep = 'begin' | 'part' | 'complete' | 'abort';
/** Called with a request before the server does anything, and again before it answers; `true`: the test has answered it. */
type Intercept = (request: S3Request, response: ServerResponse) => Promise<boolean> | boolean;

/** Every part of an upload but the last has so many bytes at least. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`;

/** The step of an upload in parts that a request is, if any. */
function stepOf(method: string, query: URLSearchParams): UploadStep | undefined {
  if (method === 'POST' && query.has('uploads')) return 'begin';
  if (!query.has('uploadId')) return undefined;
  if (method === 'POST') return 'complete';
  return method === 'DELETE' ? 'abort' : 'part';
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

export function s3Error(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`);
  return true;
}

/** The fault of a request's signature, as S3 calls it; undefined when it is right. */
function signatureFault(request: IncomingMessage, body: Buffer, now: number): string | undefined {
  const { authorization = '', host = '' } = request.headers;
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      authorization,
    );
  if (!found) return 'AccessDenied';
  const [, keyId, day = '', region = '', names = '', signature] = found;
  if (keyId !== S3_CREDENTIALS.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return 'AccessDenied';
  const payload = String(request.headers['x-amz-content-sha256']);
  if (payload !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const date = String(request.headers['x-amz-date']);
  const time = Date.parse(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
  if (!date.startsWith(day) || Math.abs(time - now) > MAX_SKEW_MS) return 'RequestTimeTooSkewed';
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const query = search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((text) => decodeURIComponent(text.replaceAll('+', ' ')));
      return [name, value].map((text) => encodeURIComponent(text)).join('=');
    })
    .toSorted();
  const headers = signed.map((name) => `${name}:${name === 'host' ? host : request.headers[name]}\n`).join('');
  const canonical = [request.method, path, query.join('&'), headers, names, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, part) => hmac(last, part),
    `AWS4${S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY}`,
  );
  const wanted = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
  return wanted === signature ? undefined : 'SignatureDoesNotMatch';
}

/** Starts a server with one bucket. `host`: of its endpoint. `tls`: its key and certificate; without them there is no TLS. */
export async function startS3({
  host = '127.0.0.1',
  tls,
  maxListed = 1_000,
  minPartBytes = MIN_PART_BYTES,
}: {
  host?: string;
  tls?: { key: Buffer; cert: Buffer };
  /** Objects that one answer lists: fewer than asked for, as S3 may. */
  maxListed?: number;
  minPartBytes?: number;
} = {}) {
  const objects = new Map<string, { content: Buffer; modifiedAt: Date }>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  const requests: S3Request[] = [];
  let begun = 0;
  let intercept: Intercept = () => false;
  let skewMs = 0;

  function list(query: URLSearchParams, response: ServerResponse): void {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('start-after') ?? ''];
    const max = Math.min(Number(query.get('max-keys') ?? maxListed), maxListed);
    const found = [...objects]
      .filter(([key]) => key.startsWith(prefix) && key > after)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const contents = found
      .slice(0, max)
      .map(
        ([key, { content, modifiedAt }]) =>
          `<Contents><Key>${key}</Key><LastModified>${modifiedAt.toISOString()}</LastModified><Size>${content.length}</Size></Contents>`,
      );
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${found.length > max}</IsTruncated>${contents.join('')}</ListBucketResult>`,
    );
  }

  function get(request: IncomingMessage, key: string, response: ServerResponse): void {
    const found = objects.get(key);
    if (!found) return void s3Error(response, 404, 'NoSuchKey');
    const { content } = found;
    response.setHeader('ETag', etagOf(content));
    const wanted = request.headers['if-match'];
    if (wanted !== undefined && wanted !== etagOf(content)) return void s3Error(response, 412, 'PreconditionFailed');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) {
      response.writeHead(200, { 'Content-Length': content.length });
      response.end(content);
      return;
    }
    if (Number(from) >= content.length) return void s3Error(response, 416, 'InvalidRange');
    const part = content.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, {
      'Content-Length': part.length,
      'Content-Range': `bytes ${from}-${Number(from) + part.length - 1}/${content.length}`,
    });
    response.end(part);
  }

  /** The whole object of an upload, from the list of its parts; the code of an error where S3 refuses that. */
  function putTogether(parts: ReadonlyMap<number, Buffer>, xml: string): Buffer | string {
    const listed = [...xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag><\/Part>/g)];
    if (listed.length === 0) return 'MalformedXML';
    if (listed.some(([, number], index) => index > 0 && Number(number) <= Number(listed[index - 1]?.[1]))) {
      return 'InvalidPartOrder';
    }
    const contents: Buffer[] = [];
    for (const [, number, etag] of listed) {
      const content = parts.get(Number(number));
      if (!content || etagOf(content) !== etag) return 'InvalidPart';
      contents.push(content);
    }
    const all = contents.slice(0, -1);
    if (all.some(({ length }) => length < minPartBytes)) return 'EntityTooSmall';
    // R2 demands it.
    return all.some(({ length }) => length !== all[0]?.length) ? 'InvalidPart' : Buffer.concat(contents);
  }

  /** Does a step of an upload, and returns what answers it. */
  function doStep(
    step: UploadStep,
    key: string,
    query: URLSearchParams,
    body: Buffer,
  ): (response: ServerResponse) => void {
    const xml = (name: string, content: string) => (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/xml' });
      response.end(
        `<?xml version="1.0"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`,
      );
    };
    if (step === 'begin') {
      begun += 1;
      uploads.set(`upload+${begun}/=`, { key, parts: new Map() });
      return xml('InitiateMultipartUploadResult', `<Key>${key}</Key><UploadId>upload+${begun}/=</UploadId>`);
    }
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload?.key !== key) return (response) => void s3Error(response, 404, 'NoSuchUpload');
    if (step === 'abort') {
      uploads.delete(id);
      return (response) => void response.writeHead(204).end();
    }
    if (step === 'part') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return (response) => void response.writeHead(200, { ETag: etagOf(body) }).end();
    }
    const content = putTogether(upload.parts, body.toString());
    if (typeof content === 'string') return (response) => void s3Error(response, 400, content);
    uploads.delete(id);
    objects.set(key, { content, modifiedAt: new Date() });
    return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"0-${upload.parts.size}"</ETag>`);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://s3');
    const [, bucket = '', ...rest] = url.pathname.split('/');
    const key = rest.join('/');
    const method = request.method ?? '';
    const step = stepOf(method, url.searchParams);
    const isList = url.searchParams.has('list-type');
    const seen = { method, key, isList, isDone: false, ...(step && { step }) };
    requests.push(seen);
    response.setHeader('Date', new Date(Date.now() + skewMs).toUTCString());
    const body = await buffer(request);
    if (await intercept(seen, response)) return;
    const fault = signatureFault(request, body, Date.now() + skewMs);
    if (fault !== undefined) return void s3Error(response, 403, fault);
    if (bucket !== BUCKET) return void s3Error(response, 404, 'NoSuchBucket');
    if (step) {
      const send = doStep(step, key, url.searchParams, body);
      if (!(await intercept({ ...seen, isDone: true }, response))) send(response);
      return;
    }
    if (method === 'GET' && (await intercept({ ...seen, isDone: true }, response))) return;
    if (method === 'GET' && seen.isList) return list(url.searchParams, response);
    if (method === 'GET') return get(request, key, response);
    if (method === 'DELETE') objects.delete(key);
    else if (request.headers['if-none-match'] === '*' && objects.has(key)) {
      return void s3Error(response, 412, 'PreconditionFailed');
    } else objects.set(key, { content: body, modifiedAt: new Date() });
    if (await intercept({ ...seen, isDone: true }, response)) return;
    response.writeHead(method === 'DELETE' ? 204 : 200, { ETag: etagOf(body) });
    response.end();
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, host === '[::1]' ? '::1' : '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const endpoint = `${tls ? 'https' : 'http'}://${host}:${address.port}`;

  return {
    endpoint,
    /** Settings of a service that keeps its files here, under a prefix. */
    settings: (prefix = 'a') => ({
      ...S3_CREDENTIALS,
      FILES_URL: `s3://${BUCKET}/${prefix}?endpoint=${endpoint}&region=${REGION}`,
    }),
    objects,
    /** Uploads in parts that were neither completed nor aborted, by their ids. */
    uploads,
    requests,
    /** The keys of files. */
    files: (): string[] => [...objects.keys()].filter((key) => key.includes('/files/')).toSorted(),
    intercept(next: Intercept): void {
      intercept = next;
    },
    behave(): void {
      intercept = () => false;
      skewMs = 0;
    },
    /** How far its clock is ahead. */
    skew(ms: number): void {
      skewMs = ms;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type S3 = Awaited<ReturnType<typeof startS3>>;
