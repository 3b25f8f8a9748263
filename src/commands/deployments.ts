import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { ownerExists } from '../db/account/owners.ts';
import { listWebhooks } from '../db/deliveries/webhooks.ts';
import { beginPurge, finishPurge, undeleteDeployment } from '../db/deployments/deleted-deployments.ts';
import { findAnySettings } from '../db/deployments/settings.ts';
import {
  type AnyDeployment,
  findAnyDeployment,
  findAnyHtml,
  listAllDeployments,
  restore,
  takeDown,
} from '../db/deployments/take-downs.ts';
import { createOpenFile, type OpenFile } from '../db/files/file-content.ts';
import { listFiles } from '../db/files/stored-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { readSpam } from '../db/spam/spam-submissions.ts';
import { readSubmissions, withRetries } from '../db/submissions/submission-reader.ts';
import { submissionLine } from '../db/submissions/submissions.ts';
import { compactJson } from '../lib/json-text.ts';
import { isReserved, isSlug } from '../lib/slugs.ts';
import { COMMAND_LIMITS, LIMITS } from '../limits.ts';
import { action, type Command, fileOf, listing, openBucket, type Result, runCommand } from './command.ts';
import { CommandError, hasCode, UsageError } from './command-error.ts';

const USAGE = `usage: npm run --silent deployments -- list [--taken-down | --deleted] [--owner EMAIL] [--json]
       npm run --silent deployments -- take-down SLUG_OR_ID --reason "WHY" [--json]
       npm run --silent deployments -- restore SLUG_OR_ID [--json]
       npm run --silent deployments -- export ID [FILE] [--json]
       npm run --silent deployments -- undelete ID [--slug NEW] [--json]
       npm run --silent deployments -- purge ID [--json]
An export is JSON in any case, one object in each line.`;

async function find(db: Database, slugOrId: string): Promise<AnyDeployment> {
  const deployment = await findAnyDeployment(db, slugOrId);
  if (!deployment) throw new CommandError(`there is no deployment ${slugOrId}: \`deployments list\` shows them`);
  return deployment;
}

const named = ({ id, slug }: Pick<AnyDeployment, 'id' | 'slug'>): string => `${id} (${slug})`;
const isDeleted = (deployment: AnyDeployment): CommandError =>
  new CommandError(`${named(deployment)} is deleted: \`deployments undelete\` brings it back`);
const hasChanged = (deployment: AnyDeployment): CommandError =>
  new CommandError(`${named(deployment)} was changed by another process meanwhile: look at it, and try again`);

/** What was done with a deployment. */
const done = (message: string, { id, slug, owner }: Pick<AnyDeployment, 'id' | 'slug' | 'owner'>): Result => ({
  text: message,
  json: { message, id, slug, owner },
});

const list = (status: AnyDeployment['status'] | undefined, owner: string | undefined): Command =>
  listing(['id', 'slug', 'owner', 'status', 'created_at', 'submission_count'], async function* (db) {
    if (owner !== undefined && !(await ownerExists(db, owner))) {
      throw new CommandError(`there is no owner ${owner}: \`owners list\` shows them`);
    }
    for await (const { createdAt, submissionCount, ...one } of listAllDeployments(db)) {
      if ((status ?? one.status) !== one.status || (owner ?? one.owner) !== one.owner) continue;
      yield { ...one, created_at: createdAt, submission_count: submissionCount };
    }
  });

const takeDownFor = (slugOrId: string, reason: string): Command =>
  action(async (db) => {
    const deployment = await find(db, slugOrId);
    const { status, takenDownAt, takeDownReason } = deployment;
    if (status === 'deleted') throw isDeleted(deployment);
    if (status === 'taken down') {
      throw new CommandError(
        `${named(deployment)} is taken down since ${takenDownAt?.toISOString()}: ${takeDownReason}`,
      );
    }
    if (!(await takeDown(db, deployment.id, reason))) throw hasChanged(deployment);
    return done(`took down ${named(deployment)} of ${deployment.owner}`, deployment);
  });

const restoreOne = (slugOrId: string): Command =>
  action(async (db) => {
    const deployment = await find(db, slugOrId);
    if (deployment.status === 'deleted') throw isDeleted(deployment);
    if (deployment.status === 'active') throw new CommandError(`${named(deployment)} is not taken down`);
    if (!(await restore(db, deployment.id))) throw hasChanged(deployment);
    return done(`restored ${named(deployment)} of ${deployment.owner}`, deployment);
  });

const undelete = (id: string, newSlug: string | undefined, { planLimits }: Config): Command =>
  action(async (db) => {
    const deployment = await find(db, id);
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
    if (deployment.takenDownAt) lines.push('it was taken down, and still is: `deployments restore` puts it up again');
    return done(lines.join('\n'), undeletedOne);
  });

const purge = (id: string): Command =>
  action(async (db) => {
    const deployment = await find(db, id);
    if (!(await beginPurge(db, deployment.id))) {
      throw new CommandError(`${named(deployment)} is not deleted: only what its owner has deleted can be purged`);
    }
    await finishPurge(db, deployment.id, LIMITS);
    return done(
      `purged ${named(deployment)} of ${deployment.owner}, and its ${deployment.submissionCount} submissions`,
      deployment,
    );
  });

/**
 * Everything about a deployment, one JSON object in each line: the deployment, its settings, its html, its webhooks, its
 * submissions, oldest first, what is kept as spam, and their files, each followed by its pieces in order.
 */
async function* exported(db: Database, deployment: AnyDeployment, openFile: OpenFile): AsyncGenerator<string> {
  const { id, slug, owner, status } = deployment;
  const head = {
    id,
    slug,
    owner,
    status,
    email_notifications: deployment.emailNotifications,
    submission_count: deployment.submissionCount,
    created_at: deployment.createdAt,
    updated_at: deployment.updatedAt,
    deleted_at: deployment.deletedAt,
    taken_down_at: deployment.takenDownAt,
    take_down_reason: deployment.takeDownReason,
  };
  yield JSON.stringify({ deployment: head });
  yield JSON.stringify({ settings: await findAnySettings(db, id) });
  const html = await findAnyHtml(db, id);
  if (html !== undefined) yield JSON.stringify({ html });
  for (const { id: webhookId, url, type, events, active, createdAt: created_at } of await listWebhooks(db, id)) {
    yield JSON.stringify({ webhook: { id: webhookId, url, type, events, active, created_at } });
  }
  for await (const batch of readSubmissions(db, id, { order: 'oldest' }, withRetries(LIMITS))) {
    for (const submission of batch) yield `{"submission":${submissionLine(submission)}}`;
  }
  for await (const { id: spamId, data, ipAddress, createdAt, reason } of readSpam(db, id)) {
    const rest = JSON.stringify({ ip_address: ipAddress, created_at: createdAt, reason }).slice(1);
    yield `{"spam":{"id":"${spamId}","data":${compactJson(data)},${rest}}`;
  }
  for await (const file of listFiles(db, id)) {
    const { id: fileId, submissionId, filename, contentType, size } = file;
    yield JSON.stringify({
      file: { id: fileId, submission_id: submissionId, filename, content_type: contentType, size },
    });
    const read = openFile(file);
    let from = 0;
    for (let position = 0; from < size; position += 1) {
      const piece = await read(from);
      if (!piece) break;
      from += piece.length;
      yield JSON.stringify({ file_piece: { file_id: fileId, position, base64: piece.toString('base64') } });
    }
  }
}

async function* exportedLines(db: Database, deployment: AnyDeployment, config: Config): AsyncGenerator<string> {
  const bucket = openBucket(config);
  try {
    const openFile = createOpenFile(db, bucket.read, LIMITS);
    for await (const line of exported(db, deployment, openFile)) yield `${line}\n`;
  } finally {
    await bucket.close();
  }
}

const exportToOutput =
  (id: string, config: Config): Command =>
  (db) =>
    async function* () {
      yield* exportedLines(db, await find(db, id), config);
    };

const exportTo = (id: string, file: string, config: Config): Command =>
  action(async (db) => {
    const deployment = await find(db, id);
    try {
      // Readable by the operator only; never overwrites another file.
      await pipeline(exportedLines(db, deployment, config), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      if (hasCode(error, /^EEXIST$/)) throw new CommandError(`${file} exists already: name another file`);
      await rm(file, { force: true });
      if (hasCode(error, /^E/) && 'syscall' in error)
        throw new CommandError(`${file} cannot be written: ${error.message}`);
      throw error;
    }
    const { text, json } = done(`exported ${named(deployment)} to ${file}`, deployment);
    return { text, json: { ...json, file } };
  });

function parse(args: string[], config: Config): Command {
  const [name, ...rest] = args;
  const read = <T extends Record<string, { type: 'string' | 'boolean' }>>(options: T) =>
    parseArgs({ args: rest, allowPositionals: true, options });
  switch (name) {
    case 'list': {
      const { values, positionals } = read({
        'taken-down': { type: 'boolean' },
        deleted: { type: 'boolean' },
        owner: { type: 'string' },
      });
      if (positionals.length > 0 || (values['taken-down'] && values.deleted)) break;
      const status = values['taken-down'] ? 'taken down' : values.deleted ? 'deleted' : undefined;
      return list(status, values.owner?.toLowerCase());
    }
    case 'take-down': {
      const { values, positionals } = read({ reason: { type: 'string' } });
      const [slugOrId, ...more] = positionals;
      if (slugOrId === undefined || more.length > 0) break;
      const reason = values.reason?.trim() ?? '';
      if (reason === '' || reason.length > COMMAND_LIMITS.takeDown.reasonChars) {
        throw new CommandError(`--reason is needed: why, in at most ${COMMAND_LIMITS.takeDown.reasonChars} characters`);
      }
      return takeDownFor(slugOrId, reason);
    }
    case 'undelete': {
      const { values, positionals } = read({ slug: { type: 'string' } });
      const [id, ...more] = positionals;
      if (id === undefined || more.length > 0) break;
      const { slug } = values;
      if (slug !== undefined && (!isSlug(slug) || isReserved(slug, config.reservedSlugs))) {
        throw new CommandError(
          `--slug ${slug} cannot be used: choose 1 to 63 letters and hyphens, and none that is reserved`,
        );
      }
      return undelete(id, slug, config);
    }
    case 'restore':
    case 'purge':
    case 'export': {
      const [id, file, ...more] = read({}).positionals;
      if (id === undefined || more.length > 0) break;
      if (name === 'export')
        return file === undefined ? exportToOutput(id, config) : exportTo(id, fileOf(file), config);
      if (file === undefined) return name === 'restore' ? restoreOne(id) : purge(id);
    }
  }
  throw new UsageError();
}

export const main = (): Promise<void> => runCommand(USAGE, parse);

if (import.meta.main) await main();
