import type { Opening } from '../db/deployments/deployment-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type Closing, expectedOutcome } from '../db/submissions/store-submissions.ts';

/** A page says within a second that its form is full. */
const FRESH_MS = 500;

/** `at`: when it was read, as performance.now() returns it; Infinity: it is being read. */
type Known = { at: number; closing: Promise<Closing | undefined> };

/** Why a form is closed by its times alone, which need no database. */
function byTime({ opensAt, closesAt }: Opening): Closing | undefined {
  const now = Date.now();
  if (opensAt !== null && opensAt > now) return { reason: 'not-open', opensAt: new Date(opensAt), timeZone: 'UTC' };
  return closesAt !== null && closesAt <= now ? { reason: 'closed' } : undefined;
}

/** Whether forms are closed now, for the pages that say so themselves. */
export class Closings {
  readonly #db: Database;
  /** By the openings of pages in memory: a page that has changed has another one. */
  readonly #known = new WeakMap<Opening, Known>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Why the form of a deployment is closed; undefined: it is open. Without a promise where its times say that, and it has no places. */
  get(deploymentId: string, opening: Opening): Promise<Closing | undefined> | undefined {
    if (!opening.hasPlaces && !byTime(opening)) return undefined;
    const known = this.#known.get(opening);
    if (known && performance.now() - known.at < FRESH_MS) return known.closing;
    const reading: Known = { at: Number.POSITIVE_INFINITY, closing: this.#read(deploymentId, opening, known) };
    this.#known.set(opening, reading);
    void reading.closing.then(() => {
      reading.at = performance.now();
    });
    return reading.closing;
  }

  /** Reads whether a form is closed; what was known before, or its times, where it can't be read. */
  async #read(deploymentId: string, opening: Opening, before: Known | undefined): Promise<Closing | undefined> {
    try {
      const outcome = await expectedOutcome(this.#db, { deploymentId });
      return outcome.kind === 'closed' ? outcome.closing : undefined;
    } catch {
      return byTime(opening) ?? (await before?.closing);
    }
  }
}
