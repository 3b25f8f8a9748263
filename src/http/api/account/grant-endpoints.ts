import { z } from 'zod';
import { SCOPES } from '../../../db/account/api-key-queries.ts';
import { endGrant, listGrants, ownGrantExists } from '../../../db/account/grant-queries.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, deploymentId, grantId, textField, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';

const Grant = answerObject('Grant', {
  id: grantId,
  client: textField('The name of the program, which it has given itself.', 'Example agent'),
  host: textField('The host of its metadata document, or of the address to which its code was sent.', '127.0.0.1'),
  scope: z.enum(SCOPES).meta({ description: 'What it may do, as a key with this scope.', example: 'read' }),
  pages: z
    .array(deploymentId)
    .nullable()
    .meta({ description: 'The deployments that it is for; null: all.', example: null }),
  created_at: time.meta({ description: 'When it was allowed.' }),
  last_used_at: time.meta({ description: 'To the minute.' }),
});
const Grants = answerObject('Grants', { grants: z.array(Grant), ...paged });
const Ended = answerObject('GrantEnded', { message: z.literal('Grant ended'), id: grantId });

const noSuchGrant = errorKind(
  { id: 'NoSuchGrant', description: 'The owner has no such grant, or it has ended.' },
  () => new HttpError(404, 'No such grant: choose one that {GET /grants} lists.'),
);

const listOperation = operation('GET', '/grants', 'listGrants', {
  isOfAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'grants list',
    text: 'List the programs that you have allowed',
    table: {
      columns: ['ID', 'PROGRAM', 'HOST', 'SCOPE', 'ALLOWED', 'LAST USED', 'PAGES'],
      rows: ({ grants }) =>
        grants.map((one) => [
          ...[one.id, one.client, one.host, one.scope, one.created_at, one.last_used_at],
          one.pages?.join(' ') ?? null,
        ]),
    },
  },
  summary: 'List the programs that you have allowed',
  description: `Newest first. A grant ends ${SIZES.grant.lifetimeDays} days after its last use, and with the key that was signed in.`,
  scope: 'full',
  query: Paging,
  answer: { description: 'A page of grants.', schema: Grants },
  async handle({ owner, query: paging }, { db }) {
    const { rows, total } = await listGrants(db, owner.id, paging);
    return { grants: rows.map((one) => toWire(Grant, one)), total, ...paging };
  },
});

const endOperation = operation('DELETE', '/grants/:grantId', 'endGrant', {
  audit: 'grant.revoke',
  isOfAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'grants end <grant>',
    text: 'End what you have allowed a program',
    prints: ({ id }) => id,
    says: () => 'ended: the program may do nothing any more',
  },
  summary: 'End what a program is allowed',
  description: 'All its tokens end.',
  async find(owner, { grantId: id }, { db }) {
    if (!(await ownGrantExists(db, owner.id, id))) throw noSuchGrant();
  },
  answer: { description: 'The grant has ended.', schema: Ended },
  errors: [noSuchGrant],
  async handle({ owner, params: { grantId: id } }, { db }) {
    if (!(await endGrant(db, owner.id, id))) throw noSuchGrant();
    return { message: 'Grant ended' as const, id };
  },
});

/** Programs that an owner has allowed. */
export const grantOperations = [listOperation, endOperation];
