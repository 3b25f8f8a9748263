import type { Config } from '../config.ts';
import { ownerExists } from '../db/account/owners.ts';
import { beginPurge, finishPurge, undeleteDeployment } from '../db/deployments/deleted-deployments.ts';
import {
  type AnyDeployment,
  findAnyDeployment,
  listAllDeployments,
  restore as putUp,
  takeDown as takePageDown,
} from '../db/deployments/take-downs.ts';
import type { Database } from '../db/postgres/connect.ts';
import { isReserved, isSlug } from '../lib/slugs.ts';
import { CommandError } from './command-error.ts';
import { exportLines, exportToFile } from './deployment-export.ts';
import { noSuchOwner, onDatabase } from './operator.ts';
import { type Output, print, printResult, printRows } from './output.ts';

/** The reason is in a row that is read for each submission. */
const MAX_REASON_CHARS = 1_000;

const named = ({ id, slug }: Pick<AnyDeployment, 'id' | 'slug'>): string => `${id} (${slug})`;

/** Runs a command on one deployment of any owner, live or deleted. */
const onDeployment = (
  slugOrId: string,
  work: (db: Database, deployment: AnyDeployment, config: Config) => Promise<void>,
  check?: (config: Config) => void,
): Promise<void> =>
  onDatabase(async (db, config) => {
    const deployment = await findAnyDeployment(db, slugOrId);
    if (!deployment)
      throw new CommandError(`there is no deployment ${slugOrId}: \`admin deployments list\` shows them`);
    await work(db, deployment, config);
  }, check);

/** Prints what was done with a deployment. */
const printDone = (message: string, { id, slug, owner }: AnyDeployment, output: Output): Promise<void> =>
  printResult({ message, id, slug, owner }, output);

function refuseDeleted(deployment: AnyDeployment): void {
  if (deployment.status === 'deleted') {
    throw new CommandError(`${named(deployment)} is deleted: \`admin deployments undelete\` brings it back`);
  }
}

type ListOptions = Output & {
  takenDown?: true | undefined;
  deleted?: true | undefined;
  owner?: string | undefined;
};

export const list = ({ takenDown, deleted, owner: address, ...output }: ListOptions): Promise<void> =>
  onDatabase(async (db) => {
    const owner = address?.toLowerCase();
    const status = takenDown ? 'taken down' : deleted ? 'deleted' : undefined;
    if (owner !== undefined && !(await ownerExists(db, owner))) throw noSuchOwner(owner);
    async function* rows() {
      for await (const one of listAllDeployments(db))
        if ((status ?? one.status) === one.status && (owner ?? one.owner) === one.owner) yield one;
    }
    await printRows(['id', 'slug', 'owner', 'status', 'createdAt', 'submissionCount'], rows(), output);
  });

/** Answers 451 in place of a page. */
export function takeDown(slugOrId: string, { reason: given, ...output }: Output & { reason: string }): Promise<void> {
  const reason = given.trim();
  if (reason === '' || reason.length > MAX_REASON_CHARS) {
    throw new CommandError(`--reason says why, in at most ${MAX_REASON_CHARS} characters`);
  }
  return onDeployment(slugOrId, async (db, deployment) => {
    refuseDeleted(deployment);
    const { status, takenDownAt, takeDownReason } = deployment;
    if (status === 'taken down') {
      throw new CommandError(
        `${named(deployment)} is taken down since ${takenDownAt?.toISOString()}: ${takeDownReason}`,
      );
    }
    await takePageDown(db, deployment.id, reason);
    await printDone(`took down ${named(deployment)} of ${deployment.owner}`, deployment, output);
  });
}

/** Puts up again what was taken down. */
export const restore = (slugOrId: string, output: Output): Promise<void> =>
  onDeployment(slugOrId, async (db, deployment) => {
    refuseDeleted(deployment);
    if (deployment.status === 'active') throw new CommandError(`${named(deployment)} is not taken down`);
    await putUp(db, deployment.id);
    await printDone(`restored ${named(deployment)} of ${deployment.owner}`, deployment, output);
  });

/** Brings back what its owner has deleted. */
export function undelete(id: string, { slug: newSlug, ...output }: Output & { slug?: string | undefined }) {
  const work = async (db: Database, deployment: AnyDeployment, { planLimits }: Config): Promise<void> => {
    const undeleted = await undeleteDeployment(db, deployment.id, { slug: newSlug });
    switch (undeleted) {
      case 'not-deleted':
        throw new CommandError(`${named(deployment)} is not deleted`);
      case 'incomplete':
        throw new CommandError(`${named(deployment)} cannot be brought back: its purge has begun, run it again`);
      case 'limit-reached':
        throw new CommandError(`the plan of ${deployment.owner} allows no more`);
      case 'slug-taken':
        throw new CommandError(`the slug ${newSlug ?? deployment.slug} is taken: give it another with --slug`);
    }
    const { slug, plan, liveDeployments } = undeleted;
    const undeletedOne = { ...deployment, slug };
    const lines = [`brought back ${named(undeletedOne)} of ${deployment.owner}`];
    const limit = planLimits.get(plan) ?? 0;
    if (liveDeployments > limit) {
      lines.push(`its owner has ${liveDeployments} live deployments now, and the plan ${plan} allows ${limit}`);
    }
    if (deployment.takenDownAt)
      lines.push('it was taken down, and still is: `admin deployments restore` puts it up again');
    await printDone(lines.join('\n'), undeletedOne, output);
  };
  return onDeployment(id, work, ({ reservedSlugs }) => {
    if (newSlug !== undefined && (!isSlug(newSlug) || isReserved(newSlug, reservedSlugs))) {
      throw new CommandError(
        `--slug ${newSlug} cannot be used: choose 1 to 63 letters and hyphens, and none that is reserved`,
      );
    }
  });
}

/** Deletes for good what its owner has deleted. */
export const purge = (id: string, output: Output): Promise<void> =>
  onDeployment(id, async (db, deployment) => {
    if (!(await beginPurge(db, deployment.id))) {
      throw new CommandError(`${named(deployment)} is not deleted: only what its owner has deleted can be purged`);
    }
    await finishPurge(db, deployment.id);
    const { owner, submissionCount } = deployment;
    const message = `purged ${named(deployment)} of ${owner}, and its ${submissionCount} submissions`;
    await printDone(message, deployment, output);
  });

/** Prints everything about a deployment, or writes it to a new file. */
export const exportAll = (id: string, file: string | undefined, { json }: Output): Promise<void> =>
  onDeployment(id, async (db, deployment, config) => {
    if (file === undefined) {
      for await (const line of exportLines(db, deployment, config)) await print(line);
      return;
    }
    await exportToFile(db, deployment, config, file);
    const { slug, owner } = deployment;
    const message = `exported ${named(deployment)} to ${file}`;
    await printResult({ message, id: deployment.id, slug, owner, file }, { json });
  });
