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
 * Reads the labels of a page when they are needed, once for each of its versions, and keeps them in the database. Two
 * processes may do so at once: both read the same.
 */
export class LabelReader {
  readonly #parts: Parts;
  readonly #underWay = new Map<string, Promise<Labels>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The labels of the fields of a deployment's page; empty where that can't be said now. Rejects without a database. */
  read(deploymentId: string): Promise<Labels> {
    const reading =
      this.#underWay.get(deploymentId) ??
      this.#readStored(deploymentId).finally(() => void this.#underWay.delete(deploymentId));
    this.#underWay.set(deploymentId, reading);
    return reading;
  }

  async #readStored(deploymentId: string): Promise<Labels> {
    const { db, urlOf } = this.#parts;
    const page = await findLabels(db, deploymentId);
    if (!page) return new Map();
    if (page.labels) return page.labels;
    try {
      const labels = new Map(await this.#readPage(page.ownerId, deploymentId, urlOf(page.slug)));
      // Its version was read before its HTML: if it is still live, the labels are its own.
      await saveLabels(db, deploymentId, page.version, labels);
      return labels;
    } catch (error) {
      // A mail or an export is as good with names.
      if (error instanceof BusyError) return new Map();
      throw error;
    }
  }

  /** The labels of the live page; undefined when the page is gone or can't be read by any thread. */
  #readPage(ownerId: number, deploymentId: string, url: string): Promise<PageLabels | undefined> {
    const { db, limits, checks, baseUrl, pagesDomain } = this.#parts;
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
}
