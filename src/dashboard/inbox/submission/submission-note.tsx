import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useChange } from '../../data.ts';
import { may } from '../../permissions.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { TextArea } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { NotSaved, Saved } from '../../ui/states.tsx';
import type { Inbox } from '../inbox-state.ts';
import type { Submission } from '../read-submissions.ts';

/** The owner's note on a submission. It is stored a moment after the last key, and when one goes on. */
export function Note({ inbox: { list }, submission }: { inbox: Inbox; submission: Submission }): JSX.Element | null {
  const { note } = submission;
  const [typed, setTyped] = useState(note);
  const { change, run } = useChange({ isRepeatable: true });
  const read = useRef(note);
  // Another tab has changed it, and nothing was typed here.
  useLayoutEffect(() => {
    if (typed === read.current && change.state !== 'saving') setTyped(note);
    read.current = note;
  }, [note]);
  const isTooLong = Array.from(typed).length > DASHBOARD_LIMITS.inbox.noteChars;
  const waiting = useRef<string>(undefined);
  waiting.current = typed === note || isTooLong ? undefined : typed;

  function store(): void {
    const text = waiting.current;
    if (text !== undefined) void run(() => list.write(submission, text));
  }
  useEffect(() => {
    if (waiting.current === undefined) return undefined;
    const timer = setTimeout(store, DASHBOARD_LIMITS.inbox.noteMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    const storeLast = (): void => {
      const text = waiting.current;
      if (text === undefined) return;
      list.write(submission, text).catch((error) => say(fill(t.inbox.notSaved, { why: error.message })));
    };
    addEventListener('pagehide', storeLast);
    return () => {
      removeEventListener('pagehide', storeLast);
      storeLast();
    };
  }, []);

  if (!may('PATCH /submissions/{deployId}/{submissionId}')) {
    return note === '' ? null : (
      <div class="note">
        <p class="muted">{t.inbox.detail.note}</p>
        <p class="text" dir="auto">
          {note}
        </p>
      </div>
    );
  }
  return (
    <div class={typed === '' ? 'note is-empty' : 'note'} onFocusOut={store}>
      <TextArea
        label={t.inbox.detail.note}
        rows={1}
        value={typed}
        onChange={setTyped}
        placeholder={t.inbox.detail.notePlaceholder}
        error={isTooLong ? counted(t.inbox.detail.noteTooLong, DASHBOARD_LIMITS.inbox.noteChars) : undefined}
      />
      <NotSaved change={change} />
      {waiting.current === undefined && <Saved change={change} />}
    </div>
  );
}
