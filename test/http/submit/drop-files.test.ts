import { describe, expect, it } from 'vitest';
import { DropFiles } from '../../../src/http/submit/drop-files.ts';
import { multipartBody } from '../../support/multipart.ts';

/** What is kept of a body that arrives in pieces of so many bytes, and the sizes of its files. */
function dropFiles(body: Buffer, size: number, maxParts = 1_000_000): { kept: string; sizes: readonly number[] } {
  const dropper = new DropFiles('b', maxParts);
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
    dropper.filter(body.subarray(at * size, (at + 1) * size)),
  );
  return { kept: Buffer.concat([...pieces, dropper.filter()]).toString('latin1'), sizes: dropper.sizes };
}

/** It begins with the line break that belongs to the first delimiter. */
const whole = (body: Buffer): string => `\r\n${body.toString('latin1')}`;

const PIECES = [1, 2, 3, 7, 64, 1_000_000];

describe('DropFiles', () => {
  it.each(PIECES)('keeps all but the contents of files, in pieces of %i bytes', (size) => {
    const fields = (...files: string[]): Buffer =>
      multipartBody(
        ['name="a"', 'text\r\n--c\r\n\r\n'],
        ['name="f"; filename="x.bin"', files[0] ?? ''],
        ['name="empty"; filename=""', ''],
        ['name="b"', ''],
        ['filename="y"; name="g"', files[1] ?? ''],
        ['name="a"', '\r\n--'],
      );
    const contents = ['\r\n\r\n--\r\n-\r\n--a\xff'.repeat(100), 'y'.repeat(5_000)];
    const sizes = [Buffer.byteLength(contents[0] ?? ''), 0, 5_000];
    expect(dropFiles(fields(...contents), size)).toEqual({ kept: whole(fields()), sizes });
  });

  it.each(PIECES)('keeps what is no form, in pieces of %i bytes', (size) => {
    for (const body of [
      'nothing',
      '--b',
      '--b\r\nContent-Disposition: form-data; name="a"',
      '--b\r\n\r\nx\r\n--b--\r\n\r\n--b\r\n',
      '--b\r\nContent-Disposition: form-data; name="a"; filename="\r\n\r\nx\r\n--b--',
      `--b\r\n${'x'.repeat(20_000)}\r\n--b--`,
    ]) {
      expect(dropFiles(Buffer.from(body), size)).toEqual({ kept: whole(Buffer.from(body)), sizes: [] });
    }
  });

  it('keeps all after too many parts', () => {
    const file = ['name="f"; filename="x"', 'content'] as [string, string];
    const body = multipartBody(file, file, file);
    expect(dropFiles(body, 7, 2)).toEqual({
      kept: whole(body).replace('content', '').replace('content', ''),
      sizes: [7, 7],
    });
  });

  // In quadratic time it would not end.
  it('takes linear time', () => {
    for (const line of ['\r\n--', '\r\n--b', '\r\n--b\r\n\r\n', '\r\n--b\r\n', '\r\n\r\n', '\r\n--b-']) {
      const body = Buffer.from(line.repeat(64 * 1024));
      expect(dropFiles(body, 64 * 1024).sizes).toEqual([]);
    }
  });
});
