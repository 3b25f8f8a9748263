import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import { lastNumbers } from '../../../db/submissions/new-submission-queries.ts';
import { readMatching } from '../../../db/submissions/search-submissions.ts';
import { submissionLine } from '../../../db/submissions/submission-queries.ts';
import { BEFORE_ALL, withRetries } from '../../../db/submissions/submission-reader.ts';
import { HONEYPOT, REDIRECT } from '../../../forms/control-fields.ts';
import { labelsOf } from '../../../forms/forms-of-page.ts';
import { literal } from '../../../problems/sentence.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService, type ToolCall } from '../../operation/declaration.ts';
import { exampleOf } from '../../operation/example.ts';
import { operation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { HttpError, unavailable } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { toCsv } from './exports/csv.ts';
import { bomField, CSV_TYPE, labelsField } from './exports/export-fields.ts';
import { inParts } from './exports/export-parts.ts';
import { hasSeveralForms } from './exports/several-forms.ts';
import type { TableSource } from './exports/submission-table.ts';
import { toXlsx } from './exports/xlsx.ts';
import { type Filter, FilterQuery, rangeOf, searchOf } from './inbox-filter.ts';
import { Listed, noSuchCursor, numberAt } from './submission-endpoints.ts';
import { accessEnded, credentialsOf } from './submission-watch.ts';

/**
 * Exports at a time, in this process and of one owner. Each uses a large part of a core, and most of the time one of the ten
 * connections, of which other requests need some.
 */
const MAX_CONCURRENT = 6;
const MAX_CONCURRENT_OF_OWNER = 2;

/** The `after` of a whole export. */
const ALL = '0';

const TOO_MANY_EXPORTS = 'A 503 can also mean that too many exports are in progress.';

const WithLabels = FilterQuery.extend(labelsField);
const WithBom = WithLabels.extend(bomField);

/** For a client that goes on after a broken connection. */
const After = FilterQuery.extend({
  after: z
    .string('after is invalid: send the id of a submission, or a number{once}.')
    .optional()
    .meta({
      description:
        'The id of a submission: only those after it are returned. With the id of the last one that has arrived, a client goes on ' +
        'where a connection broke.',
      example: '0',
    }),
});

type Format = {
  extension: string;
  /** The media type and its parameters, as the answer has them. */
  contentType: string;
  write(source: TableSource): AsyncIterable<string | Buffer>;
};
const CSV: Format = { extension: 'csv', contentType: CSV_TYPE, write: toCsv };
const XLSX: Format = {
  extension: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: (source) => toXlsx(source),
};
const NDJSON: Format = {
  extension: 'ndjson',
  contentType: 'application/x-ndjson',
  /** Each submission on a line. */
  async *write({ read }) {
    for await (const batch of read()) yield batch.map((submission) => `${submissionLine(submission)}\n`).join('');
  },
};

/** A request for an export. */
type Call = Pick<ToolCall, 'response' | 'owner' | 'queue'> & {
  resource: Deployment;
  query: Filter & { labels?: string | undefined; bom?: string | undefined; after?: string | undefined };
};

/** The exports of this process, of which a limited number is in progress. */
class Exports {
  readonly #app: App;
  /** The exports in progress, each with its owner. */
  readonly #running = new Set<{ ownerId: number }>();

  constructor(app: App) {
    this.#app = app;
  }

  /** Writes an answer; throws 503 when too many are in progress. */
  send(call: Call, format: Format): Promise<void> {
    const { response, resource } = call;
    return this.#run(call, async (source) => {
      const filename = `${resource.slug}-${new Date().toISOString().slice(0, 10)}.${format.extension}`;
      response.setHeader('Content-Type', format.contentType);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Content-Disposition', `attachment; filename="${filename}"`);
      if (response.req.method === 'HEAD') response.end();
      else await this.#app.requests.responseWriter.stream(response, format.write(source));
    });
  }

  /** Returns an export as a text; undefined for one of more than `maxChars`. Throws 503 when too many are in progress. */
  text(call: Call, format: Format, maxChars: number): Promise<string | undefined> {
    return this.#run(call, async (source) => {
      let text = '';
      for await (const piece of format.write(source)) {
        text += piece.toString();
        if (text.length > maxChars || call.response.closed) return undefined;
      }
      return text;
    });
  }

  async #run<T>(call: Call, write: (source: TableSource) => Promise<T>): Promise<T> {
    const { owner, queue, resource, query } = call;
    // An export that can't be begun counts for nobody.
    const number = await queue(() => this.#numberBefore(owner, resource, query.after ?? ALL));
    const ofOwner = Array.from(this.#running).filter(({ ownerId }) => ownerId === owner.id).length;
    if (this.#running.size >= MAX_CONCURRENT || ofOwner >= MAX_CONCURRENT_OF_OWNER)
      throw unavailable('Too many exports are in progress: try again when one has ended.', 10_000);
    const running = { ownerId: owner.id };
    this.#running.add(running);
    try {
      return await write(await this.#sourceOf(call, number));
    } finally {
      this.#running.delete(running);
    }
  }

  /** The number after which an export begins. */
  async #numberBefore(owner: Owner, resource: Deployment, cursor: string): Promise<number> {
    if (cursor === ALL) return BEFORE_ALL;
    return numberAt(this.#app.db, owner, resource, { name: 'after', cursor, place: { parameter: 'after' } });
  }

  /** Ends with the key, the session or the guest: an export may take minutes. */
  async *#whileAllowed<T>({ owner }: Call, batches: AsyncIterable<T>): AsyncGenerator<T> {
    const { db, limits } = this.#app;
    const credentialIds = credentialsOf(owner);
    let lookedAt = performance.now();
    for await (const batch of batches) {
      if (performance.now() - lookedAt >= limits.reads.watchIntervalMs) {
        // While the database does not answer, the batches wait too.
        const found = await lastNumbers(db, [], credentialIds).catch(() => undefined);
        if (found && !credentialIds.every((id) => found.validCredentials.has(id))) throw accessEnded(owner);
        lookedAt = performance.now();
      }
      yield batch;
    }
  }

  async #sourceOf(call: Call, after: number): Promise<TableSource> {
    const { response, resource, query } = call;
    const {
      db,
      limits,
      compute: { formsOf },
    } = this.#app;
    const { labels, bom, ...filter } = query;
    const range = await rangeOf(db, resource, filter);
    const page = { ...range, after: Math.max(range.after, after) };
    // Reading a page for its labels, once after each change, has limits of its own.
    const resumeDeadline = pauseDeadline(response);
    try {
      return {
        read: () =>
          this.#whileAllowed(call, inParts(readMatching(db, page, searchOf(this.#app, filter), withRetries(limits)))),
        labels: labels === undefined ? new Map() : labelsOf(await formsOf(resource.id)),
        hasForms: await hasSeveralForms(this.#app, resource.id),
        hasBom: bom !== undefined,
      };
    } finally {
      resumeDeadline();
    }
  }
}

const exportsOf = perService((app) => new Exports(app));

const FILTERED = 'With the parameters of the search, only what that finds.';

const fileAnswer = ({ contentType }: Format, example: string, schema: z.ZodType<string> = z.string()) => ({
  description: 'All submissions.',
  headers: {
    'Content-Disposition': {
      description: 'A filename made of the slug and the date.',
      schema: { type: 'string' as const },
    },
  },
  type: contentType.replace(/;.*/, ''),
  schema,
  example,
});

const csvExport = operation('GET', '/submissions/:deployId/export.csv', 'exportCsv', {
  audit: 'submission.export',
  tool: {
    name: 'export_submissions',
    description:
      'All submissions as CSV, oldest first, in parts as get_html has them. url is for a user signed in to the dashboard.',
    fields: [],
    inParts: 'csv',
    readsVisitors: true,
  },
  guests: 'reader',
  noCommand: '`formhost export` writes it to a file.',
  summary: 'Get all submissions of a {deployment} as CSV',
  description:
    'Oldest first, RFC 4180 with a header row: `id`, `created_at`, `ip_address`, `form` where the page has several forms, then the fields in the order in which ' +
    `they first appear, without control fields such as \`${REDIRECT}\` (\`_replyto\` is a column) and an empty \`${HONEYPOT}\`. ` +
    `An apostrophe is put before what a spreadsheet would run as a formula. ${FILTERED} ${TOO_MANY_EXPORTS}`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: WithBom,
  answer: fileAnswer(
    CSV,
    'id,created_at,ip_address,name\r\nsub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada\r\n',
  ),
  takesLong: true,
  handle: (call, app) => exportsOf(app).send(call, CSV),
  async handleTool(call, app) {
    const { maxAnswerChars } = SIZES.mcp;
    const url = `${app.config.baseUrl}/submissions/${call.params.deployId}/export.csv`;
    const csv = await exportsOf(app).text(call, CSV, maxAnswerChars);
    if (csv === undefined) {
      throw new HttpError(413, `The export has more than ${maxAnswerChars} characters: give the user ${literal(url)}.`);
    }
    return { url, csv };
  },
});

const xlsxExport = operation('GET', '/submissions/:deployId/export.xlsx', 'exportXlsx', {
  audit: 'submission.export',
  guests: 'reader',
  noCommand: '`formhost export` writes it to a file.',
  summary: 'Get all submissions of a {deployment} as an Excel workbook',
  description:
    'Oldest first, the columns of the CSV export, with numbers, booleans and dates (`created_at`, UTC) as such and ' +
    `everything else as text. When a sheet is full, another one follows. A text over ${SIZES.export.maxCellChars} characters is cut and ends in \`…\`. ` +
    `${FILTERED} ${TOO_MANY_EXPORTS}`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: WithLabels,
  // Generators make a Blob of it.
  answer: fileAnswer(XLSX, 'PK...', z.string().meta({ format: 'binary' })),
  takesLong: true,
  handle: (call, app) => exportsOf(app).send(call, XLSX),
});

const ndjsonExport = operation('GET', '/submissions/:deployId/export.ndjson', 'exportNdjson', {
  audit: 'submission.export',
  guests: 'reader',
  noCommand: '`formhost export` writes it to a file.',
  summary: 'Get all submissions of a {deployment} as lines of JSON',
  description: `Oldest first, each line a submission as the list has it. ${FILTERED} ${TOO_MANY_EXPORTS}`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: After,
  answer: fileAnswer(NDJSON, `${JSON.stringify(exampleOf(Listed))}\n`),
  errors: [noSuchCursor],
  takesLong: true,
  handle: (call, app) => exportsOf(app).send(call, NDJSON),
});

/** All submissions of a deployment, as a file. */
export const exportOperations = [csvExport, xlsxExport, ndjsonExport];
