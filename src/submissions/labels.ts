import type { PageLabels } from '../compute/check/answer.ts';
import type { ComputePool } from '../compute/pool.ts';
import { OverLimitError } from '../compute/thread.ts';
import { findHtml } from '../db/deployments/deployments.ts';
import { findLabels, type Labels, saveLabels } from '../db/deployments/labels.ts';
import type { Database } from '../db/postgres/connect.ts';
import { BusyError } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';

/** What people call the fields of a deployment's page; empty where that can't be said now. Rejects without a database. */
export type LabelsOf = (deploymentId: string) => Promise<Labels>;

const NONE: Labels = new Map();

/**
 * Reads the labels of a page when they are needed, once for each of its versions, and keeps them in the database. Two
 * processes may do so at once: both read the same.
 */
export function createLabelsOf({
  db,
  limits,
  checks,
  baseUrl,
  pagesDomain,
  urlOf,
}: {
  db: Database;
  limits: Limits;
  checks: Pick<ComputePool, 'run'>;
  baseUrl: string;
  pagesDomain: string;
  urlOf(slug: string): string;
}): LabelsOf {
  const underWay = new Map<string, Promise<Labels>>();

  /** The labels of what is live; undefined when the page is gone or can't be read by any thread. */
  const readPage = (ownerId: number, deploymentId: string, url: string): Promise<PageLabels | undefined> =>
    // Apart from the owner's checks: mails wait for labels, whatever checks took.
    checks.run(`labels of ${ownerId}`, limits.compute.labelsSlotTimeoutMs, async (thread) => {
      const html = await findHtml(db, ownerId, deploymentId);
      if (!html) return undefined;
      const page = { url, action: `${baseUrl}/submit/${deploymentId}` };
      try {
        return await thread.readLabels({ html, addresses: { baseUrl, pagesDomain, page } });
      } catch (error) {
        // It would not succeed the next time either.
        if (error instanceof OverLimitError) return undefined;
        throw error;
      }
    });

  async function read(deploymentId: string): Promise<Labels> {
    const page = await findLabels(db, deploymentId);
    if (!page) return NONE;
    if (page.labels) return page.labels;
    try {
      const labels = new Map(await readPage(page.ownerId, deploymentId, urlOf(page.slug)));
      // Its version was read before its HTML: if it is still live, the labels are its own.
      await saveLabels(db, deploymentId, page.version, labels);
      return labels;
    } catch (error) {
      // A mail or an export is as good with names.
      if (error instanceof BusyError) return NONE;
      throw error;
    }
  }

  return (deploymentId) => {
    const reading = underWay.get(deploymentId) ?? read(deploymentId).finally(() => void underWay.delete(deploymentId));
    underWay.set(deploymentId, reading);
    return reading;
  };
}
