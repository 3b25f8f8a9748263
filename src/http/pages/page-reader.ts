import type { PageHead, SmallPage } from '../../db/deployments.ts';
import { isOutOfReach } from '../../db/postgres/connect.ts';
import type { Limits } from '../../limits.ts';

/** What is stored under a slug. */
type Stored = SmallPage | PageHead | 'taken-down';

type Waiting = {
  slug: string;
  resolve(page: Stored | undefined): void;
  reject(error: unknown): void;
};

/**
 * Reads pages in batches: those that are asked for while a batch is being read wait for the next one, and share its round
 * trip. None is older than the request for it: what a batch reads was asked for before.
 */
export function createPageReader(
  read: (slugs: readonly string[]) => Promise<ReadonlyMap<string, Stored>>,
  { pages: { lookUpBatch } }: Limits,
): (slug: string) => Promise<Stored | undefined> {
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    // What else this iteration of the event loop asks for is read with it.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, lookUpBatch);
      waiting = waiting.slice(lookUpBatch);
      try {
        const pages = await read(batch.map(({ slug }) => slug));
        for (const { slug, resolve } of batch) resolve(pages.get(slug));
      } catch (error) {
        // The others would get the same error, later than a visitor should wait.
        if (isOutOfReach(error)) batch.push(...waiting.splice(0));
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (slug) =>
    new Promise((resolve, reject) => {
      waiting.push({ slug, resolve, reject });
      if (!isRunning) void run();
    });
}
