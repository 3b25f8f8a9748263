import { create as contentDisposition } from 'content-disposition';
import type { Response } from 'express';
import { z } from 'zod';
import type { Database } from '../../db/postgres/connect.ts';
import { findFile, findFileChunk, type StoredFile } from '../../db/stored-files.ts';
import { isFileId, isSubmissionId } from '../../ids.ts';
import { endpoint } from '../endpoint.ts';
import { errorKind, HttpError } from '../errors.ts';
import type { OwnerConcurrency } from '../owner-concurrency.ts';
import type { Sending } from '../sending.ts';
import { ownDeployment } from './own-deployment.ts';

// Bytes of UTF-8, as in file systems. Proxies refuse an answer whose headers are longer than 4 KiB; escaped, a byte
// takes three, and one more in the name for old clients.
export const MAX_FILENAME = 255;

/** Bytes of a download that are in memory: the piece that is being sent. */
const PIECE_BYTES = 256 * 1024;

const noSuchFile = errorKind(
  {
    id: 'NoSuchFile',
    description: "There is no such deployment of the key's owner, no such submission of it, or no such file.",
  },
  () => new HttpError(404, 'No such file: check the ids.'),
);

/** The value of Content-Disposition (RFC 6266): a file is saved, never shown, under the last part of its name. */
function attachment(filename: string): string {
  let name = '';
  let bytes = 0;
  for (const character of filename.split(/[/\\]/).at(-1) ?? '') {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_FILENAME) break;
    name += character;
  }
  return contentDisposition(name === '' ? undefined : name);
}

/** Reads the piece of a file at a position, the first at 0; undefined when it has been deleted. */
type ReadPiece = (position: number) => Promise<Buffer | undefined>;

export const readPiece =
  (db: Database, { id, size }: StoredFile): ReadPiece =>
  async (position) =>
    size === 0 ? Buffer.alloc(0) : findFileChunk(db, id, position);

/** A file piece by piece, as fast as its reader accepts them. No database connection is used between two pieces. */
async function* pieces({ size }: StoredFile, first: Buffer, read: ReadPiece): AsyncGenerator<Buffer> {
  yield first;
  let sent = first.length;
  for (let position = 1; sent < size; position += 1) {
    const piece = await read(position);
    // Deleted meanwhile. The connection is reset, so that a part of the file does not look complete.
    if (!piece) throw noSuchFile();
    sent += piece.length;
    yield piece;
  }
}

/** Sends a file. `client`: whose share of the memory budget it uses; `first`: its piece at position 0; `read`: for the others. */
export async function sendFile(
  response: Response,
  { sending, client }: { sending: Pick<Sending, 'reserve' | 'stream'>; client: number | string },
  { file, first, read }: { file: StoredFile; first: Buffer; read: ReadPiece },
): Promise<void> {
  sending.reserve(response, client, Math.min(file.size, PIECE_BYTES));
  // Not Express' set(), which would add a charset.
  response.setHeaders(
    new Map<string, string | number>([
      ['Content-Type', file.contentType],
      ['Content-Length', file.size],
      ['Content-Disposition', attachment(file.filename)],
      ['X-Content-Type-Options', 'nosniff'],
      // If a browser shows it nevertheless, it has no access to this host.
      ['Content-Security-Policy', "sandbox; default-src 'none'"],
    ]),
  );
  if (response.req.method === 'HEAD') response.end();
  else await sending.stream(response, pieces(file, first, read));
}

/** A file as an answer, for declarations. */
export const fileAnswer = {
  status: 200,
  description: 'The file, under the type that it was sent with.',
  headers: { 'Content-Disposition': { description: '`attachment`, and its name.', schema: { type: 'string' } } },
  type: '*/*',
  schema: z.string().meta({ format: 'binary' }),
  example: 'Dear Ada, ...',
} as const;

/** The files of submissions. */
export function submissionFileEndpoints({
  db,
  concurrency,
  sending,
}: {
  db: Database;
  concurrency: Pick<OwnerConcurrency, 'resume'>;
  sending: Pick<Sending, 'reserve' | 'stream'>;
}) {
  return {
    get: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/:submissionId/files/:fileId',
      name: 'getFile',
      tag: 'Submissions',
      summary: 'Get a file of a submission',
      description: 'As it was sent, and always as an attachment.',
      async find(owner, { deployId, submissionId, fileId }) {
        const { id: deploymentId } = await ownDeployment(db, owner, deployId);
        const isId = isSubmissionId(submissionId) && isFileId(fileId);
        const file = isId ? await findFile(db, { deploymentId, submissionId, fileId }) : undefined;
        const first = file && (await readPiece(db, file)(0));
        if (!file || !first) throw noSuchFile();
        return { file, first };
      },
      answer: fileAnswer,
      errors: [noSuchFile],
      handle: async ({ request, owner, resource: { file, first } }) => {
        const read: ReadPiece = async (position) => {
          await concurrency.resume(request);
          return readPiece(db, file)(position);
        };
        return (response) => sendFile(response, { sending, client: owner.id }, { file, first, read });
      },
    }),
  };
}
