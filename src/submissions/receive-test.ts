import { Batcher } from '../db/batcher.ts';
import { findPreviewedForms, type PreviewedForm } from '../db/deployments/preview-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { LiveForm } from '../db/submissions/form-queries.ts';
import type { PageForm } from '../forms/forms-of-page.ts';
import { matchForm } from '../forms/match-form.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import type { Forms } from './live-forms.ts';
import type { SubmissionOutcome } from './outcomes.ts';
import { notWorking, type SentSubmission } from './receive.ts';
import type { SubmissionStore } from './submission-store.ts';

/** Tests that all previews of a page may send in a minute, in each process. */
const MAX_TESTS = 20;
const WINDOW_MS = 60_000;
const MAX_COUNTED = 10_000;
/** Labels that one statement looks up, and those that wait: anybody can make some up. */
const LABELS = { maxBatch: 100, maxWaiting: 1_000 };

type TestParts = {
  db: Database;
  forms: Forms;
  store: SubmissionStore;
  /** The forms of a version of a deployment's page. */
  formsOf(deploymentId: string, version: number): Promise<readonly PageForm[]>;
};

/** Stores submissions of previews, which are tests: a form that is tried out takes no place, whatever its settings say. */
export class TestIntake {
  readonly #parts: TestParts;
  readonly #forms: Batcher<string, PreviewedForm | undefined>;
  readonly #sent = createBoundedCache<string, number>(MAX_COUNTED, { ttlMs: WINDOW_MS });

  constructor(parts: TestParts) {
    this.#parts = parts;
    this.#forms = new Batcher((labels) => findPreviewedForms(parts.db, labels), LABELS);
  }

  /** The deployment of a preview; undefined where there is none. */
  find(label: string): Promise<PreviewedForm | undefined> {
    return this.#forms.add(label);
  }

  /** Receives a submission of a preview. Rejects with what `read` and the database reject with. */
  async receive(
    { deploymentId, ownerId, version }: PreviewedForm,
    read: () => Promise<SentSubmission>,
  ): Promise<SubmissionOutcome> {
    const form = await this.#parts.forms.get(deploymentId);
    if (!form) return { kind: 'no-form' };
    if (form.isSuspended) return { kind: 'suspended', form };
    const sent = await read();
    if (sent.exceeded) return { kind: 'files-refused', exceeded: sent.exceeded, form };
    const { id } = sent;
    if (sent.honeypot) return { kind: 'honeypot', id, form };
    const count = this.#sent.get(deploymentId) ?? 0;
    if (count >= MAX_TESTS) {
      return { kind: 'rate-limited', retryAfterMs: this.#sent.getRemainingTTL(deploymentId), form };
    }
    this.#sent.set(deploymentId, count + 1, { noUpdateTTL: true });
    try {
      return await this.#store(sent, { deploymentId, ownerId, version }, form);
    } catch (error) {
      return notWorking(error, form);
    }
  }

  async #store(
    { id, data, ipAddress, files }: SentSubmission,
    { deploymentId, ownerId, version }: PreviewedForm,
    form: LiveForm,
  ): Promise<SubmissionOutcome> {
    const { formsOf, store } = this.#parts;
    const { name, isHoneypotFilled } = matchForm(await formsOf(deploymentId, version), data);
    if (isHoneypotFilled) return { kind: 'honeypot', id, form };
    const test = { id, deploymentId, ownerId, data, ipAddress, form: name, version };
    const { kind } = await store.storeTest(test, files);
    if (kind === 'storage-full') return { kind, form };
    // The first one, where it is sent again.
    return kind === 'accepted' || kind === 'duplicate' ? { kind: 'test', id, form } : { kind: 'no-form' };
  }
}
