import type { ServerResponse } from 'node:http';
import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import type { Knex } from 'knex';
import { findFile, findFileChunk, type StoredFile } from '../db/submission-files.ts';
import { isFileId, isSubmissionId } from '../ids.ts';
import type { Authenticate } from './auth.ts';
import { drained } from './drained.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { ownDeployment } from './own-deployment.ts';

// Bytes of UTF-8, as in file systems. Proxies refuse an answer whose headers are longer than 4 KiB; escaped, a byte takes three,
// and one more in the name for old clients.
const MAX_FILENAME = 255;

const noSuchFile = (): HttpError => new HttpError(404, 'No such file: check the ids.');

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

/** Sends a file piece by piece, as fast as its reader takes them; between two pieces no connection to the database is held. */
async function send(
  db: Knex,
  { id, filename, contentType, size }: StoredFile,
  response: ServerResponse,
): Promise<void> {
  const headers = {
    'Content-Type': contentType,
    'Content-Length': size,
    'Content-Disposition': attachment(filename),
    'X-Content-Type-Options': 'nosniff',
    // Whatever is in it, it does nothing on this host.
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
  let sent = 0;
  for (let position = 0; sent < size && response.req.method !== 'HEAD'; position += 1) {
    const chunk = await findFileChunk(db, id, position);
    if (response.destroyed) return;
    if (!chunk) {
      // Deleted meanwhile. A part of a file may not look like the whole.
      if (sent === 0) throw noSuchFile();
      response.destroy();
      return;
    }
    // Until now an error could be answered.
    if (sent === 0) response.writeHead(200, headers);
    sent += chunk.length;
    if (!response.write(chunk)) await drained(response);
    // Before the next piece is asked for: of those who are cut at the end, nobody may wait for a connection.
    if (response.destroyed) return;
  }
  if (!response.headersSent) response.writeHead(200, headers);
  response.end();
}

export function submissionFilesRouter({ db, authenticate }: { db: Knex; authenticate: Authenticate }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/submissions/:deployId/:submissionId/files/:fileId')
    .get(async (request, response) => {
      const owner = await authenticate(request, response);
      const { deployId, submissionId, fileId } = request.params;
      const { id: deploymentId } = await ownDeployment(db, owner, deployId);
      const isId = isSubmissionId(submissionId) && isFileId(fileId);
      const file = isId ? await findFile(db, { deploymentId, submissionId, fileId }) : undefined;
      if (!file) throw noSuchFile();
      await send(db, file, response);
    })
    .all(methodNotAllowed('GET, HEAD'));

  return router;
}
