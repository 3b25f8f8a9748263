import { pipeline } from 'node:stream/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Config } from '../config.ts';
import { actingAsOperator, record } from '../db/account/audit-queries.ts';
import { ownerExists } from '../db/account/owner-queries.ts';
import { beginPurge, finishPurge, undeleteDeployment } from '../db/deployments/deleted-deployment-queries.ts';
import {
  type AnyDeployment,
  findAnyDeployment,
  listAllDeployments,
  restore,
  takeDown,
} from '../db/deployments/take-down-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { isReserved, isSlug } from '../sites/slugs.ts';
import { SIZES } from '../sizes.ts';
import { CommandError } from './command-error.ts';
import { declare } from './declare.ts';
import { exportLines } from './deployment-export.ts';
import { fileOf, noSuchOwner, onDatabase, ownerAddress } from './operator.ts';
import { type Output, print, printResult, printRows } from './output.ts';
import { createFile } from './write-file.ts';

const { maxReasonChars } = SIZES.operator;

export function declareDeployments(admin: Command): void {
  const group = admin.command('deployments').description('Take pages down, restore, export and purge');
  const commands = [declareList, declareTakeDown, declareRestore, declareExport, declareUndelete, declarePurge];
  for (const declareCommand of commands) declareCommand(group);
}

/** Declares a command about one page of any owner. */
const forDeployment = (group: Command, name: string, description: string, example: string, id = 'id of the page') =>
  declare(group, name, description, `$ admin deployments ${name} ${example}`).argument('<id>', id);
const SLUG_OR_ID = 'id of the page, or the slug of a live one';

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

const named = ({ id, slug }: Pick<AnyDeployment, 'id' | 'slug'>): string => `${id} (${slug})`;

/** Prints what was done with a deployment. */
const printDone = (message: string, { id, slug, owner }: AnyDeployment, output: Output): Promise<void> =>
  printResult({ message, id, slug, owner }, output);

function refuseDeleted(deployment: AnyDeployment): void {
  if (deployment.status === 'deleted') {
    throw new CommandError(`${named(deployment)} is deleted: \`admin deployments undelete\` brings it back`);
  }
}

const declareList = (group: Command): unknown =>
  declare(group, 'list', 'List the pages of all owners', '$ admin deployments list --taken-down')
    .addOption(new Option('--taken-down', 'only what is taken down').conflicts('deleted'))
    .option('--deleted', 'only what its owner has deleted')
    .option('--owner <email>', 'only the pages of this owner', ownerAddress)
    .action(({ takenDown, deleted, owner, ...output }) =>
      onDatabase(async (db) => {
        const status = takenDown ? 'taken down' : deleted ? 'deleted' : undefined;
        if (owner !== undefined && !(await ownerExists(db, owner))) throw noSuchOwner(owner);
        async function* rows() {
          for await (const one of listAllDeployments(db))
            if ((status ?? one.status) === one.status && (owner ?? one.owner) === one.owner) yield one;
        }
        await printRows(['id', 'slug', 'owner', 'status', 'createdAt', 'submissionCount'], rows(), output);
      }),
    );

function reasonOf(text: string): string {
  const reason = text.trim();
  if (reason !== '' && reason.length <= maxReasonChars) return reason;
  throw new CommandError(`--reason says why, in at most ${maxReasonChars} characters`);
}

const declareTakeDown = (group: Command): unknown =>
  forDeployment(
    group,
    'take-down',
    'Answer 451 in place of a page, and accept no submissions',
    'contact --reason "phishing, reported on Monday"',
    SLUG_OR_ID,
  )
    .requiredOption('--reason <why>', 'the owner reads it; visitors do not', reasonOf)
    .action((id, { reason, ...output }) =>
      onDeployment(id, async (db, deployment) => {
        refuseDeleted(deployment);
        const { status, takenDownAt, takeDownReason } = deployment;
        if (status === 'taken down') {
          throw new CommandError(
            `${named(deployment)} is taken down since ${takenDownAt?.toISOString()}: ${takeDownReason}`,
          );
        }
        await takeDown(actingAsOperator(db, 'page.take-down'), deployment.id, reason);
        await printDone(`took down ${named(deployment)} of ${deployment.owner}`, deployment, output);
      }),
    );

const declareRestore = (group: Command): unknown =>
  forDeployment(group, 'restore', 'Put up again what was taken down', 'contact', SLUG_OR_ID).action((id, output) =>
    onDeployment(id, async (db, deployment) => {
      refuseDeleted(deployment);
      if (deployment.status === 'active') throw new CommandError(`${named(deployment)} is not taken down`);
      await restore(actingAsOperator(db, 'page.restore'), deployment.id);
      await printDone(`restored ${named(deployment)} of ${deployment.owner}`, deployment, output);
    }),
  );

/** Prints everything about a deployment, or writes it to a new file. */
const declareExport = (group: Command): unknown =>
  forDeployment(
    group,
    'export',
    'Print everything about a page, one JSON object in each line, or write it to a new file',
    'd_0Vbb… contact.ndjson',
  )
    .argument('[file]', 'a new file', fileOf)
    .action((id, file, { json }) =>
      onDeployment(id, async (db, deployment, config) => {
        await record(actingAsOperator(db, 'submission.export'), { target: deployment.id, deploymentId: deployment.id });
        const lines = exportLines(db, deployment, config);
        if (file === undefined) {
          for await (const line of lines) await print(line);
          return;
        }
        await createFile(file, (out) => pipeline(lines, out));
        const { slug, owner } = deployment;
        const message = `exported ${named(deployment)} to ${file}`;
        await printResult({ message, id: deployment.id, slug, owner, file }, { json });
      }),
    );

const declareUndelete = (group: Command): unknown =>
  forDeployment(group, 'undelete', 'Bring back what its owner has deleted', 'd_0Vbb…')
    .option('--slug <slug>', 'another slug, where its own is taken')
    .action((id, { slug, ...output }) =>
      onDeployment(
        id,
        (db, deployment, config) => undelete(db, deployment, slug, config, output),
        ({ reservedSlugs }) => {
          if (slug === undefined || (isSlug(slug) && !isReserved(slug, reservedSlugs))) return;
          throw new CommandError(
            `--slug ${slug} cannot be used: choose 1 to 63 letters and hyphens, and none that is reserved`,
          );
        },
      ),
    );

async function undelete(
  db: Database,
  deployment: AnyDeployment,
  newSlug: string | undefined,
  { planLimits }: Config,
  output: Output,
): Promise<void> {
  const undeleted = await undeleteDeployment(actingAsOperator(db, 'page.undelete'), deployment.id, { slug: newSlug });
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
}

const declarePurge = (group: Command): unknown =>
  forDeployment(group, 'purge', 'Delete for good what its owner has deleted', 'd_0Vbb…').action((id, output) =>
    onDeployment(id, async (db, deployment) => {
      if (!(await beginPurge(actingAsOperator(db, 'page.purge'), deployment.id))) {
        throw new CommandError(`${named(deployment)} is not deleted: only what its owner has deleted can be purged`);
      }
      await finishPurge(db, deployment.id);
      const { owner, submissionCount } = deployment;
      const message = `purged ${named(deployment)} of ${owner}, and its ${submissionCount} submissions`;
      await printDone(message, deployment, output);
    }),
  );
