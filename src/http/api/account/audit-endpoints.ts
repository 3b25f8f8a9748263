import { z } from 'zod';
import {
  ACTIONS,
  type AuditEntry,
  type AuditOf,
  listAudit,
  readAudit,
  WAYS,
} from '../../../db/account/audit-queries.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { exampleOf } from '../../operation/example.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, textField, textOrNull, time } from '../../request/shared-fields.ts';
import { toWire } from '../../response/to-wire.ts';

/** An entry of the audit, in answers. */
export const Entry = answerObject('AuditEntry', {
  at: time.meta({ description: 'When it was changed.' }),
  actor: textField('Who has changed it: an address, or `operator` for a command of the operator.', 'you@example.com'),
  via: z.enum(WAYS).meta({
    description:
      '`key`: with an API key. `session`: in a browser. `grant`: by an agent that may. `command`: by the operator.',
    example: 'session',
  }),
  action: z.enum(ACTIONS).meta({ description: 'The kind of change.', example: 'page.publish' }),
  target: textField(
    'The id of what was changed: a page, a key, a webhook, a submission…',
    'd_0VbbZBZKKTcBD17YQfyDgVGm',
  ),
  count: z.int().min(0).nullable().meta({
    description: 'How many things one request has changed, where it may be many; otherwise null.',
    example: null,
  }),
  ip_address: textOrNull(
    'Where the request came from; null for a command, and for what an operator did.',
    '203.0.113.7',
  ),
});
const Audit = answerObject('Audit', { entries: z.array(Entry), ...paged });

const auditOf = ({ id: ownerId, pages }: Owner): AuditOf => ({ ownerId, pages });

export const entryToWire = ({ id: _, ...entry }: AuditEntry) => toWire(Entry, entry);

/** A list of entries on the command line. */
const AUDIT_TABLE = {
  columns: ['AT', 'ACTOR', 'VIA', 'ACTION', 'TARGET', 'COUNT', 'ADDRESS'],
  rows: ({ entries }: z.infer<typeof Audit>) =>
    entries.map(({ at, actor, via, action, target, count, ip_address }) => [
      ...[at, actor, via, action],
      ...[target, count, ip_address],
    ]),
};

const KEPT = 'Sign-ins, keys, guests, settings, publishing, deleting and exporting, without what visitors send.';

const listOperation = operation('GET', '/audit', 'listAudit', {
  command: { usage: 'audit', help: ['$ audit', '$ audit --limit 20'], limit: 100, table: AUDIT_TABLE },
  summary: 'List who has changed what',
  description: ({ config }) =>
    `The entries about your account and your pages, newest first, of the last ${config.auditDays} days. ${KEPT}`,
  query: Paging,
  answer: { description: 'A page of entries.', schema: Audit },
  async handle({ owner, query: paging }, { db }) {
    const { rows, total } = await listAudit(db, auditOf(owner), paging);
    return { entries: rows.map(entryToWire), total, ...paging };
  },
});

async function* linesOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entryToWire(entry))}\n`;
}

const exportOperation = operation('GET', '/audit/export.ndjson', 'exportAudit', {
  noCommand: '`formhost audit` prints the entries, with `--json` as the API has them.',
  summary: 'Get all entries of the audit as lines of JSON',
  description: 'Oldest first, each line an entry as the list has it.',
  answer: {
    description: 'All entries.',
    headers: { 'Content-Disposition': { description: 'A filename with the date.', schema: { type: 'string' } } },
    type: 'application/x-ndjson',
    schema: z.string(),
    example: `${JSON.stringify(exampleOf(Entry))}\n`,
  },
  takesLong: true,
  async handle({ owner, response }, { db, requests: { responseWriter } }) {
    response.setHeader('Content-Type', 'application/x-ndjson');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const day = new Date().toISOString().slice(0, 10);
    response.setHeader('Content-Disposition', `attachment; filename="audit-${day}.ndjson"`);
    if (response.req.method === 'HEAD') response.end();
    else await responseWriter.stream(response, linesOf(readAudit(db, auditOf(owner))));
  },
});

/** The entries of an owner's audit. */
export const auditOperations = [listOperation, exportOperation];
