import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compressAnswers } from '../../src/http/response/compress.ts';
import { HttpError } from '../../src/http/response/errors.ts';
import { ResponseWriter } from '../../src/http/response/response-writer.ts';
import { LIMITS } from '../../src/limits.ts';
import { SIZES } from '../../src/sizes.ts';
import { serve } from '../support/http-server.ts';

const BUDGET = LIMITS.requests.memoryBudgetBytes;
const { smallBytes: SMALL_ANSWER_BYTES, sliceBytes: SLICE_BYTES } = SIZES.internalAnswers;

const MIB = 1024 * 1024;
afterEach(() => void vi.useRealTimers());

const newWriter = ({ largest = 1 } = {}): ResponseWriter => new ResponseWriter({ largest, limits: LIMITS });

const newResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

/** Reserves bytes for an answer; what gives them back, or the status of the refusal. */
function reserve(sending: ResponseWriter, holder: number, bytes: number): { close(): void } | number {
  const response = newResponse();
  try {
    sending.reserve(response, holder, bytes);
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
  return { close: () => void response.emit('close') };
}
const reserved = { close: expect.any(Function) };

describe('reserve', () => {
  it('counts nothing for an answer whose client has left already, and nothing that was refused', async () => {
    const sending = newWriter();
    const left = Promise.withResolvers<void>();
    const { port } = await serve((_request, response) => {
      response.once('close', () => {
        sending.reserve(response, 1, BUDGET);
        left.resolve();
      });
      client.destroy();
    });
    const client = connect(port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await left.promise;
    expect([reserve(sending, 1, BUDGET / 2), reserve(sending, 1, 1)]).toEqual([reserved, 503]);
    expect(reserve(sending, 2, BUDGET / 2)).toEqual(reserved);
  });
});

describe('countShared', () => {
  it('counts a body once for all who read it, until the last has', () => {
    const sending = newWriter();
    const body = Buffer.alloc(BUDGET / 2);
    const [first, second] = [sending.countShared(1, body), sending.countShared(1, body)];
    expect([sending.hasRoomFor(0), reserve(sending, 1, 1), reserve(sending, 2, BUDGET / 2)]).toEqual([
      true,
      503,
      reserved,
    ]);
    expect([sending.hasRoomFor(0), sending.hasRoomFor(1)]).toEqual([false, false]);
    first();
    expect(reserve(sending, 1, 1)).toBe(503);
    second();
    expect(reserve(sending, 1, BUDGET / 2)).toEqual(reserved);
  });

  it('refuses who has no memory left another body, and not one that others read', () => {
    const sending = newWriter();
    const [shared, another] = [Buffer.alloc(BUDGET / 2), Buffer.alloc(1)];
    sending.countShared('a', shared);
    expect(() => sending.countShared('a', another)).toThrow(HttpError);
    expect(() => [sending.countShared('b', another), sending.countShared('b', shared)]).not.toThrow();
    expect(reserve(sending, 2, 1)).toEqual(reserved);
  });
});

/** A server that answers with `answer`: its URL and port, and how its last answer ended. */
async function startServer(answer: (response: Response) => Promise<void>) {
  const outcomes: unknown[] = [];
  const app = express().use(compressAnswers(), (_request: Request, response: Response) => {
    answer(response).then(
      () => outcomes.push('sent'),
      (error) => {
        outcomes.push(error);
        if (error instanceof HttpError) response.status(error.status).end();
      },
    );
  });
  const { url, port } = await serve(app);
  return {
    url,
    outcomes,
    /** A client's connection that has asked, and reads nothing yet. */
    ask(): Socket {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      return socket;
    },
  };
}

describe('json', () => {
  const JSON_TYPE = 'application/json; charset=utf-8';
  async function startJson(bytes: number) {
    let isAsked = false;
    async function* pieces(): AsyncGenerator<string> {
      isAsked = true;
      yield '{"text":"';
      yield 'é'.repeat(100_000);
      yield '"}';
    }
    const sending = newWriter();
    const server = await startServer((response) => sending.json(response, 1, { bytes, pieces: pieces() }));
    return { ...server, sending, isAsked: () => isAsked };
  }
  const whole = `{"text":"${'é'.repeat(100_000)}"}`;

  it.each<[string, number, string | null]>([
    ['as a whole', SMALL_ANSWER_BYTES, String(Buffer.byteLength(whole))],
    ['as a stream', SMALL_ANSWER_BYTES + 1, null],
  ])('sends %s what has %i bytes in memory', async (_how, bytes, length) => {
    const { url } = await startJson(bytes);
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
    expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([JSON_TYPE, length]);
    expect((await response.text()) === whole).toBe(true);
  });

  it('counts what is streamed until it has been read, and not what is sent as a whole', async () => {
    const { url, sending, outcomes } = await startJson(BUDGET);
    const rest = reserve(sending, 2, 1);
    expect((await fetch(url)).status).toBe(503);
    if (typeof rest !== 'number') rest.close();
    const large = await fetch(url);
    expect((await large.text()) === whole).toBe(true);
    await expect.poll(() => reserve(sending, 1, 2 * BUDGET)).toEqual(reserved);
    expect(outcomes).toEqual([expect.any(HttpError), 'sent']);
    const small = await startJson(SMALL_ANSWER_BYTES);
    reserve(small.sending, 1, BUDGET);
    expect([(await fetch(small.url)).status, small.outcomes]).toEqual([200, ['sent']]);
  });

  it('answers HEAD without a body, and asks for nothing of a large one', async () => {
    for (const bytes of [SMALL_ANSWER_BYTES, SMALL_ANSWER_BYTES + 1]) {
      const { url, sending, isAsked } = await startJson(bytes);
      const response = await fetch(url, { method: 'HEAD' });
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        200,
        JSON_TYPE,
        '',
      ]);
      expect(isAsked()).toBe(bytes === SMALL_ANSWER_BYTES);
      await expect.poll(() => reserve(sending, 1, 2 * BUDGET)).toEqual(reserved);
    }
  });
});

describe('stream', () => {
  /** Sends these pieces, noting which were asked for, and the requests whose slots were given away. */
  async function startStream(pieces: readonly (string | Buffer | Error)[]) {
    const asked: number[] = [];
    const begun = Promise.withResolvers<ServerResponse>();
    async function* source(): AsyncGenerator<string | Buffer> {
      for (const [index, piece] of pieces.entries()) {
        asked.push(index);
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    }
    const sending = newWriter();
    const server = await startServer((response) => {
      begun.resolve(response);
      return sending.stream(response, source());
    });
    return { ...server, asked, response: begun.promise };
  }

  it('sends pieces as they are, large and small, texts and bytes', async () => {
    const large = Buffer.alloc(3 * SLICE_BYTES + 5, 'aé€');
    const { url, asked, outcomes } = await startStream(['é', large, '', Buffer.from('b'), 'x'.repeat(SLICE_BYTES)]);
    const received = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(received.equals(Buffer.concat([Buffer.from('é'), large, Buffer.from(`b${'x'.repeat(SLICE_BYTES)}`)]))).toBe(
      true,
    );
    expect([asked, outcomes]).toEqual([[0, 1, 2, 3, 4], ['sent']]);
  });

  it('asks for no further piece when its reader has left', async () => {
    const server = await startStream(Array(64).fill(Buffer.alloc(MIB)));
    const client = server.ask();
    const response = await server.response;
    while (!response.writableNeedDrain) await nextTurn();
    client.destroy();
    await expect.poll(() => server.outcomes).toEqual(['sent']);
    expect(server.asked.length).toBeLessThan(64);
    expect(response.writableEnded).toBe(false);
  });

  it('resets the connection where a piece fails, so that what was sent passes for the whole nowhere', async () => {
    const failure = new Error('a piece failed');
    const { url, outcomes } = await startStream(['some', failure]);
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow();
    expect(outcomes).toEqual([failure]);
  });
});

describe('a stream that is compressed', () => {
  const encoding = 'br';

  /** Pieces that don't compress well, without an end. */
  async function startEndless(failure?: Error) {
    let isOpen = true;
    let asked = 0;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          asked += 1;
          if (failure && asked === 3) throw failure;
          yield randomBytes(MIB);
        }
      } finally {
        isOpen = false;
      }
    }
    const begun = Promise.withResolvers<ServerResponse>();
    const server = await startServer((response) => {
      begun.resolve(response);
      response.type('text/csv');
      response.req.headers['accept-encoding'] = encoding;
      return newWriter().stream(response, source());
    });
    return { ...server, response: begun.promise, asked: () => asked, isOpen: () => isOpen };
  }

  it('waits for its reader, and ends its pieces when the reader has left', async () => {
    const server = await startEndless();
    const client = server.ask();
    const response = await server.response;
    while (!response.writableNeedDrain) await nextTurn();
    const before = server.asked();
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(response.writableLength).toBeLessThan(2 * SLICE_BYTES);
    expect(server.asked() - before).toBeLessThan(8);
    client.destroy();
    await expect.poll(() => [server.outcomes, server.isOpen()]).toEqual([['sent'], false]);
  });

  it('resets the connection where a piece fails', async () => {
    const failure = new Error('a piece failed');
    const { url, outcomes } = await startEndless(failure);
    const response = await fetch(url);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(outcomes).toEqual([failure]);
  });
});
