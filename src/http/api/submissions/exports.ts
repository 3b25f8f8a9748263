import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import type { Owner } from '../../../db/account/owners.ts';
import type { Deployment } from '../../../db/deployments/deployments.ts';
import type { Labels } from '../../../db/deployments/labels.ts';
import { type RunRead, readSubmissions, withRetries } from '../../../db/submissions/submission-reader.ts';
import { type Submission, submissionLine } from '../../../db/submissions/submissions.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { type EndpointRequest, endpoint } from '../../request/endpoint.ts';
import { HONEYPOT, REDIRECT } from '../../request/reserved-fields.ts';
import { unavailable } from '../../response/errors.ts';
import { noSuchDeployment, ownDeployment } from '../deployments/own-deployment.ts';
import { toCsv } from './exports/csv.ts';
import type { TableSource } from './exports/submission-table.ts';
import { createTimeSlices, type TimeSlice } from './exports/time-slices.ts';
import { toXlsx } from './exports/xlsx.ts';
import { noSuchCursor, numberAt } from './submission-cursor.ts';
import { exampleSubmission } from './submissions.ts';

const tooManyExports = () => unavailable('Too many exports are in progress: try again when one has ended.', 10_000);
const TOO_MANY_EXPORTS = 'A 503 can also mean that too many exports are in progress.';

/** `readRows`: submissions without those before a cursor. */
type Source = TableSource & { readRows: TableSource['read']; slice: TimeSlice };

const NO_LABELS: Labels = new Map();

const WithLabels = z.object({
  labels: z
    .literal('1', 'labels is invalid: send labels=1, or leave it out.')
    .optional()
    .meta({
      description:
        'With `1`, the header row has the labels of the live page instead of the names of the fields. A field without a label ' +
        'keeps its name, and where two would be the same, each has its name behind it: `E-mail (email2)`.',
    }),
});

/** For a client that goes on after a broken connection. */
const After = z.object({
  after: z
    .string('after is invalid: send the id of a submission, or a number, once.')
    .optional()
    .meta({
      description:
        'Leaves out what was accepted up to a cursor, which is the id of a submission. With the id of the last submission that has ' +
        'arrived, a client goes on where a connection broke. The header row is there, and is that of the whole file.',
      example: '0',
    }),
});

type Format = {
  extension: string;
  /** The media type and its parameters, as the answer has them. */
  contentType: string;
  /** Whether the file is compressed already. */
  isCompressed?: boolean;
  example: string;
  write(source: Source): AsyncIterable<string | Buffer>;
};

/** Each submission on a line. */
async function* toLines(batches: AsyncIterable<readonly Submission[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((submission) => `${submissionLine(submission)}\n`).join('');
}

/** All submissions of a deployment, as a file. */
export function exportEndpoints({ db, limits, labelsOf, responseWriter }: App) {
  const limitReads = limitConcurrency(limits.reads.maxConcurrentExportReads);
  const retry = withRetries(limits);
  const run: RunRead = (read) => retry(() => limitReads(read));
  const newSlice = createTimeSlices(limits.reads.exportSliceMs);
  /** The owners of exports that are in progress. */
  const ownerIds: number[] = [];

  /** Runs an export; throws 503 when too many are in progress. */
  async function runExport(ownerId: number, write: () => Promise<void>): Promise<void> {
    const ofOwner = ownerIds.filter((id) => id === ownerId).length;
    if (ownerIds.length >= limits.reads.maxConcurrentExports || ofOwner >= limits.reads.maxConcurrentExportsPerOwner) {
      throw tooManyExports();
    }
    ownerIds.push(ownerId);
    try {
      await write();
    } finally {
      ownerIds.splice(ownerIds.indexOf(ownerId), 1);
    }
  }

  /** Reading a page for its labels, once after each change, has limits of its own. */
  async function readLabels(response: Response, id: string): Promise<Labels> {
    const resumeDeadline = pauseDeadline(response);
    try {
      return await labelsOf(id);
    } finally {
      resumeDeadline();
    }
  }

  /** The part of the declarations that is the same for all formats. */
  const exportAs = ({ extension, contentType, isCompressed = false, example, write }: Format) => ({
    find: (owner: Owner, { deployId }: { deployId: string }) => ownDeployment(db, owner, deployId),
    answer: {
      status: 200,
      description: 'All submissions.',
      headers: {
        'Content-Disposition': {
          description: 'A filename made of the slug and the date.',
          schema: { type: 'string' as const },
        },
      },
      type: contentType.replace(/;.*/, ''),
      // Generators make a Blob of it.
      schema: isCompressed ? z.string().meta({ format: 'binary' }) : z.string(),
      example,
    },
    errors: isCompressed ? [noSuchDeployment] : [noSuchCursor],
    handle: async ({
      request,
      owner,
      resource,
      query,
    }: {
      request: EndpointRequest;
      owner: Owner;
      resource: Deployment;
      query: { labels?: '1' | undefined; after?: string | undefined };
    }) => {
      const after =
        query.after === undefined ? 0 : await numberAt(db, owner, resource, { name: 'after', cursor: query.after });
      return (response: Response) =>
        runExport(owner.id, async () => {
          const { id, slug } = resource;
          const labels = query.labels === undefined ? NO_LABELS : await readLabels(response, id);
          const readFrom = (number: number) => () =>
            readSubmissions(db, id, { order: 'oldest', after: number, before: resource.lastSubmissionNumber + 1 }, run);
          response.setHeader('Content-Type', contentType);
          response.setHeader('X-Content-Type-Options', 'nosniff');
          const date = new Date().toISOString().slice(0, 10);
          response.setHeader('Content-Disposition', `attachment; filename="${slug}-${date}.${extension}"`);
          const source = { labels, slice: newSlice(), read: readFrom(0), readRows: readFrom(after) };
          if (request.method === 'HEAD') response.end();
          else await responseWriter.stream(response, write(source));
        });
    },
  });

  return {
    csv: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/export.csv',
      name: 'exportCsv',
      tag: 'Submissions',
      summary: 'Get all submissions of a deployment as CSV',
      description:
        'Oldest first, RFC 4180 with a header row: `id`, `created_at`, `ip_address`, then the fields in the order in which ' +
        `they first appear, without \`${REDIRECT}\` and an empty \`${HONEYPOT}\`. An apostrophe is put before ` +
        `what a spreadsheet would run as a formula. ${TOO_MANY_EXPORTS}`,
      query: WithLabels.extend(After.shape),
      ...exportAs({
        extension: 'csv',
        contentType: 'text/csv; charset=utf-8; header=present',
        example:
          'id,created_at,ip_address,name\r\nsub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada\r\n',
        write: ({ slice, readRows, ...source }) => toCsv(source, slice, readRows),
      }),
    }),

    xlsx: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/export.xlsx',
      name: 'exportXlsx',
      tag: 'Submissions',
      summary: 'Get all submissions of a deployment as an Excel workbook',
      description:
        'Oldest first, the columns of the CSV export, with numbers, booleans and dates (`created_at`, UTC) as such and ' +
        `everything else as text. When a sheet is full, another one follows. A text over ${SIZES.export.maxCellChars} characters is cut and ends in \`…\`. ` +
        TOO_MANY_EXPORTS,
      query: WithLabels,
      ...exportAs({
        extension: 'xlsx',
        contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        isCompressed: true,
        example: 'PK...',
        write: ({ slice, ...source }) => toXlsx(source, slice),
      }),
    }),

    ndjson: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/export.ndjson',
      name: 'exportNdjson',
      tag: 'Submissions',
      summary: 'Get all submissions of a deployment as lines of JSON',
      description:
        'Oldest first, each line a submission as `GET /submissions/{deployId}/{submissionId}` answers it. ' +
        TOO_MANY_EXPORTS,
      query: After,
      ...exportAs({
        extension: 'ndjson',
        contentType: 'application/x-ndjson',
        example: `${JSON.stringify(exampleSubmission)}\n`,
        write: ({ readRows }) => toLines(readRows()),
      }),
    }),
  };
}
