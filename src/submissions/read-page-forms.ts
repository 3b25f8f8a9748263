import type { Addresses } from '../compute/check/answer.ts';
import type { ComputePool } from '../compute/pool.ts';
import { OverLimitError } from '../compute/thread.ts';
import { findLivePage, findWholeVersion, htmlFilesOf, type WholePage } from '../db/deployments/html-file-queries.ts';
import { findPageForms, savePageForms } from '../db/deployments/page-form-queries.ts';
import type { OpenSiteFile } from '../db/deployments/site-file-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { PageForm } from '../forms/forms-of-page.ts';
import { BusyError } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { SIZES } from '../sizes.ts';

type FormSources = {
  db: Database;
  limits: Limits;
  /** Apart from that for checks: mails wait for labels, whatever checks take. */
  formThread: Pick<ComputePool, 'run'>;
  openSiteFile: OpenSiteFile;
  hosts: { addressesFor(page: { id: string; slug: string }): Addresses };
};

/**
 * The forms of a deployment's page and of the HTML files of its site; none where that can't be said now. They are read when they
 * are needed, and kept in the database for the live version: two requests that read them at once read the same. `version`: of a
 * preview, or one that was live. Rejects without a database.
 */
export async function readPageForms(
  sources: FormSources,
  deploymentId: string,
  version?: number,
): Promise<readonly PageForm[]> {
  const { db, openSiteFile } = sources;
  const page = await findPageForms(db, deploymentId);
  if (!page) return [];
  const { ownerId, slug } = page;
  const deployment = { id: deploymentId, slug };
  const isLive = version === undefined || version === page.version;
  if (isLive && page.forms) return page.forms;
  try {
    if (!isLive) {
      const whole = await findWholeVersion(db, openSiteFile, ownerId, { id: deploymentId, version });
      return await readFiles(sources, ownerId, deployment, whole);
    }
    const whole = await findLivePage(db, openSiteFile, ownerId, deploymentId);
    const forms = await readFiles(sources, ownerId, deployment, whole);
    // Its version was read before its HTML: if it is still live, the forms are its own.
    await savePageForms(db, deploymentId, page.version, forms);
    return forms;
  } catch (error) {
    // A mail or an export is as good with names, and a submission is stored without its form.
    if (error instanceof BusyError) return [];
    throw error;
  }
}

/** Reads the forms of a page that was just published, where submissions are matched with them: the first visitor then waits for no thread. */
export async function readFormsAhead(sources: FormSources, deploymentId: string): Promise<void> {
  try {
    const page = await findPageForms(sources.db, deploymentId);
    if (page?.tellsFormsApart) await readPageForms(sources, deploymentId);
  } catch {
    // The page is live. Its first submission has them read.
  }
}

/** The forms in all HTML files of a page; none when it is gone or can't be read by any thread. */
async function readFiles(
  { limits: { compute }, formThread, hosts }: FormSources,
  ownerId: number,
  deployment: { id: string; slug: string },
  page: WholePage | undefined,
): Promise<readonly PageForm[]> {
  const forms = new KeptForms();
  const addresses = hosts.addressesFor(deployment);
  let usedMs = 0;
  for (const { read, site } of page ? htmlFilesOf(page) : []) {
    // Others have their turn between two files.
    const found = await formThread
      .run(ownerId, compute.formsSlotTimeoutMs, async (thread) => {
        const input = { html: await read(), addresses: { ...addresses, site } };
        const beganAt = performance.now();
        return thread.run('readForms', input).finally(() => {
          usedMs += performance.now() - beganAt;
        });
      })
      .catch((error) => {
        // It would not succeed the next time either.
        if (error instanceof OverLimitError) return undefined;
        throw error;
      });
    for (const form of found ?? []) forms.add(form);
    // All files together may take as long as one job.
    if (usedMs > compute.jobTimeoutMs || forms.isFull) break;
  }
  return forms.list;
}

/** The forms of several files: one that is in each of them, such as that of a footer, once. */
class KeptForms {
  readonly list: PageForm[] = [];
  readonly #known = new Set<string>();
  #fields = 0;

  add(form: PageForm): void {
    const key = JSON.stringify(form);
    if (this.isFull || this.#known.has(key)) return;
    const fields = form.fields.slice(0, SIZES.check.maxKeptFields - this.#fields);
    this.#known.add(key);
    this.#fields += fields.length;
    this.list.push({ ...form, fields });
  }

  get isFull(): boolean {
    return this.list.length >= SIZES.check.maxKeptForms || this.#fields >= SIZES.check.maxKeptFields;
  }
}
