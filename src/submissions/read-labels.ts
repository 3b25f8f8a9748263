import type { Addresses } from '../compute/check/answer.ts';
import type { ComputePool } from '../compute/pool.ts';
import { OverLimitError } from '../compute/thread.ts';
import { findLivePage, htmlFilesOf } from '../db/deployments/html-file-queries.ts';
import { findLabels, type Labels, saveLabels } from '../db/deployments/label-queries.ts';
import type { OpenSiteFile } from '../db/deployments/site-file-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { BusyError } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { SIZES } from '../sizes.ts';

type LabelSources = {
  db: Database;
  limits: Limits;
  /** Apart from that for checks: mails wait for labels, whatever checks take. */
  labelThread: Pick<ComputePool, 'run'>;
  openSiteFile: OpenSiteFile;
  hosts: { addressesFor(page: { id: string; slug: string }): Addresses };
};

/**
 * The labels of the fields of a deployment's page; empty where that can't be said now. They are read when they are needed,
 * and kept in the database for each version: two requests that read them at once read the same. Rejects without a database.
 */
export async function readLabels(parts: LabelSources, deploymentId: string): Promise<Labels> {
  const page = await findLabels(parts.db, deploymentId);
  if (!page) return new Map();
  if (page.labels) return page.labels;
  try {
    const labels = await readPage(parts, page.ownerId, { id: deploymentId, slug: page.slug });
    // Its version was read before its HTML: if it is still live, the labels are its own.
    await saveLabels(parts.db, deploymentId, page.version, labels);
    return labels;
  } catch (error) {
    // A mail or an export is as good with names.
    if (error instanceof BusyError) return new Map();
    throw error;
  }
}

/** The labels of all HTML files of the live page; none when it is gone or can't be read by any thread. */
async function readPage(
  { db, limits: { compute }, labelThread, openSiteFile, hosts }: LabelSources,
  ownerId: number,
  deployment: { id: string; slug: string },
): Promise<Labels> {
  const labels = new Map<string, string>();
  const addresses = hosts.addressesFor(deployment);
  const page = await findLivePage(db, openSiteFile, ownerId, deployment.id);
  let usedMs = 0;
  for (const { read, site } of page ? htmlFilesOf(page) : []) {
    // Others have their turn between two files.
    const found = await labelThread
      .run(ownerId, compute.labelsSlotTimeoutMs, async (thread) => {
        const input = { html: await read(), addresses: { ...addresses, site } };
        const beganAt = performance.now();
        return thread.run('readLabels', input).finally(() => {
          usedMs += performance.now() - beganAt;
        });
      })
      .catch((error) => {
        // It would not succeed the next time either.
        if (error instanceof OverLimitError) return undefined;
        throw error;
      });
    // The first file that has a name decides.
    for (const [name, label] of found ?? []) if (!labels.has(name)) labels.set(name, label);
    // All files together may take as long as one job.
    if (usedMs > compute.jobTimeoutMs || labels.size >= SIZES.check.maxLabels) break;
  }
  return new Map([...labels].slice(0, SIZES.check.maxLabels));
}
