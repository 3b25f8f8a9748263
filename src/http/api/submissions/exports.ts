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
import { endpoint } from '../../request/endpoint.ts';
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

type Source = TableSource & { slice: TimeSlice };

/** What a request asks for. */
type Wanted = { deployment: Deployment; hasLabels: boolean; after: number };

type Call = {
  owner: Owner;
  resource: Deployment;
  query: { labels?: '1' | undefined; after?: string | undefined };
};

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
        'arrived, a client goes on where a connection broke.',
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

/** The exports of this process, of which a limited number is in progress. */
class Exports {
  readonly #app: App;
  readonly #read: RunRead;
  readonly #newSlice: () => TimeSlice;
  readonly #ownerIds: number[] = [];

  constructor(app: App) {
    const { reads } = app.limits;
    const limitReads = limitConcurrency(reads.maxConcurrentExportReads);
    const retry = withRetries(app.limits);
    this.#app = app;
    this.#read = (read) => retry(() => limitReads(read));
    this.#newSlice = createTimeSlices(reads.exportSliceMs);
  }

  /** Writes an answer; throws 503 when too many are in progress. */
  async send(response: Response, ownerId: number, format: Format, wanted: Wanted): Promise<void> {
    const { maxConcurrentExports, maxConcurrentExportsPerOwner } = this.#app.limits.reads;
    const ofOwner = this.#ownerIds.filter((id) => id === ownerId).length;
    if (this.#ownerIds.length >= maxConcurrentExports || ofOwner >= maxConcurrentExportsPerOwner)
      throw tooManyExports();
    this.#ownerIds.push(ownerId);
    try {
      const source = await this.#sourceOf(response, wanted);
      const date = new Date().toISOString().slice(0, 10);
      response.setHeader('Content-Type', format.contentType);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader(
        'Content-Disposition',
        `attachment; filename="${wanted.deployment.slug}-${date}.${format.extension}"`,
      );
      if (response.req.method === 'HEAD') response.end();
      else await this.#app.responseWriter.stream(response, format.write(source));
    } finally {
      this.#ownerIds.splice(this.#ownerIds.indexOf(ownerId), 1);
    }
  }

  async #sourceOf(response: Response, { deployment, hasLabels, after }: Wanted): Promise<Source> {
    const { db, labelsOf } = this.#app;
    const before = deployment.lastSubmissionNumber + 1;
    const read = () => readSubmissions(db, deployment.id, { order: 'oldest', after, before }, this.#read);
    // Reading a page for its labels, once after each change, has limits of its own.
    const resumeDeadline = pauseDeadline(response);
    try {
      const labels: Labels = hasLabels ? await labelsOf(deployment.id) : new Map();
      return { labels, slice: this.#newSlice(), read };
    } finally {
      resumeDeadline();
    }
  }
}

/** The part of a declaration that is the same for all formats. */
const exportAs = ({ db }: App, exports: Exports, format: Format) => ({
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
    type: format.contentType.replace(/;.*/, ''),
    // Generators make a Blob of it.
    schema: format.isCompressed ? z.string().meta({ format: 'binary' }) : z.string(),
    example: format.example,
  },
  errors: format.extension === 'ndjson' ? [noSuchCursor] : [noSuchDeployment],
  handle: async ({ owner, resource, query }: Call) => {
    const { after: cursor, labels } = query;
    const after = cursor === undefined ? 0 : await numberAt(db, owner, resource, { name: 'after', cursor });
    const wanted = { deployment: resource, hasLabels: labels !== undefined, after };
    return (response: Response) => exports.send(response, owner.id, format, wanted);
  },
});

const csvEndpoint = (app: App, exports: Exports) =>
  endpoint({
    method: 'GET',
    path: '/submissions/:deployId/export.csv',
    name: 'exportCsv',
    tag: 'Submissions',
    summary: 'Get all submissions of a deployment as CSV',
    description:
      'Oldest first, RFC 4180 with a header row: `id`, `created_at`, `ip_address`, then the fields in the order in which ' +
      `they first appear, without \`${REDIRECT}\` and an empty \`${HONEYPOT}\`. An apostrophe is put before ` +
      `what a spreadsheet would run as a formula. ${TOO_MANY_EXPORTS}`,
    query: WithLabels,
    ...exportAs(app, exports, {
      extension: 'csv',
      contentType: 'text/csv; charset=utf-8; header=present',
      example:
        'id,created_at,ip_address,name\r\nsub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada\r\n',
      write: ({ slice, ...source }) => toCsv(source, slice),
    }),
  });

const xlsxEndpoint = (app: App, exports: Exports) =>
  endpoint({
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
    ...exportAs(app, exports, {
      extension: 'xlsx',
      contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      isCompressed: true,
      example: 'PK...',
      write: ({ slice, ...source }) => toXlsx(source, slice),
    }),
  });

const ndjsonEndpoint = (app: App, exports: Exports) =>
  endpoint({
    method: 'GET',
    path: '/submissions/:deployId/export.ndjson',
    name: 'exportNdjson',
    tag: 'Submissions',
    summary: 'Get all submissions of a deployment as lines of JSON',
    description:
      'Oldest first, each line a submission as `GET /submissions/{deployId}/{submissionId}` answers it. ' +
      TOO_MANY_EXPORTS,
    query: After,
    ...exportAs(app, exports, {
      extension: 'ndjson',
      contentType: 'application/x-ndjson',
      example: `${JSON.stringify(exampleSubmission)}\n`,
      write: ({ read }) => toLines(read()),
    }),
  });

/** All submissions of a deployment, as a file. */
export function exportEndpoints(app: App) {
  const exports = new Exports(app);
  return {
    csv: csvEndpoint(app, exports),
    xlsx: xlsxEndpoint(app, exports),
    ndjson: ndjsonEndpoint(app, exports),
  };
}
