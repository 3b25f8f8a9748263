import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { createShare, deleteShare, listShares, shareExists } from '../../../db/submissions/share-queries.ts';
import { hashOfKey, newToken } from '../../../lib/ids.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, shareId, time, uriField } from '../../request/shared-fields.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { expiresAt } from '../account/key-endpoints.ts';
import { missing, ownDeployment } from '../deployments/own-deployment.ts';

const { maxPerDeployment, endedDays } = SIZES.share;

const Made = answerObject('Share', {
  id: shareId,
  url: uriField(
    'The secret address. Who has it can read the submissions. Only this answer shows it.',
    'https://forms.example.org/shares/Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG',
  ),
});
const Listed = answerObject('ListedShare', {
  id: shareId,
  created_at: time,
  expires_at: time.nullable().meta({ description: 'null: never.', example: null }),
});
const Shares = answerObject('Shares', { shares: z.array(Listed), ...paged });
const Deleted = answerObject('ShareDeleted', { message: z.literal('Share deleted'), id: shareId });

const noSuchShare = missing(
  'NoSuchShare',
  'or no such share of it',
  'No such share: choose one that {GET /deploy/:id/shares} lists.',
);
const tooManyShares = errorKind(
  { id: 'ShareLimit', description: `The deployment has ${maxPerDeployment} shares that have not expired.` },
  () => new HttpError(409, `The {deployment} has ${maxPerDeployment} shares: delete one first.`),
);

/** The id of a share of the owner's live deployment; throws 404. */
async function ownShare(db: Database, owner: Owner, ids: { id: string; shareId: string }): Promise<string> {
  const { id } = await ownDeployment(db, owner, ids.id);
  if (!(await shareExists(db, id, ids.shareId))) throw noSuchShare();
  return ids.shareId;
}

const createOperation = operation('POST', '/deploy/:id/shares', 'createShare', {
  audit: 'share.create',
  command: {
    usage: 'shares add <id>',
    text: 'Make a secret address at which people read submissions, and print it this once',
    help: ['$ shares add contact --expires 2027-01-01'],
    as: { expires_at: '--expires <time>' },
    texts: { expires_at: 'when the address ends, such as 2027-01-01' },
    prints: ({ url }) => url,
    says: ({ id }) => `made ${id}; the address is not shown again; who has it can read the submissions`,
  },
  summary: 'Share the submissions of a {deployment}',
  description:
    'A secret address at which a browser reads the submissions and their files, newest first, without the IP addresses and notes. ' +
    `At most ${maxPerDeployment} a deployment.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  body: {
    schema: z.object({
      expires_at: expiresAt.nullish().meta({
        description: 'From when on the address is refused, in ISO 8601 with Z or an offset. Left out or null: never.',
      }),
    }),
    example: {},
  },
  answer: { status: 201, description: 'The share.', schema: Made },
  errors: [tooManyShares],
  async handle({ resource, body: { expires_at: until } }, { db, config }) {
    const secret = newToken();
    const share = { hash: hashOfKey(secret), expiresAt: until ? new Date(until) : null };
    const id = await createShare(db, resource.id, share);
    if (id === undefined) throw noSuchDeployment();
    if (id === 'limit-reached') throw tooManyShares();
    return { id, url: `${config.baseUrl}/shares/${secret}` };
  },
});

const listOperation = operation('GET', '/deploy/:id/shares', 'listShares', {
  command: {
    usage: 'shares list <id>',
    text: 'List the addresses at which people read submissions',
    table: {
      columns: ['ID', 'CREATED', 'EXPIRES'],
      rows: ({ shares }) => shares.map((share) => [share.id, share.created_at, share.expires_at]),
    },
  },
  summary: 'List the shares of a {deployment}',
  description: `Newest first, without their addresses. One that has expired leaves the list after ${endedDays} days, or when another takes its place.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Paging,
  answer: { description: 'A page of shares.', schema: Shares },
  async handle({ resource: { id }, query: paging }, { db }) {
    const { rows, total } = await listShares(db, id, paging);
    return { shares: rows.map((share) => toWire(Listed, share)), total, ...paging };
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id/shares/:shareId', 'deleteShare', {
  audit: 'share.delete',
  command: {
    usage: 'shares remove <id> <share>',
    text: 'End a share',
    prints: ({ id }) => id,
    says: () => 'removed: its address works no more',
  },
  summary: 'Delete a share',
  description: 'Its address ends at once, in every process.',
  find: (owner, ids, { db }) => ownShare(db, owner, ids),
  answer: { description: 'The share is deleted.', schema: Deleted },
  errors: [noSuchShare],
  async handle({ params: { id: deploymentId }, resource: id }, { db }) {
    if (!(await deleteShare(db, deploymentId, id))) throw noSuchShare();
    return { message: 'Share deleted' as const, id };
  },
});

/** The shares of a deployment: secret addresses at which people without an account read its submissions. */
export const shareOperations = [listOperation, createOperation, deleteOperation];
