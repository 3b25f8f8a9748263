import type { Config } from '../config.ts';
import { listWebhooks } from '../db/deliveries/webhook-queries.ts';
import { findAnySettings } from '../db/deployments/settings-queries.ts';
import { createOpenSiteFile, type OpenSiteFile, type SiteFile } from '../db/deployments/site-file-queries.ts';
import { type AnyDeployment, findAnyPage } from '../db/deployments/take-down-queries.ts';
import { listDomains } from '../db/domains/domain-queries.ts';
import { createOpenFile, type OpenFile, readPieces } from '../db/files/file-content-queries.ts';
import { listFiles } from '../db/files/stored-file-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { readSpam } from '../db/spam/spam-queries.ts';
import { submissionLine } from '../db/submissions/submission-queries.ts';
import { readSubmissions, withRetries } from '../db/submissions/submission-reader.ts';
import { readTrashed } from '../db/submissions/trashed-submission-queries.ts';
import { compactJson } from '../lib/json-text.ts';
import { LIMITS } from '../limits.ts';
import { objectReader } from './operator.ts';

/**
 * Everything about a deployment, one JSON object in each line: the deployment, its settings, its html and other files, its webhooks and
 * domains, its submissions, oldest first, what is kept as spam or in the trash, and their files, each followed by its pieces in order.
 */
async function* exported(
  db: Database,
  deployment: AnyDeployment,
  { openFile, openSiteFile }: { openFile: OpenFile; openSiteFile: OpenSiteFile },
): AsyncGenerator<string> {
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
  const page = await findAnyPage(db, id);
  if (page) {
    yield JSON.stringify({ html: page.html });
    yield* exportedSite(page, openSiteFile);
  }
  for (const { headers, ...webhook } of await listWebhooks(db, id)) {
    const { id: webhookId, url, type, format, chatId: chat_id, events, active, createdAt: created_at } = webhook;
    // The values of headers are secrets, like that which signs.
    const names = headers.map(([name]) => name);
    yield JSON.stringify({
      webhook: { id: webhookId, url, type, format, chat_id, headers: names, events, active, created_at },
    });
  }
  for (const { domain, status, createdAt: created_at } of await listDomains(db, id)) {
    yield JSON.stringify({ domain: { domain, status, created_at } });
  }
  for await (const batch of readSubmissions(db, id, { order: 'oldest' }, withRetries(LIMITS))) {
    for (const submission of batch) yield `{"submission":${submissionLine(submission)}}`;
  }
  for await (const { id: spamId, data, ipAddress, createdAt, reason } of readSpam(db, id)) {
    const rest = JSON.stringify({ ip_address: ipAddress, created_at: createdAt, reason }).slice(1);
    yield `{"spam":{"id":"${spamId}","data":${compactJson(data)},${rest}}`;
  }
  for await (const { deletedAt: deleted_at, ...submission } of readTrashed(db, id)) {
    yield `{"trashed":${submissionLine(submission).slice(0, -1)},${JSON.stringify({ deleted_at }).slice(1)}}`;
  }
  for await (const file of listFiles(db, id, { tests: false })) {
    const { id: fileId, submissionId, filename, contentType, size } = file;
    yield JSON.stringify({
      file: { id: fileId, submission_id: submissionId, filename, content_type: contentType, size },
    });
    let position = 0;
    for await (const piece of readPieces(file, openFile(file))) {
      yield JSON.stringify({ file_piece: { file_id: fileId, position, base64: piece.toString('base64') } });
      position += 1;
    }
  }
}

/** The files of a site, each followed by its pieces in order. */
async function* exportedSite(
  { ownerId, files }: { ownerId: number; files: readonly SiteFile[] },
  openSiteFile: OpenSiteFile,
): AsyncGenerator<string> {
  for (const file of files) {
    yield JSON.stringify({ site_file: file });
    let position = 0;
    for await (const piece of readPieces({ size: file.bytes }, openSiteFile(ownerId, file))) {
      yield JSON.stringify({ site_file_piece: { path: file.path, position, base64: piece.toString('base64') } });
      position += 1;
    }
  }
}

/** The lines of an export, each with its line end. */
export async function* exportLines(db: Database, deployment: AnyDeployment, config: Config): AsyncGenerator<string> {
  const readObject = objectReader(config);
  const openFile = createOpenFile(db, readObject, LIMITS);
  const openSiteFile = createOpenSiteFile(db, readObject, LIMITS);
  for await (const line of exported(db, deployment, { openFile, openSiteFile })) yield `${line}\n`;
}
