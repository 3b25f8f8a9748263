import { LRUCache } from 'lru-cache';
import { Batcher } from '../db/batcher.ts';
import type { Database } from '../db/postgres/connect.ts';
import { findForms, type LiveForm } from '../db/submissions/form-queries.ts';
import { DEPLOYMENT_ID } from '../lib/ids.ts';

/** The forms in memory, all together. */
const MAX_KNOWN_CHARS = 16 * 1024 * 1024;
/** Forms that are read together. */
const MAX_READ = 128;

/** The memory of a form's rules besides their texts, in bytes. */
const KNOWN_FORM_ENTRY_CHARS = 1_000;

/** Also allows the origins that the page had before, if not all are allowed. */
function withFormerOrigins(form: LiveForm, originOf: (slug: string) => string): LiveForm {
  const { formerSlugs, rules } = form;
  if (formerSlugs.length === 0 || rules.allowedOrigins.length === 0) return form;
  return { ...form, rules: { ...rules, allowedOrigins: [...rules.allowedOrigins, ...formerSlugs.map(originOf)] } };
}

/** The forms of submissions, in memory until they change. */
export class Forms {
  readonly #forms: LRUCache<string, LiveForm>;
  readonly #reader: Batcher<string, LiveForm | undefined>;
  /** How often something has changed: what was read meanwhile may be older than the change, and is not kept. */
  #changes = 0;

  /** `originOf`: the origin of the page with a slug. */
  constructor(db: Database, originOf: (slug: string) => string) {
    const read = async (ids: readonly string[]): Promise<(LiveForm | undefined)[]> =>
      (await findForms(db, ids)).map((form) => form && withFormerOrigins(form, originOf));
    this.#reader = new Batcher(read, { maxBatch: MAX_READ });
    this.#forms = new LRUCache({
      maxSize: MAX_KNOWN_CHARS,
      sizeCalculation: (form) => KNOWN_FORM_ENTRY_CHARS + JSON.stringify(form).length,
    });
  }

  /** The form of a live deployment; undefined when there is none. Rejects when it can't be read. */
  async get(deploymentId: string): Promise<LiveForm | undefined> {
    const known = this.#forms.get(deploymentId);
    // Only ids reach Postgres, which refuses some texts (NUL).
    if (known || !DEPLOYMENT_ID.test(deploymentId)) return known;
    const changes = this.#changes;
    const form = await this.#reader.add(deploymentId);
    if (form && changes === this.#changes) this.#forms.set(deploymentId, form);
    return form;
  }

  /** The form of a page that visitors may see: undefined also where its owner is suspended. Rejects when it can't be read. */
  async getShown(deploymentId: string): Promise<LiveForm | undefined> {
    const form = await this.get(deploymentId);
    return form?.isSuspended ? undefined : form;
  }

  /** The form, if it is in memory. */
  inMemory(deploymentId: string): LiveForm | undefined {
    return this.#forms.get(deploymentId);
  }

  /** A deployment has changed. */
  invalidate(deploymentId: string): void {
    this.#changes += 1;
    this.#forms.delete(deploymentId);
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#changes += 1;
    this.#forms.clear();
  }
}
