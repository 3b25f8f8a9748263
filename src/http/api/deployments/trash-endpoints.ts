import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import {
  beginPurge,
  isTrashed,
  listTrash,
  undeleteDeployment,
} from '../../../db/deployments/deleted-deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, deploymentId, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import {
  Deployed,
  ownSlug,
  planLimitReached,
  slugField,
  slugTaken,
  submissionCount,
  toDeployed,
} from './deployment-endpoints.ts';
import { titleField } from './overview-endpoints.ts';

const Trashed = answerObject('DeletedDeployment', {
  id: deploymentId,
  slug: ownSlug,
  title: titleField,
  submission_count: submissionCount,
  deleted_at: time,
});
const Trash = answerObject('DeletedDeployments', { deployments: z.array(Trashed), ...paged });
const Purged = answerObject('DeploymentPurged', {
  message: z.literal('Deployment deleted for good'),
  id: deploymentId,
});

const notInTrash = errorKind(
  {
    id: 'NotInTrash',
    description: "The key's owner has no such deleted deployment: it is live, it is gone for good, or it never was.",
  },
  () => new HttpError(404, 'No such deleted {deployment}: choose one that {GET /trash} lists.'),
);

/** Throws 404 unless the owner has a deleted deployment with this id. */
async function checkTrash(db: Database, owner: Owner, id: string): Promise<void> {
  if (!(await isTrashed(db, owner.id, id))) throw notInTrash();
}

const listOperation = operation('GET', '/trash', 'listTrash', {
  tool: {
    name: 'list_trash',
    description: 'The last deleted first.',
    isBounded: true,
  },
  command: {
    usage: 'trash list',
    text: 'List your deleted pages',
    table: {
      columns: ['ID', 'SLUG', 'SUBMISSIONS', 'DELETED', 'TITLE'],
      rows: ({ deployments }) =>
        deployments.map((page) => [page.id, page.slug, page.submission_count, page.deleted_at, page.title]),
    },
  },
  summary: 'List your deleted {deployment}s',
  description: ({ config }) =>
    `The last deleted first. They are kept for ${config.trashDays} days (TRASH_DAYS), until they are restored or deleted for good, and count for the storage of the plan.`,
  query: Paging,
  answer: { description: 'A page of deleted deployments.', schema: Trash },
  async handle({ owner, query: paging }, { db }) {
    const { rows: deployments, total } = await listTrash(db, owner, paging);
    return { deployments: deployments.map((one) => toWire(Trashed, one)), total, ...paging };
  },
});

const restoreOperation = operation('POST', '/trash/:id/restore', 'restoreDeployment', {
  audit: 'page.undelete',
  tool: {
    name: 'restore_page',
    description: 'Brings a page back from the trash. Give a slug where its own is taken.',
  },
  command: {
    usage: 'trash restore <id>',
    text: 'Make a deleted page live again',
    isInTrash: true,
    texts: { slug: 'another slug, where its own is taken' },
    prints: ({ url }) => url,
    says: ({ id, slug }) => `${slug} (${id}) is live again, with its submissions`,
  },
  summary: 'Restore a deleted {deployment}',
  description:
    'With its page, its submissions and their files, its webhooks and its settings. It counts for the limit of the plan again.',
  find: (owner, { id }, { db }) => checkTrash(db, owner, id),
  body: ({ config: { reservedSlugs } }) => ({
    schema: z.object({ slug: slugField(reservedSlugs, 'Its slug is the one that it had when left out.').optional() }),
    example: {},
  }),
  answer: { description: 'The page is live again.', schema: Deployed },
  errors: [notInTrash, planLimitReached, slugTaken],
  async handle({ owner, params: { id }, body: { slug } }, { db, config, lifecycle: { onDeploymentChange } }) {
    const limitOf = (plan: string): number => config.planLimits.get(plan) ?? 0;
    const restored = await undeleteDeployment(db, id, { slug, limitOf });
    if (restored === 'not-deleted' || restored === 'incomplete') throw notInTrash();
    if (restored === 'limit-reached') throw planLimitReached(owner.plan, limitOf(owner.plan));
    if (restored === 'slug-taken') throw slugTaken();
    await onDeploymentChange({ deploymentId: id, slug: restored.slug });
    return toDeployed({ id, slug: restored.slug }, config);
  },
});

const purgeOperation = operation('DELETE', '/trash/:id', 'purgeDeployment', {
  audit: 'page.purge',
  command: {
    usage: 'trash purge <id>',
    text: 'Delete a page in the trash for good, with all that it has',
    help: ['$ trash purge contact --yes'],
    isInTrash: true,
    asks: ({ id }) => `Delete ${id} for good, with its submissions and their files?`,
    prints: ({ id }) => id,
    says: () => 'deleted for good',
  },
  summary: 'Delete a {deployment} for good',
  description:
    'With all that it has. It is out of reach at once. Millions of submissions take minutes to be removed. Only for a deleted deployment.',
  find: (owner, { id }, { db }) => checkTrash(db, owner, id),
  answer: { description: 'The deployment is gone.', schema: Purged },
  errors: [notInTrash],
  async handle({ params: { id } }, { db, lifecycle: { onPurge } }) {
    if (!(await beginPurge(db, id))) throw notInTrash();
    onPurge();
    return { message: 'Deployment deleted for good' as const, id };
  },
});

/** Deleted deployments, which their owner can restore or remove for good. */
export const trashOperations = [listOperation, restoreOperation, purgeOperation];
