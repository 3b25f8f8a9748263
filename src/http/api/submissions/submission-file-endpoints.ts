import { isUtf8 } from 'node:buffer';
import { create as contentDisposition } from 'content-disposition';
import type { Response } from 'express';
import { z } from 'zod';
import type { ReadPiece } from '../../../db/files/file-content-queries.ts';
import { findFile, type StoredFile } from '../../../db/files/stored-file-queries.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { operation } from '../../operation/operation.ts';
import { counted } from '../../response/memory-budget.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';

/**
 * The maximum length of the name under which a file is saved, in bytes of UTF-8, as in file systems. Proxies refuse an
 * answer whose headers are longer than 4 KiB. An escaped byte takes three bytes, and one more in the name for old clients.
 */
const MAX_SAVED_NAME_BYTES = 255;
const noSuchFile = missing('NoSuchFile', 'no such submission of it, or no such file', 'No such file: check the ids.');

/** The value of Content-Disposition (RFC 6266): a file is saved, never shown, under the last part of its name. */
function attachment(filename: string): string {
  let name = '';
  let bytes = 0;
  for (const character of filename.split(/[/\\]/).at(-1) ?? '') {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_SAVED_NAME_BYTES) break;
    name += character;
  }
  return contentDisposition(name === '' ? undefined : name);
}

/** The parts of a file that its answer needs. */
type SentFile = Pick<StoredFile, 'filename' | 'contentType' | 'size'>;

/** A file piece by piece, as fast as its reader accepts them. No connection is used between two pieces. */
async function* pieces({ size }: SentFile, first: Buffer, read: ReadPiece): AsyncGenerator<Buffer> {
  yield first;
  let sent = first.length;
  while (sent < size) {
    const piece = await read(sent);
    // Deleted meanwhile. The connection is reset, so that a part of the file does not look complete.
    if (!piece) throw noSuchFile();
    sent += piece.length;
    yield piece;
  }
}

/** Sends a file. `client`: whose share of the memory budget it uses, an owner or a visitor's network; `first`: its first piece; `read`: for the others. */
export async function sendFile(
  response: Response,
  { responseWriter, client }: Pick<App['requests'], 'responseWriter'> & { client: number | string },
  { file, first, read }: { file: SentFile; first: Buffer; read: ReadPiece },
): Promise<void> {
  // The piece that is being sent.
  const memory = responseWriter.reserve(response, client, first.length);
  // Not Express' set(), which would add a charset.
  response.setHeader('Content-Type', file.contentType);
  response.set({
    'Content-Length': String(file.size),
    'Content-Disposition': attachment(file.filename),
    'X-Content-Type-Options': 'nosniff',
    // If a browser shows it nevertheless, it has no access to this host.
    'Content-Security-Policy': "sandbox; default-src 'none'",
  });
  if (response.req.method === 'HEAD') response.end();
  else await responseWriter.stream(response, pieces(file, first, counted(read, memory)));
}

/** A file as an answer, for declarations. */
export const fileAnswer = {
  description: 'The file, under the type that it was sent with.',
  headers: { 'Content-Disposition': { description: '`attachment`, and its name.', schema: { type: 'string' } } },
  type: '*/*',
  schema: z.string().meta({ format: 'binary' }),
  example: 'Dear Ada, ...',
} as const;

/** A file as an agent reads it: its text, if its first piece is the whole of a text, and a URL. */
const readable = ({ filename, contentType, size }: StoredFile, first: Buffer, url: string) => ({
  filename,
  content_type: contentType,
  size,
  url,
  text: first.length === size && isUtf8(first) && !first.includes(0) ? first.toString() : null,
});

/** The files of submissions. */
export const submissionFileOperation = operation(
  'GET',
  '/submissions/:deployId/:submissionId/files/:fileId',
  'getFile',
  {
    guests: 'reader',
    tool: {
      name: 'read_file',
      description: `Name, type, size and text of a file. text is null for one that is no text in UTF-8, or over ${SIZES.file.chunkBytes} bytes: its url, with the API key, has it.`,
      isBounded: true,
      readsVisitors: true,
    },
    noCommand: '`formhost files get` writes it to a file.',
    summary: 'Get a file of a submission',
    description: 'As it was sent, and always as an attachment.',
    async find(owner, { deployId, submissionId, fileId }, { db, files: { openFile } }) {
      const { id: deploymentId } = await ownDeployment(db, owner, deployId);
      const file = foundOr404(await findFile(db, { deploymentId, submissionId, fileId }), noSuchFile);
      const readPiece = openFile(file);
      const first = foundOr404(await readPiece(0), noSuchFile);
      return { file, first, readPiece };
    },
    answer: fileAnswer,
    errors: [noSuchFile],
    takesLong: true,
    async handle({ owner, response, queue, resource: { file, first, readPiece } }, { requests: { responseWriter } }) {
      const read: ReadPiece = (...part) => queue(() => readPiece(...part));
      await sendFile(response, { responseWriter, client: owner.id }, { file, first, read });
    },
    handleTool: async ({ params: { deployId, submissionId, fileId }, resource: { file, first } }, { config }) =>
      readable(file, first, `${config.baseUrl}/submissions/${deployId}/${submissionId}/files/${fileId}`),
  },
);
