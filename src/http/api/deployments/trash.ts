import { z } from 'zod';
import type { Owner } from '../../../db/account/owners.ts';
import { beginPurge, isTrashed, listTrash, undeleteDeployment } from '../../../db/deployments/deleted-deployments.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { isDeploymentId } from '../../../lib/ids.ts';
import type { App } from '../../app.ts';
import type { Endpoint } from '../../request/declaration.ts';
import { endpoint } from '../../request/endpoint.ts';
import { deploymentId, time } from '../../request/fields.ts';
import { examplePage, Paging, paged } from '../../request/paging.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import {
  Deployed,
  exampleDeployed,
  exampleSlug,
  ownSlug,
  planLimitReached,
  slugField,
  slugTaken,
  toDeployed,
} from './deployments.ts';

const Trashed = z
  .strictObject({
    id: deploymentId,
    slug: ownSlug,
    submission_count: z.int().min(0).meta({ description: 'How many submissions it has.' }),
    deleted_at: time,
  })
  .meta({ id: 'DeletedDeployment' });
const Trash = z.strictObject({ deployments: z.array(Trashed), ...paged }).meta({ id: 'DeletedDeployments' });
const Purged = z.strictObject({ message: z.string(), id: deploymentId }).meta({ id: 'DeploymentPurged' });

const notInTrash = errorKind(
  {
    id: 'NotInTrash',
    description: "The key's owner has no such deleted deployment: it is live, it is gone for good, or it never was.",
  },
  () => new HttpError(404, 'No such deleted deployment: choose one that GET /trash lists.'),
);

const exampleRestored: z.infer<typeof Deployed> = {
  ...exampleDeployed,
  url: 'https://spring-sale-again.pages.example.net',
  slug: 'spring-sale-again',
};

const example: z.infer<typeof Trashed> = {
  id: exampleDeployed.id,
  slug: exampleSlug,
  submission_count: 3,
  deleted_at: '2026-11-21T11:08:48.298Z',
};

/** The owner's deleted deployment with this id; throws 404. */
async function inTrash(db: Database, owner: Owner, id: string): Promise<{ id: string }> {
  // Only ids reach Postgres, which refuses some texts (NUL).
  if (!isDeploymentId(id) || !(await isTrashed(db, owner.id, id))) throw notInTrash();
  return { id };
}

const listEndpoint = ({ db, config }: App) =>
  endpoint({
    method: 'GET',
    path: '/trash',
    name: 'listTrash',
    tag: 'Deployments',
    summary: 'List your deleted deployments',
    description: `The last deleted first. They are kept for ${config.trashDays} days (TRASH_DAYS), until they are restored or deleted for good, and count for the storage of the plan.`,
    query: Paging,
    answer: {
      status: 200,
      description: 'A page of deleted deployments.',
      schema: Trash,
      example: { deployments: [example], ...examplePage },
    },
    async handle({ owner, query: paging }) {
      const { rows: deployments, total } = await listTrash(db, owner.id, paging);
      return {
        deployments: deployments.map(({ id, slug, submissionCount, deletedAt }) => ({
          id,
          slug,
          submission_count: submissionCount,
          deleted_at: deletedAt.toISOString(),
        })),
        total,
        ...paging,
      };
    },
  });

function restoreEndpoint({ db, config, onDeploymentChange }: App) {
  const { planLimits, reservedSlugs } = config;
  const slug = slugField(reservedSlugs, 'Its slug is the one that it had when left out.').optional();
  const limitOf = (plan: string): number => planLimits.get(plan) ?? 0;
  return endpoint({
    method: 'POST',
    path: '/trash/:id/restore',
    name: 'restoreDeployment',
    tag: 'Deployments',
    summary: 'Restore a deleted deployment',
    description:
      'With its page, its submissions and their files, its webhooks and its settings. It counts for the limit of the plan again.',
    find: (owner, { id }) => inTrash(db, owner, id),
    body: { schema: z.object({ slug }), example: { slug: 'spring-sale-again' } },
    answer: { status: 200, description: 'The page is live again.', schema: Deployed, example: exampleRestored },
    errors: [notInTrash, planLimitReached, slugTaken],
    async handle({ owner, resource: { id }, body: { slug } }) {
      const restored = await undeleteDeployment(db, id, { slug, limitOf });
      if (restored === 'not-deleted' || restored === 'incomplete') throw notInTrash();
      if (restored === 'limit-reached') throw planLimitReached(owner.plan, limitOf(owner.plan));
      if (restored === 'slug-taken') throw slugTaken();
      onDeploymentChange({ deploymentId: id, slug: restored.slug });
      return toDeployed({ id, slug: restored.slug }, config);
    },
  });
}

const purgeEndpoint = ({ db, onPurge }: App) =>
  endpoint({
    method: 'DELETE',
    path: '/trash/:id',
    name: 'purgeDeployment',
    tag: 'Deployments',
    summary: 'Delete a deployment for good',
    description:
      'With all of its submissions, their files, its webhooks and its versions. It is out of reach at once, and removed in the ' +
      'background, which takes minutes where there are millions of submissions. Only for a deleted deployment.',
    find: (owner, { id }) => inTrash(db, owner, id),
    answer: {
      status: 200,
      description: 'The deployment is gone.',
      schema: Purged,
      example: { message: 'Deployment deleted for good', id: exampleDeployed.id },
    },
    errors: [notInTrash],
    async handle({ resource: { id } }) {
      if (!(await beginPurge(db, id))) throw notInTrash();
      onPurge();
      return { message: 'Deployment deleted for good', id };
    },
  });

/** Deleted deployments, which their owner can restore or remove for good. */
export const trashEndpoints = (app: App): Endpoint[] => [listEndpoint(app), restoreEndpoint(app), purgeEndpoint(app)];
