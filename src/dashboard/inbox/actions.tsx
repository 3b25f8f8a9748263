import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { useChange } from '../data.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { say } from '../ui/say.tsx';
import type { Inbox } from './inbox-state.ts';
import { focusRow } from './inbox-table.tsx';
import type { Submission } from './read-submissions.ts';
import { type Action, restoreRows, type Target, unmarkRows } from './submission-changes.ts';
import type { SubmissionList } from './submission-list.ts';

/** How a removal is said, and taken back. */
const REMOVALS = {
  delete: { said: t.inbox.outcomes.deleted, undo: restoreRows },
  spam: { said: t.inbox.outcomes.movedToSpam, undo: unmarkRows },
} as const;

type Removal = keyof typeof REMOVALS;
const isRemoval = (action: Action): action is Removal => Object.hasOwn(REMOVALS, action);

/** A removal that one press can't undo, and that is asked about. */
type Asked = { action: Removal; of: Target };

/** The question before a removal of very many submissions. */
const QUESTIONS = {
  delete: {
    titles: t.inbox.questions.delete,
    text: t.inbox.questions.deleteText,
    button: t.inbox.actions.delete,
  },
  spam: {
    titles: t.inbox.questions.spam,
    text: t.inbox.questions.spamText,
    button: t.inbox.questions.spamButton,
  },
} as const;

/** Changes submissions of these pages at once. A removal can be undone; one of more than can be undone is asked about first. */
export function useActions(
  list: SubmissionList,
  pageIds: readonly string[],
  onRemoved: () => void,
): { act: Inbox['act']; question: JSX.Element | undefined } {
  const [asked, setAsked] = useState<Asked>();
  const { change, run, clear } = useChange();

  async function takeBack(action: Removal, rows: readonly Submission[]): Promise<void> {
    try {
      await REMOVALS[action].undo(rows);
      list.putBack(rows);
    } catch (error) {
      void list.restart();
      throw error;
    }
    const [first] = rows;
    if (first) setTimeout(() => focusRow(first.id));
  }

  /** Goes on at the place of the first one that was removed. */
  async function actNow(action: Action, of: Target): Promise<void> {
    const index = list.state.value.rows.findIndex(({ id }) => id === of.rows[0]?.id);
    await list.change(action, of, pageIds);
    if (!isRemoval(action)) return;
    if (!of.isAll) {
      const sentence = counted(REMOVALS[action].said, of.rows.length);
      say(sentence, isUndoable(of) ? () => takeBack(action, of.rows) : undefined);
    }
    onRemoved();
    const { rows } = list.state.value;
    const next = rows[Math.max(0, Math.min(index, rows.length - 1))];
    // A dialog that closes gives the focus back first.
    if (next) setTimeout(() => focusRow(next.id));
  }
  return {
    act(action, selected) {
      if (selected.rows.length === 0) return;
      const of = isRemoval(action) ? list.nameAll(selected) : selected;
      clear();
      if (isRemoval(action) && !isUndoable(of)) setAsked({ action, of });
      else actNow(action, of).catch((error) => say(fill(t.inbox.notSaved, { why: error.message })));
    },
    question: asked && (
      <ConfirmDialog
        title={list.inWords(QUESTIONS[asked.action].titles, asked.of)}
        text={QUESTIONS[asked.action].text}
        button={QUESTIONS[asked.action].button}
        change={change}
        onConfirm={async () => {
          if (await run(() => actNow(asked.action, asked.of))) setAsked(undefined);
        }}
        onClose={() => setAsked(undefined)}
      />
    ),
  };
}

/** Returns whether a removal can be taken back by one press: each submission takes a request. */
const isUndoable = ({ rows, isAll }: Target): boolean =>
  !isAll && rows.length <= DASHBOARD_LIMITS.inbox.undoneSubmissions;
