import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { DraftState } from './page-draft.ts';

/** Says that the account does not have what is typed, and why. */
export const DraftProblem = ({ kept }: { kept: DraftState }): JSX.Element => (
  <div role="status" class="draft-problem">
    {kept.state === 'failed' && (
      <p class="muted">
        <Rich text={t.editor.draft.notYet} with={{ why: <>{kept.error.message}</> }} />
      </p>
    )}
  </div>
);
