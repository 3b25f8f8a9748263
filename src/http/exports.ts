import type { ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import limitConcurrency from 'p-limit';
import type { Database } from '../db/connect.ts';
import { lastSubmissionNumber, readSubmissionLines, readSubmissions } from '../db/submission-reader.ts';
import type { Authenticate } from './auth.ts';
import { toCsv } from './csv.ts';
import { drained } from './drained.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { ownDeployment } from './own-deployment.ts';

/** Exports under way in this process, and those of one owner among them: each takes a good part of a core. */
const AT_A_TIME = 8;
const EACH_OWNER = 2;
/** Statements under way for them all: the pool has ten connections, and the others are for others. */
const READS_AT_A_TIME = 6;

type From = Parameters<typeof readSubmissionLines>;

const FORMATS = [
  {
    extension: 'csv',
    type: 'text/csv; charset=utf-8; header=present',
    write: (...from: From) => toCsv(() => readSubmissions(...from)),
  },
  { extension: 'ndjson', type: 'application/x-ndjson', write: readSubmissionLines },
];

/** All submissions of a deployment, as a file. */
export function exportsRouter({ db, authenticate }: { db: Database; authenticate: Authenticate }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const inTurn = limitConcurrency(READS_AT_A_TIME);
  /** The owners of exports that are under way. */
  const underWay: number[] = [];

  async function inItsPlace(ownerId: number, work: () => Promise<void>): Promise<void> {
    if (underWay.length >= AT_A_TIME || underWay.filter((id) => id === ownerId).length >= EACH_OWNER) {
      throw new HttpError(503, 'Too many exports are under way: try again when one has ended.', {
        'Retry-After': '10',
      });
    }
    underWay.push(ownerId);
    try {
      await work();
    } finally {
      underWay.splice(underWay.indexOf(ownerId), 1);
    }
  }

  const exportAs =
    ({ extension, type, write }: (typeof FORMATS)[number]): RequestHandler<{ deployId: string }> =>
    async (request, response) => {
      const owner = await authenticate(request, response);
      const { id, slug } = await ownDeployment(db, owner, request.params.deployId);
      await inItsPlace(owner.id, async () => {
        const last = await lastSubmissionNumber(db, id);
        response.setHeader('Content-Type', type);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        const date = new Date().toISOString().slice(0, 10);
        response.setHeader('Content-Disposition', `attachment; filename="${slug}-${date}.${extension}"`);
        if (request.method === 'HEAD') response.end();
        else await stream(response, write(db, id, last, inTurn));
      });
    };

  for (const format of FORMATS) {
    router
      .route(`/submissions/:deployId/export.${format.extension}`)
      .get(exportAs(format))
      .all(methodNotAllowed('GET, HEAD'));
  }
  return router;
}

/** Sends pieces as their client takes them; ends early when it leaves. What fails in the middle never looks like the end. */
async function stream(response: ServerResponse, pieces: AsyncIterable<string | Buffer>): Promise<void> {
  // From here on the answer is under way, however long it takes until there is something to send.
  response.flushHeaders();
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      // While pieces come it is not the client that stands still.
      response.socket?.setTimeout(response.socket.timeout ?? 0);
      if (piece.length > 0 && !response.write(piece)) await drained(response);
      // Before the next piece is asked for: of those who are cut at the end, nobody may wait for a connection.
      if (response.destroyed) return;
    }
  } catch (error) {
    // HTTP/1.0 has no other sign of an end than that of the connection.
    response.socket?.resetAndDestroy();
    throw error;
  }
  response.end();
}
