import type { PageLabels } from '../compute/check/answer.ts';
import type { ComputePool } from '../compute/pool.ts';
import { OverLimitError } from '../compute/thread.ts';
import { findHtml } from '../db/deployments/deployments.ts';
import { findLabels, type Labels, saveLabels } from '../db/deployments/labels.ts';
import type { Database } from '../db/postgres/connect.ts';
import { BusyError } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';

type Parts = {
  db: Database;
  limits: Limits;
  checks: Pick<ComputePool, 'run'>;
  baseUrl: string;
  pagesDomain: string;
  urlOf(slug: string): string;
};

/**
 * The labels of the fields of a deployment's page; empty where that can't be said now. They are read when they are needed,
 * and kept in the database for each version: two requests that read them at once read the same. Rejects without a database.
 */
export async function readLabels(parts: Parts, deploymentId: string): Promise<Labels> {
  const page = await findLabels(parts.db, deploymentId);
  if (!page) return new Map();
  if (page.labels) return page.labels;
  try {
    const labels = new Map(await readPage(parts, page.ownerId, deploymentId, parts.urlOf(page.slug)));
    // Its version was read before its HTML: if it is still live, the labels are its own.
    await saveLabels(parts.db, deploymentId, page.version, labels);
    return labels;
  } catch (error) {
    // A mail or an export is as good with names.
    if (error instanceof BusyError) return new Map();
    throw error;
  }
}

/** The labels of the live page; undefined when the page is gone or can't be read by any thread. */
function readPage(
  { db, limits, checks, baseUrl, pagesDomain }: Parts,
  ownerId: number,
  deploymentId: string,
  url: string,
): Promise<PageLabels | undefined> {
  // Apart from the owner's checks: mails wait for labels, whatever checks took.
  return checks.run(`labels of ${ownerId}`, limits.compute.labelsSlotTimeoutMs, async (thread) => {
    const html = await findHtml(db, ownerId, deploymentId);
    if (!html) return undefined;
    const addresses = { baseUrl, pagesDomain, page: { url, action: `${baseUrl}/submit/${deploymentId}` } };
    return thread.run('readLabels', { html, addresses }).catch((error) => {
      // It would not succeed the next time either.
      if (error instanceof OverLimitError) return undefined;
      throw error;
    });
  });
}
