import { LRUCache } from 'lru-cache';
import type { Database } from '../db/postgres/connect.ts';
import { BatchReader } from '../db/submissions/batch-reader.ts';
import { findForms, type LiveForm } from '../db/submissions/forms.ts';
import { isDeploymentId } from '../lib/ids.ts';
import { type Limits, SIZES } from '../limits.ts';

/** What submissions need to know of their forms, in memory until it changes. */
export class Forms {
  readonly #forms: LRUCache<string, LiveForm>;
  readonly #reader: BatchReader<LiveForm>;
  /** Reads under way. One that is no longer here when it ends has been overtaken by a change: its form is not kept. */
  readonly #reads = new Map<string, Promise<LiveForm | undefined>>();

  constructor(db: Database, { submissions }: Limits) {
    this.#forms = new LRUCache({
      maxSize: submissions.maxKnownFormsChars,
      sizeCalculation: (form) => SIZES.internal.knownFormEntryChars + JSON.stringify(form).length,
    });
    this.#reader = new BatchReader((ids) => findForms(db, ids), submissions.maxReadForms);
  }

  /** The form of a live deployment; undefined when there is none. Rejects when it can't be read. */
  async get(deploymentId: string): Promise<LiveForm | undefined> {
    // Only ids reach Postgres, which refuses some texts (NUL).
    if (!isDeploymentId(deploymentId)) return undefined;
    return this.#forms.get(deploymentId) ?? this.#reads.get(deploymentId) ?? this.#read(deploymentId);
  }

  /** The form, if it is in memory. */
  inMemory(deploymentId: string): LiveForm | undefined {
    return this.#forms.get(deploymentId);
  }

  /** A deployment has changed. */
  invalidate(deploymentId: string): void {
    this.#forms.delete(deploymentId);
    this.#reads.delete(deploymentId);
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#forms.clear();
    this.#reads.clear();
  }

  #read(deploymentId: string): Promise<LiveForm | undefined> {
    const reading = this.#reader
      .get(deploymentId)
      .then((form) => {
        if (form && this.#reads.get(deploymentId) === reading) this.#forms.set(deploymentId, form);
        return form;
      })
      .finally(() => {
        if (this.#reads.get(deploymentId) === reading) this.#reads.delete(deploymentId);
      });
    this.#reads.set(deploymentId, reading);
    return reading;
  }
}
