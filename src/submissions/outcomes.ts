import type { LiveForm } from '../db/submissions/form-queries.ts';
import type { Closing } from '../db/submissions/store-submissions.ts';

/** Why files were refused. `limit`: in bytes, or a count. */
export type FileLimit = { kind: 'count' | 'file' | 'files'; limit: number };

/** What the answer to a success needs to know of a form. `formerSlugs`: undefined where the form was not looked up. */
export type AnsweringForm = Pick<LiveForm, 'deploymentId' | 'slug' | 'rules'> & Partial<Pick<LiveForm, 'formerSlugs'>>;

/** An outcome that a visitor sees as a success. `id`: the submission's, or that of the first one when it is `repeated`. */
type Success = {
  kind: 'accepted' | 'repeated' | 'honeypot' | 'spam' | 'spam-dropped' | 'test';
  id: string;
  form: AnsweringForm;
};

/** Why a submission was not stored. `form`: undefined where it is not known. */
export type NotReceived =
  | { kind: 'loop' | 'no-form' }
  /** Its owner is suspended. */
  | { kind: 'suspended'; form: LiveForm }
  | { kind: 'origin-refused'; origin: string; form: LiveForm }
  | { kind: 'closed'; closing: Closing; form: LiveForm | undefined }
  | { kind: 'rate-limited'; retryAfterMs: number; form: LiveForm | undefined }
  /** Its key was used with another submission. */
  | { kind: 'key-reused'; form: LiveForm }
  /** The files are more than the owner's plan allows. */
  | { kind: 'storage-full'; form: LiveForm | undefined }
  | { kind: 'files-refused'; exceeded: FileLimit; form: LiveForm | undefined }
  /** `unavailable`: it can be sent again. `failed`: nobody has foreseen the error. */
  | { kind: 'unavailable' | 'failed'; error: unknown; form: LiveForm | undefined };

export type SubmissionOutcome = Success | NotReceived;

export const isSuccess = (outcome: { kind: string }): outcome is Success => 'id' in outcome;
