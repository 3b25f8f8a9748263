import type { Response } from 'express';
import { z } from 'zod';
import { findClock } from '../../../db/account/owner-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import {
  type ImportedSubmission,
  type ImportRefusal,
  ImportRefused,
  importSubmissions,
} from '../../../db/submissions/import-queries.ts';
import { type PageForm, toFormName } from '../../../forms/forms-of-page.ts';
import { matchForm, mayHaveFormName, severalNames } from '../../../forms/match-form.ts';
import { toUtf8 } from '../../../imports/file-text.ts';
import { checkMapping, guessMapping, type Mapping } from '../../../imports/import-columns.ts';
import { orderOf, type Plan, planImport, TooManyRows } from '../../../imports/import-plan.ts';
import { type Reading, readRows } from '../../../imports/import-rows.ts';
import { preview } from '../../../imports/preview.ts';
import { UnreadableFile } from '../../../imports/unreadable-file.ts';
import { importedSubmissionId } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService, type ToolCall } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import type { OtherForm } from '../../request/json-body.ts';
import { badQuery } from '../../request/query-values.ts';
import { answerObject, countField, flagField, positiveField, textField, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError, noSuchDeployment, storageFull, unavailable } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { isTimeZone, localClock } from './time-buckets.ts';

const { maxRows, maxBytes, maxErrors, previewBytes } = SIZES.import;

/** Imports at a time in this process. Each has a file in memory, and one of the ten connections. */
const MAX_CONCURRENT = 2;
/** Rows that one statement stores, and the bytes of their data. */
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 512 * 1024;

const LIST = 'leave_out is invalid: send a JSON list of the names of columns, such as ["Status"]{once}.';
const DATE_ORDERS = ['day-first', 'month-first'] as const;

function namesIn(text: string): string[] | undefined {
  try {
    const names = z.array(z.string()).safeParse(JSON.parse(text));
    return names.success ? names.data : undefined;
  } catch {
    return undefined;
  }
}

const columnParameter = (name: string, description: string) =>
  z
    .string(`${name} is invalid: send the name of a column{once}.`)
    .min(1, `${name} is invalid: send the name of a column{once}.`)
    .optional()
    .meta({ description });

const MappingQuery = z.object({
  time: columnParameter('time', 'The column with the time of each row. Left out: `created_at`.'),
  ip: columnParameter('ip', 'The column with the IP address of each row. Left out: `ip_address`.'),
  leave_out: z
    .string(LIST)
    .refine((text) => namesIn(text) !== undefined, refused('wrong-format', LIST))
    .optional()
    .meta({ description: 'Columns that are not imported, as a JSON list of their names.', example: '["Status"]' }),
  date_order: z
    .enum(DATE_ORDERS, `date_order is invalid: send ${DATE_ORDERS.join(' or ')}{once}.`)
    .optional()
    .meta({
      description:
        'The order of day and month in times such as `5/1/2024`. Left out: that of the first row that can have only one.',
    }),
  time_zone: z
    .string('time_zone is invalid: send a time zone such as Europe/Berlin{once}.')
    .refine(
      isTimeZone,
      refused('unknown-value', 'time_zone is invalid: send the IANA name of a time zone, such as Europe/Berlin.'),
    )
    .optional()
    .meta({
      description: 'The time zone of times without one, by its IANA name. Left out: that of the owner, else UTC.',
      example: 'Europe/Berlin',
    }),
});
type MappingQuery = z.infer<typeof MappingQuery>;

const ImportErrors = z
  .array(
    z.strictObject({
      line: positiveField('The line of the file, from 1.', 3),
      message: textField(
        'What is wrong with it.',
        '“soon” is not a time that can be read: write it as 2024-05-01T13:45:10Z.',
      ),
    }),
  )
  .max(maxErrors)
  .meta({ description: `What is wrong with lines of the file, the first ${maxErrors}.` });
const Imported = answerObject('Imported', {
  imported: countField('How many submissions were imported: all rows, or none.', 2),
  errors: ImportErrors.meta({ example: [] }),
});

const NOT_OLDER =
  'The {deployment} has submissions, and a row is not older than the oldest of them: import only rows from before it.';
const NO_TIME = 'The {deployment} has submissions, so each row needs a time: name its column with {time}.';
const CONFLICT =
  'The deployment has submissions, and a row is not older than the oldest of them, or has no time; or another import of it runs.';
const notOlder = errorKind(
  { id: 'NotOlder', description: CONFLICT },
  (detail: string) => new HttpError(409, detail),
  NOT_OLDER,
);
const importRunning = errorKind(
  { id: 'ImportRunning', description: CONFLICT },
  () => new HttpError(409, 'Another import into this {deployment} is running: wait for its end.'),
);
const notEnoughPlaces = errorKind(
  { id: 'NotEnoughPlaces', description: 'Fewer places of `max_submissions` are free than the rows take.' },
  (left: number, taken: number) =>
    new HttpError(
      403,
      `The form has ${left} free places, and the rows take ${taken}: raise {max_submissions}, or import fewer.`,
    ),
  ...([2, 3] as const),
);

function toError(refusal: ImportRefusal): HttpError {
  switch (refusal.kind) {
    case 'no-deployment':
      return noSuchDeployment();
    case 'running':
      return importRunning();
    case 'untimed':
      return notOlder(NO_TIME);
    case 'not-older':
      return notOlder(NOT_OLDER);
    case 'full':
      return notEnoughPlaces(refusal.left, refusal.taken);
    case 'changed':
      return unavailable('The submissions or their settings were changed during the import: try again.');
  }
}

/** The error to throw for one that reading or storing a file has thrown. */
function toKnownError(error: unknown): unknown {
  if (error instanceof ImportRefused) return toError(error.refusal);
  if (error instanceof TooManyRows)
    return new HttpError(413, `The file has too many rows: send at most ${maxRows} in each.`);
  if (!(error instanceof UnreadableFile)) return error;
  const { message: detail, parameter } = error;
  return parameter === undefined
    ? new HttpError(400, detail)
    : badQuery([{ parameter, code: 'unknown-value', detail }]);
}

/** A file that was sent. */
const File = z.object({
  content: z.instanceof(Buffer, { error: 'The body is empty: send a CSV file with a header row, or NDJSON.' }),
  format: z.enum(['csv', 'ndjson']),
});

const EXAMPLE = 'created_at,ip_address,name,Status\r\n2024-05-01T13:45:10Z,203.0.113.7,Ada,new\r\n';
const NDJSON_EXAMPLE = '{"created_at":"2024-05-01T13:45:10Z","name":"Ada","email":"ada@example.org"}\n';

/** The forms of a body that is a file. */
function fileForms(bytes: number): OtherForm[] {
  const form = (format: 'csv' | 'ndjson') => ({
    fields: ['content'],
    maxBytes: bytes,
    read: async (content: Buffer) => ({ content, format }),
  });
  return [
    {
      ...form('csv'),
      type: 'text/csv',
      otherTypes: ['text/tab-separated-values', 'application/csv'],
      name: 'CSV',
      text: EXAMPLE,
    },
    {
      ...form('ndjson'),
      type: 'application/x-ndjson',
      otherTypes: ['application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
      name: 'NDJSON',
      text: NDJSON_EXAMPLE,
    },
  ];
}

const fileBody = (bytes: number) => ({
  schema: File,
  example: { content: Buffer.from(EXAMPLE), format: 'csv' as const },
  others: fileForms(bytes),
  isFile: true as const,
});

/** The mapping that a query declares. */
function mappingOf({ time: timeColumn, ip, leave_out, date_order: dateOrder }: MappingQuery): Mapping {
  return { time: timeColumn, ip, leaveOut: leave_out === undefined ? [] : (namesIn(leave_out) ?? []), dateOrder };
}

/** The rows of a file, in batches, with their numbers. `numbers`: in the order of the times. */
async function* numbered(
  content: Buffer,
  {
    reading,
    times,
    order,
    forms,
    signal,
  }: {
    reading: Reading;
    times: readonly number[];
    order: Uint32Array;
    forms: readonly PageForm[];
    signal: AbortSignal;
  },
  numbers: readonly number[],
): AsyncGenerator<ImportedSubmission[]> {
  const numberOf = new Float64Array(order.length);
  for (const [position, index] of order.entries()) numberOf[index] = numbers[position] ?? 0;
  let batch: ImportedSubmission[] = [];
  let bytes = 0;
  let index = 0;
  for await (const rows of readRows(content, reading)) {
    for (const row of rows) {
      if ('problem' in row) throw new Error('A file has other rows than before.');
      if (batch.length === BATCH_ROWS || bytes > BATCH_BYTES) {
        signal.throwIfAborted();
        yield batch;
        [batch, bytes] = [[], 0];
      }
      const [number = 0, at = 0] = [numberOf[index], times[index]];
      const { data, ipAddress } = row;
      const mayHaveForm = reading.mapping.hasForms === true || mayHaveFormName(data);
      const form = toFormName(row.form ?? '') ?? (mayHaveForm ? matchForm(forms, data).name : null);
      batch.push({ number, id: importedSubmissionId(at), data, ipAddress, time: at, form });
      bytes += data.length;
      index += 1;
    }
  }
  signal.throwIfAborted();
  if (batch.length > 0) yield batch;
}

type ImportCall = Pick<ToolCall, 'response' | 'owner' | 'queue'> & {
  resource: { id: string };
  query: MappingQuery;
  body: z.infer<typeof File>;
};

/** Calls `work` with a signal that fires when the client leaves, without the deadline of other requests. */
async function untilClosed<T>(
  response: Response,
  { limits }: Pick<App, 'limits'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const onClose = (): void => closed.abort(unavailable('The client has left.'));
  if (response.closed) onClose();
  response.once('close', onClose);
  const resumeDeadline = pauseDeadline(response);
  // The server sets its own time-out again at the next request.
  response.req.socket.setTimeout(limits.imports.socketTimeoutMs);
  try {
    return await work(closed.signal);
  } catch (error) {
    throw toKnownError(error);
  } finally {
    response.off('close', onClose);
    resumeDeadline();
  }
}

/** The imports of this process, of which a limited number is in progress. */
class Imports {
  readonly #app: App;
  /** The ids of the deployments. */
  readonly #running = new Set<string>();

  constructor(app: App) {
    this.#app = app;
  }

  /** Imports a file; throws 409 and 503 when too many imports run. */
  async run(call: ImportCall, db: Database): Promise<z.infer<typeof Imported>> {
    const { response, resource } = call;
    if (this.#running.has(resource.id)) throw importRunning();
    if (this.#running.size >= MAX_CONCURRENT)
      throw unavailable('Too many imports are in progress: try again when one has ended.', 10_000);
    this.#running.add(resource.id);
    try {
      return await untilClosed(response, this.#app, (signal) => this.#import(call, db, signal));
    } finally {
      this.#running.delete(resource.id);
    }
  }

  async #import(
    { owner, queue, resource, query, body }: ImportCall,
    db: Database,
    signal: AbortSignal,
  ): Promise<z.infer<typeof Imported>> {
    const { config, limits, compute } = this.#app;
    const content = await toUtf8(body.content);
    const forms = await compute.formsOf(resource.id);
    const mapping = { ...mappingOf(query), hasForms: severalNames(forms).length > 0 };
    const reading: Reading = { format: body.format, mapping, maxBytes: config.maxSubmissionBytes };
    checkMapping(reading.mapping);
    const clock = await queue(() => findClock(db, owner.id));
    const instantOf = localClock(query.time_zone ?? clock.timeZone);
    const plan = await planImport(content, reading, { instantOf, now: clock.now.getTime() }, signal);
    if ('errors' in plan) return { imported: 0, errors: plan.errors };
    const target = { deploymentId: resource.id, ownerId: owner.id };
    const { file, order } = inOrder(plan);
    const read = (numbers: readonly number[]) =>
      numbered(content, { reading, times: plan.times, order, forms, signal }, numbers);
    await importSubmissions(db, target, file, { read, limits, storageLimits: config.storageLimits });
    return { imported: plan.times.length, errors: [] };
  }
}

/** A plan with its times in order, and which row each is of. */
function inOrder(plan: Plan) {
  const order = orderOf(plan.times);
  return { order, file: { ...plan, times: Array.from(order, (index) => plan.times[index] ?? 0) } };
}

const importsOf = perService((app) => new Imports(app));

const READS =
  'A CSV file has a header row, and commas, semicolons or tabs; in NDJSON, each line is a JSON object. It is in UTF-8, or in UTF-16 with a ' +
  'byte order mark. `created_at` is the time and `ip_address` the address, if there are such columns; all other columns are fields. ' +
  '`time`, `ip` and `leave_out` name other columns.';

const importOperation = operation('POST', '/submissions/:deployId/import', 'importSubmissions', {
  audit: 'submission.import',
  noCommand: '`formhost submissions import` sends a file.',
  summary: 'Import earlier submissions of a {deployment}',
  description:
    `${READS} An empty cell is no field, and a column that repeats becomes a list. \`export.csv\` and \`export.ndjson\` of this service can be ` +
    'imported; ids are new. All rows are imported, or none: with `errors`, `imported` is 0. They keep their times, in any order of the file; without ' +
    'a time, a row has that of the import. Where the deployment has submissions, each row has a time, and all are older than the oldest. ' +
    'Imported submissions are read, and are delivered to nobody. They take places of the form, and their size has to fit into the storage. ' +
    `A file has at most ${maxRows} rows and ${maxBytes} bytes. A 503 can also mean that too many imports are in progress.`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: MappingQuery,
  body: fileBody(maxBytes),
  answer: { description: 'The rows are imported, or the file has errors.', schema: Imported },
  errors: [storageFull, notEnoughPlaces, importRunning, notOlder],
  takesLong: true,
  handle: (call, app) => importsOf(app).run(call, app.db),
});

const USES = ['time', 'ip', 'field', 'left-out', 'id', 'form', 'others'] as const;
const Preview = answerObject('ImportPreview', {
  columns: z
    .array(
      z.strictObject({
        name: textField('Its name in the file.', 'name'),
        use: z.enum(USES).meta({
          description:
            'The meaning of the column: the time, the IP address, a field, or nothing. `id`, `form` and `others` are columns of exports of this service.',
          example: 'field',
        }),
      }),
    )
    .meta({ description: 'The columns, from left to right.' }),
  rows: z
    .array(
      z.strictObject({
        line: positiveField('The line of the file, from 1.', 2),
        cells: z.array(z.string()).meta({ description: 'The texts of its columns, long ones cut.', example: ['Ada'] }),
        created_at: time
          .nullable()
          .meta({ description: 'The time of the row; null where it has none, or none can be read.' }),
      }),
    )
    .meta({ description: `The first ${SIZES.import.previewRows} rows.` }),
  errors: ImportErrors.meta({ example: [] }),
  has_submissions: flagField('Whether the deployment has submissions: then each row needs a time.', false),
});

const switchedOn = (name: string, description: string) =>
  z.literal('1', `${name} is invalid: send ${name}=1, or leave it out.`).optional().meta({ description });

const previewOperation = operation('POST', '/submissions/:deployId/import/preview', 'previewImport', {
  noAudit: 'It stores nothing.',
  noCommand: 'The dashboard shows it before an import.',
  summary: 'See how a file would be imported',
  description: `Nothing is stored. The body is the file, or its beginning, of at most ${previewBytes} bytes, and is read as by the import.`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: MappingQuery.extend({
    guess: switchedOn(
      'guess',
      'With `1`, the names of the columns say which has the time and the address, and which is no answer.',
    ),
    cut: switchedOn('cut', 'With `1`, the body is only the beginning of the file: its last row may not be whole.'),
  }),
  body: fileBody(previewBytes),
  answer: { description: 'The columns and the first rows.', schema: Preview },
  takesLong: true,
  handle: ({ response, owner, queue, resource, query, body }, app) =>
    untilClosed(response, app, async (signal) => {
      const { db, config, compute } = app;
      const hasForms = severalNames(await compute.formsOf(resource.id)).length > 0;
      const isCut = query.cut !== undefined;
      const content = await toUtf8(body.content, isCut);
      const clock = await queue(() => findClock(db, owner.id));
      const times = { instantOf: localClock(query.time_zone ?? clock.timeZone), now: clock.now.getTime() };
      const mapping = (names: readonly string[], isExport: boolean): Mapping => ({
        ...(query.guess === undefined ? mappingOf(query) : guessMapping(names, isExport)),
        dateOrder: query.date_order,
        hasForms,
      });
      checkMapping(mapping([], false));
      const shown = await preview(
        content,
        { format: body.format, mapping, maxBytes: config.maxSubmissionBytes, isCut },
        times,
        signal,
      );
      const rows = shown.rows.map(({ time: ms, ...row }) => ({
        ...row,
        created_at: ms === undefined ? null : new Date(ms).toISOString(),
      }));
      return { ...shown, rows, has_submissions: resource.submissionCount > 0 };
    }),
});

/** The import of earlier submissions. */
export const importOperations = [importOperation, previewOperation];
