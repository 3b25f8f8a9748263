import { once } from 'node:events';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { feedParser } from '../../src/http/request/feed-parser.ts';
import { readParts } from '../../src/http/request/upload-parts.ts';
import { HttpError } from '../../src/http/response/errors.ts';
import { SiteError } from '../../src/sites/sent-files.ts';
import { multipartBody } from '../support/multipart-body.ts';

/** Returns what work resolves to, and for how many turns of the event loop it ran. */
async function turnsOf<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns += 1) await nextTurn();
  })();
  const result = await work.finally(() => {
    isDone = true;
  });
  await counting;
  return { result, turns };
}

describe('readParts', () => {
  const app = express().post('/', async (sent, response) => {
    const body = await buffer(sent);
    const limits = { maxFiles: 900, maxTextBytes: 10, isWanted: () => true };
    const { result, turns } = await turnsOf(readParts(sent, body, limits).catch(() => ({ files: [] })));
    response.json({ files: result.files.length, turns, bytes: body.length });
  });

  it('lets other work have a turn while it searches', async () => {
    const body = Buffer.from('\r\n-'.repeat(4 * 1024 * 1024));
    const { body: answer } = await request(app)
      .post('/')
      .type('multipart/form-data; boundary=b')
      .send(body)
      .expect(200);
    expect(answer).toEqual({ files: 0, turns: expect.any(Number), bytes: body.length });
    expect(answer.turns).toBeGreaterThan(10);
  });

  it.each([1024 * 1024 - 3, 1024 * 1024 - 1, 1024 * 1024])('finds a delimiter at %i bytes', async (size) => {
    const head = multipartBody(['name="a"; filename="b"', '']).indexOf('\r\n\r\n') + 4;
    const body = multipartBody(['name="a"; filename="b"', 'c'.repeat(size - head)], ['name="a"; filename="d"', '']);
    expect(body.indexOf('\r\n--b\r\n')).toBe(size);
    const { body: answer } = await request(app)
      .post('/')
      .type('multipart/form-data; boundary=b')
      .send(body)
      .expect(200);
    expect(answer.files).toBe(2);
  });

  it('lets other work have a turn after a few parts', async () => {
    const body = multipartBody(
      ...Array.from({ length: 900 }, (_, at): [string, string] => [`filename=${at};name=a`, '']),
    );
    const { body: answer } = await request(app)
      .post('/')
      .type('multipart/form-data; boundary=b')
      .send(body)
      .expect(200);
    expect(answer).toEqual({ files: 900, turns: expect.any(Number), bytes: body.length });
    // All of it is one slice.
    expect(body.length).toBeLessThan(64 * 1024);
    expect(answer.turns).toBeGreaterThan(20);
  });
});

describe('an error of a part', () => {
  const refused = new SiteError(413, 'The site has too many files.');
  const app = express().post('/', async (sent, response) => {
    let wanted = 0;
    const isWanted = (): boolean => {
      wanted += 1;
      if (wanted > 800) throw refused;
      return true;
    };
    const limits = { maxFiles: 900, maxTextBytes: 10, isWanted };
    const error: unknown = await readParts(sent, await buffer(sent), limits).catch((cause: unknown) => cause);
    response.json(error instanceof HttpError || error instanceof SiteError ? [error.status, error.message] : null);
  });
  const files = (count: number) =>
    Array.from({ length: count }, (_, at): [string, string] => [`filename=${at};name=a`, '']);

  it.each<[string, [string, string][], string]>([
    ['a file too many', files(801), refused.message],
    [
      'a long name of a field',
      [...files(105), [`name=${'n'.repeat(201)}`, '']],
      'The name of a field is too long: send at most 200 characters.',
    ],
    [
      'texts too many',
      [...files(200), ...Array.from({ length: 101 }, (): [string, string] => ['name=a', ''])],
      'The body has too many text fields: send at most 100.',
    ],
  ])('is told after many files: %s', async (_case, parts, message) => {
    const { body: answer } = await request(app)
      .post('/')
      .type('multipart/form-data; boundary=b')
      .send(multipartBody(...parts))
      .expect(200);
    expect(answer).toEqual([413, message]);
  });
});

describe('feedParser', () => {
  const slices = ['a', 'b'].map((text) => Buffer.from(text));

  it('rejects when the parser never ends', async () => {
    const parser = new Writable({ write: (_piece, _encoding, done) => done(), final: () => undefined });
    await expect(feedParser(parser, slices, 2, new AbortController().signal)).rejects.toThrow('waits for more');
  });

  it('rejects when the parser takes nothing', async () => {
    const parser = new Writable({ write: () => undefined });
    await expect(feedParser(parser, slices, 2, new AbortController().signal)).rejects.toThrow('waits for more');
  });

  it('stops when nothing more is wanted', async () => {
    const over = new AbortController();
    const written: string[] = [];
    const parser = new Writable({
      write(piece, _encoding, done) {
        written.push(String(piece));
        over.abort();
        done();
      },
    });
    await feedParser(parser, slices, 2, over.signal);
    expect(written).toEqual(['a']);
    parser.destroy();
    await once(parser, 'close');
  });
});
