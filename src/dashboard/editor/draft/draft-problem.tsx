import type { JSX } from 'preact';
import type { DraftState } from './page-draft.ts';

/** Says that the account does not have what is typed, and why. */
export const DraftProblem = ({ kept }: { kept: DraftState }): JSX.Element => (
  <div role="status" class="draft-problem">
    {kept.state === 'failed' && (
      <p class="muted">
        <strong>Not in your account yet</strong>: {kept.error.message} It is tried again with your next change.
      </p>
    )}
  </div>
);
