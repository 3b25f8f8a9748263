import { randomBytes } from 'node:crypto';
import { IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { BodyReader } from '../../src/http/request/body.ts';
import { mediaType } from '../../src/http/request/json-body.ts';
import { HttpError } from '../../src/http/response/errors.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import type { Limits } from '../../src/limits.ts';
import { SIZES } from '../../src/sizes.ts';
import { serve } from '../support/http-server.ts';
import { testLimits } from '../support/test-limits.ts';

const MIB = 1024 * 1024;
/** A small part of production's: how large bodies are does not matter, as long as they are counted. */
const BUDGET = 2 * MIB;
const MAX_CONTENT_TYPE = SIZES.internalHeaders.contentTypeChars;
const SMALL_BODY_BYTES = SIZES.body.smallBytes;
/** Two of these fit into the memory that large bodies may have, and three don't. */
const LARGE = 800 * 1024;
const LIMIT = 2 * LARGE;

/** The client of a body: another one for each request, unless a header names one. */
let senders = 0;
function clientOf({ headers }: IncomingMessage): string {
  senders += 1;
  return String(headers['x-sender'] ?? senders);
}

const newReader = (requests: Partial<Limits['requests']> = {}): BodyReader =>
  new BodyReader(
    1,
    new ComputePool({ maxHtmlBytes: 0 }, testLimits()),
    testLimits({ requests: { memoryBudgetBytes: BUDGET, ...requests } }),
  );

/** Text that becomes some 30 times as small. */
const text30 = (bytes: number): string =>
  Array.from({ length: bytes / 256 }, () => randomBytes(4).toString('hex').padEnd(256, '-')).join('');

const statusOf = (error: unknown): string => (error instanceof HttpError ? `${error.status}` : String(error));

/**
 * A body without a length that is being read, at most `limit` bytes; `read` is its size, or the status of its refusal.
 */
function startBody(limit: number) {
  const incoming = new IncomingMessage(new Socket());
  const body = newReader();
  return {
    read: body.bytes(incoming, limit, body.reserve('a')).then(({ length }) => `${length}`, statusOf),
    async push(bytes: number): Promise<void> {
      incoming.push(Buffer.alloc(bytes));
      await nextTurn();
    },
    end: () => void incoming.push(null),
  };
}

/** A server that reads bodies, and answers with their sizes, or with the status of their refusal. */
async function startReader(read: (body: BodyReader, request: IncomingMessage) => Promise<Buffer>) {
  const body = newReader();
  const { url } = await serve((incoming, response) => {
    read(body, incoming).then(
      (bytes) => response.end(String(bytes.length)),
      (error) => {
        incoming.resume();
        response.end(statusOf(error));
      },
    );
  });
  return Object.assign(
    async (content: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<string> =>
      (await fetch(url, { method: 'POST', body: content, headers })).text(),
    {
      /** Begins a body without a length; `push` sends more of it, `answer` is what is said in the end. */
      begin(headers: Record<string, string> = {}) {
        const out = request(url, { method: 'POST', headers });
        const answer = new Promise<string>((resolve, reject) => {
          out.on('response', (response) => resolve(text(response))).on('error', reject);
        });
        // It may be broken off.
        answer.catch(() => undefined);
        onTestFinished(() => void out.destroy());
        return {
          answer,
          push: (bytes: number) => new Promise<void>((resolve) => void out.write(Buffer.alloc(bytes), () => resolve())),
          end: () => void out.end(),
          breakOff: () => void out.destroy(),
        };
      },
    },
  );
}

it.each([
  ['as it came', new Uint8Array(LARGE), {}],
  ['as it has become', new Uint8Array(gzipSync(text30(LARGE))), { 'Content-Encoding': 'gzip' }],
])(
  'counts a body that is held until it is let go, %s, and refuses only large ones for it',
  async (_how, body, headers) => {
    const stored = Promise.withResolvers<void>();
    let read = 0;
    const send = await startReader(async (reader, request) => {
      using reservation = reader.reserve(clientOf(request));
      const bytes = await reader.bytes(request, LIMIT, reservation);
      read += 1;
      if (bytes.length === LARGE) await stored.promise;
      return bytes;
    });
    const held = [send(body, headers), send(body, headers)];
    await expect.poll(() => read).toBe(2);
    expect(await send(new Uint8Array(LARGE))).toBe('503');
    expect(await send(new Uint8Array(SMALL_BODY_BYTES))).toBe(`${SMALL_BODY_BYTES}`);
    stored.resolve();
    expect(await Promise.all(held)).toEqual([`${LARGE}`, `${LARGE}`]);
    expect(await send(new Uint8Array(LARGE))).toBe(`${LARGE}`);
  },
);

/** A request with a compressed body, all of which has come. */
function compressedRequest(body: Buffer, encoding = 'gzip'): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers['content-encoding'] = encoding;
  incoming.push(body);
  incoming.push(null);
  return incoming;
}

describe('compressed bodies', () => {
  /** Decodes bodies of senders; `done` has the senders in the order in which that ended. */
  function startDecoding() {
    const reader = newReader();
    const done: string[] = [];
    return {
      done,
      async decode(sender: string): Promise<void> {
        using reservation = reader.reserve(sender);
        await reader.bytes(compressedRequest(gzipSync(text30(SMALL_BODY_BYTES))), LIMIT, reservation);
        done.push(sender);
      },
    };
  }

  it('are decoded for each sender in turn', async () => {
    const { done, decode } = startDecoding();
    await Promise.all([...Array.from({ length: 20 }, () => decode('flooder')), decode('other')]);
    // The flooder had one request under way, and it was the turn of its next.
    expect(done.indexOf('other')).toBeLessThanOrEqual(2);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('may have as many bytes as others when they are decoded: in %s', async (encoding, compress) => {
    const reader = newReader();
    const read = (bytes: number): Promise<string> =>
      reader
        .bytes(compressedRequest(compress(Buffer.alloc(bytes)), encoding), LIMIT, reader.reserve('a'))
        .then(({ length }) => `${length}`, statusOf);
    expect([await read(LIMIT), await read(LIMIT + 1)]).toEqual([`${LIMIT}`, '413']);
  });
});

it('is busy when too many compressed bodies wait', async () => {
  const reader = newReader({ maxWaitingDecodings: 0 });
  using reservation = reader.reserve('a');
  await expect(reader.bytes(compressedRequest(gzipSync('x')), LIMIT, reservation)).rejects.toThrow(BusyError);
});

describe('a body without a length', () => {
  /** How a body ended, by its sender; the holds are kept until the test lets go of them. */
  async function startHeld() {
    const ended: string[] = [];
    const letGo = Promise.withResolvers<void>();
    onTestFinished(() => letGo.resolve());
    const reader = await startReader(async (body, incoming) => {
      using reservation = body.reserve(clientOf(incoming));
      try {
        return await body.bytes(incoming, LIMIT, reservation);
      } finally {
        ended.push(String(incoming.headers['x-sender']));
        await letGo.promise;
      }
    });
    const from = (sender: string) => reader.begin({ 'x-sender': sender });
    return { reader, from, ended, letGo: letGo.resolve };
  }
  const endOf = (ended: readonly string[], sender: string): Promise<void> =>
    vi.waitFor(() => expect(ended).toContain(sender), { timeout: 60_000 });

  it('counts as it comes, and is refused when there is no room for more of it', async () => {
    const { from, ended, letGo } = await startHeld();
    const [first, second] = [from('first'), from('second')];
    for (const body of [first, second]) {
      await body.push(LARGE);
      body.end();
    }
    await Promise.all([endOf(ended, 'first'), endOf(ended, 'second')]);
    const third = from('third');
    await third.push(SMALL_BODY_BYTES);
    expect(ended).toEqual(expect.not.arrayContaining(['third']));
    void third.push(LARGE);
    await endOf(ended, 'third');
    letGo();
    const answers = await Promise.all([first, second, third].map(({ answer }) => answer));
    expect(answers).toEqual([`${LARGE}`, `${LARGE}`, '503']);
  });

  it.each<[what: string, bytes: number]>([
    ['broke off', LARGE],
    ['was too large', LIMIT + 1],
  ])('counts no longer once it %s, before its answer is made', async (_what, bytes) => {
    const { from, ended, letGo } = await startHeld();
    for (let count = 0; count < 3; count += 1) {
      const body = from(`${count}`);
      void body.push(bytes);
      if (bytes === LARGE) {
        await body.push(1);
        body.breakOff();
      }
      await endOf(ended, `${count}`);
    }
    const last = from('last');
    await last.push(LARGE);
    last.end();
    await endOf(ended, 'last');
    letGo();
    expect(await last.answer).toBe(`${LARGE}`);
  });

  it('is taken up to its limit, and refused with one byte more', async () => {
    const outcomes: string[] = [];
    for (const bytes of [10, 11]) {
      const { read, push, end } = startBody(10);
      await push(bytes);
      end();
      outcomes.push(await read);
    }
    expect(outcomes).toEqual(['10', '413']);
  });
});

describe('a large body that comes slowly', () => {
  const { paceMs: PACE_MS, paceBytes: PACE_BYTES } = SIZES.body;

  it.each<[what: string, bytes: number, outcome: string]>([
    ['is cut when it brings too little in half a minute', PACE_BYTES - 1, '408'],
    ['is waited for while it brings enough', PACE_BYTES, `${SMALL_BODY_BYTES + 1 + 3 * PACE_BYTES}`],
  ])('%s', async (_what, bytes, outcome) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { read, push, end } = startBody(LIMIT);
    await push(SMALL_BODY_BYTES);
    vi.advanceTimersByTime(SIZES.body.smallPaceMs - 1);
    await push(1);
    for (let count = 0; count < 3; count += 1) {
      vi.advanceTimersByTime(PACE_MS - 1);
      await push(bytes);
      vi.advanceTimersByTime(1);
    }
    end();
    expect([await read, vi.getTimerCount()]).toEqual([outcome, 0]);
  });
});

describe('a small body that comes slowly', () => {
  const { smallPaceMs: PACE_MS, smallPaceBytes: PACE_BYTES } = SIZES.body;

  it.each<[what: string, bytes: number, outcome: string]>([
    ['is cut when it brings too little in a minute', PACE_BYTES - 1, '408'],
    ['is waited for while it brings enough', PACE_BYTES, `${3 * PACE_BYTES}`],
  ])('%s', async (_what, bytes, outcome) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { read, push, end } = startBody(LIMIT);
    for (let count = 0; count < 3; count += 1) {
      await push(bytes);
      vi.advanceTimersByTime(PACE_MS);
    }
    end();
    expect([await read, vi.getTimerCount()]).toEqual([outcome, 0]);
  });

  it('is cut when none of it comes at all', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { read } = startBody(LIMIT);
    vi.advanceTimersByTime(PACE_MS);
    expect(await read).toBe('408');
  });
});

describe('small bodies that are not complete', () => {
  it('are refused beyond the share of their client, and those of others are not', async () => {
    const reader = newReader({ arrivingBytesOfClient: 2 * SMALL_BODY_BYTES });
    function start(client: string) {
      const incoming = new IncomingMessage(new Socket());
      const outcome = reader.bytes(incoming, LIMIT, reader.reserve(client)).then(({ length }) => `${length}`, statusOf);
      incoming.push(Buffer.alloc(SMALL_BODY_BYTES));
      return { outcome, end: () => void incoming.push(null) };
    }
    const [first, second] = [start('a'), start('a')];
    await nextTurn();
    const [third, other] = [start('a'), start('b')];
    expect(await third.outcome).toBe('503');
    first.end();
    expect(await first.outcome).toBe(`${SMALL_BODY_BYTES}`);
    const again = start('a');
    for (const body of [second, other, again]) body.end();
    expect(await Promise.all([second, other, again].map(({ outcome }) => outcome))).toEqual(
      Array(3).fill(`${SMALL_BODY_BYTES}`),
    );
  });
});

describe('a body in very many pieces', () => {
  it.each([
    ['of one byte', Array<number>(40_000).fill(1)],
    ['of all sizes', [0, 1, 20_000, 3, 16_383, 16_384, 2, 16_385, 1, 1, 50_000, 9]],
  ])('%s is in memory as a few, and is complete', async (_what, sizes) => {
    const concat = vi.spyOn(Buffer, 'concat');
    onTestFinished(() => concat.mockRestore());
    const incoming = new IncomingMessage(new Socket());
    const reading = newReader().bytes(incoming, LIMIT, newReader().reserve('a'));
    const pieces = sizes.map((size) => randomBytes(size));
    for (const piece of pieces) {
      incoming.push(piece);
      // Each is passed on by itself.
      incoming.read(0);
      if (incoming.readableLength > 0) await nextTurn();
    }
    incoming.push(null);
    const body = await reading;
    const kept = concat.mock.calls.at(-1)?.[0].length;
    concat.mockRestore();
    expect(body.equals(Buffer.concat(pieces))).toBe(true);
    expect(kept).toBeLessThan(12);
  });
});

/** A request with a Content-Type, or with none. */
function typed(contentType: string | undefined): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  if (contentType !== undefined) request.headers['content-type'] = contentType;
  return request;
}

describe('mediaType', () => {
  it('is in small letters, with the parameters that a header has', () => {
    const header = 'Multipart/FORM-Data ;; Boundary="a\\"; b" ;x=y;X=z';
    const parameters = { boundary: 'a"; b', x: 'y' };
    expect(mediaType(typed(header))).toMatchObject({ type: 'multipart/form-data', parameters });
  });

  it.each(['UTF-8', 'utf8', '"Utf-8"'])('takes the charset %s', (charset) => {
    expect(mediaType(typed(`text/html; CharSet=${charset};`))?.type).toBe('text/html');
  });

  it.each(['latin1', '"utf-16"', 'utf-8x', 'latin1; charset=utf-8'])('refuses the charset %s', (charset) => {
    expect(() => mediaType(typed(`text/html; charset=${charset}`))).toThrow(HttpError);
  });

  it('is none of too many characters', () => {
    const longest = 'text/html;'.padEnd(MAX_CONTENT_TYPE, ' ;');
    expect(mediaType(typed(longest))?.type).toBe('text/html');
    expect(mediaType(typed(`${longest};`))).toBe(undefined);
  });
});
