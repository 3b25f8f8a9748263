import type { IncomingMessage } from 'node:http';
import { create as contentDisposition } from 'content-disposition';
import type { Response } from 'express';
import { z } from 'zod';
import type { Database } from '../../db/postgres/connect.ts';
import { findFile, findFileChunk, type StoredFile } from '../../db/submission-files.ts';
import { isFileId, isSubmissionId } from '../../ids.ts';
import { endpoint } from '../endpoint.ts';
import { errorKind, HttpError } from '../errors.ts';
import type { OwnerConcurrency, Sharer } from '../owner-concurrency.ts';
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

/** Sends a file to whoever may have it. */
export type SendFile = {
  /** The first piece of a file, before its answer begins; undefined when it has been deleted. */
  firstPiece(file: StoredFile): Promise<Buffer | undefined>;
  /** `sharer`: whose memory it counts as. `releasesSlot`: whether each piece needs a slot of its own. */
  send(
    response: Response,
    file: StoredFile,
    first: Buffer,
    options: { sharer: Sharer; releasesSlot: boolean },
  ): Promise<void>;
};

export function createSendFile({
  db,
  concurrency,
  sending,
}: {
  db: Database;
  concurrency: Pick<OwnerConcurrency, 'release' | 'resume'>;
  sending: Pick<Sending, 'reserve' | 'stream'>;
}): SendFile {
  /** A file piece by piece, as fast as its reader accepts them. No database connection is used between two pieces. */
  async function* pieces(
    request: IncomingMessage,
    { id, size }: StoredFile,
    first: Buffer,
    releasesSlot: boolean,
  ): AsyncGenerator<Buffer> {
    if (releasesSlot) concurrency.release(request);
    yield first;
    let sent = first.length;
    for (let position = 1; sent < size; position += 1) {
      await concurrency.resume(request);
      const chunk = await findFileChunk(db, id, position);
      // Deleted meanwhile. The connection is reset, so that a part of the file does not look complete.
      if (!chunk) throw noSuchFile();
      if (releasesSlot) concurrency.release(request);
      sent += chunk.length;
      yield chunk;
    }
  }

  return {
    firstPiece: async ({ id, size }) => (size === 0 ? Buffer.alloc(0) : await findFileChunk(db, id, 0)),
    async send(response, file, first, { sharer, releasesSlot }) {
      const { req: request } = response;
      sending.reserve(response, sharer, Math.min(file.size, PIECE_BYTES));
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
      if (request.method === 'HEAD') response.end();
      else await sending.stream(response, pieces(request, file, first, releasesSlot));
    },
  };
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
export function submissionFileEndpoints({ db, sendFile }: { db: Database; sendFile: SendFile }) {
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
        const first = file && (await sendFile.firstPiece(file));
        if (!file || !first) throw noSuchFile();
        return { file, first };
      },
      answer: fileAnswer,
      errors: [noSuchFile],
      handle:
        async ({ owner, resource: { file, first } }) =>
        (response) =>
          sendFile.send(response, file, first, { sharer: owner.id, releasesSlot: false }),
    }),
  };
}
