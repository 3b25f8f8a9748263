import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { t } from '../texts/chosen-texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import { undoLast } from '../ui/say.tsx';
import type { Inbox } from './inbox-state.ts';
import { focusedRow, focusRow, isTyping } from './inbox-table.tsx';
import type { Submission } from './read-submissions.ts';
import { type Action, doneOrOpen, mayAct, readOrUnread, starOrUnstar } from './submission-changes.ts';
import { SEARCH_ID } from './toolbar/search-field.tsx';

/** A key was pressed. `at`: the id of the submission that is open, or whose row has the focus. */
type Press = {
  inbox: Inbox;
  at: string | undefined;
  event: KeyboardEvent;
  route(href: string, isReplaced?: boolean): void;
};

function step({ inbox: { list, openId, hrefOf }, at, route }: Press, by: 1 | -1): void {
  const { rows } = list.state.value;
  const from = rows.findIndex((row) => row.id === at);
  const row = rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + by))];
  if (!row) return;
  if (openId === undefined) focusRow(row.id);
  else if (row.id !== openId) route(hrefOf(row), true);
}

/** Changes the rows that are selected, or the one that the key is about. */
function change({ inbox: { list, selected, act }, at }: Press, choose: (rows: readonly Submission[]) => Action): void {
  const current = at === undefined ? undefined : list.find(at);
  const rows = selected.rows.length > 0 ? selected.rows : current ? [current] : [];
  const action = choose(rows);
  if (mayAct(action)) act(action, { rows, isAll: selected.isAll });
}

/** The browser itself opens the link that has the focus. */
const SHORTCUTS: Readonly<Record<string, [effect: string, run?: (press: Press) => unknown]>> = {
  j: [t.inbox.shortcuts.next, (press) => step(press, 1)],
  k: [t.inbox.shortcuts.previous, (press) => step(press, -1)],
  Enter: [t.inbox.shortcuts.open],
  Escape: [
    t.inbox.shortcuts.back,
    ({ inbox: { openId, selected, hrefOf }, route }) => (openId === undefined ? selected.clear() : route(hrefOf())),
  ],
  e: [t.inbox.shortcuts.readOrUnread, (press) => change(press, readOrUnread)],
  s: [t.inbox.shortcuts.star, (press) => change(press, starOrUnstar)],
  d: [t.inbox.shortcuts.doneOrOpen, (press) => change(press, doneOrOpen)],
  x: [t.inbox.shortcuts.select, ({ inbox, at }) => at !== undefined && inbox.selected.toggle(at, false)],
  '#': [t.inbox.shortcuts.delete, (press) => change(press, () => 'delete')],
  u: [t.inbox.shortcuts.undo, () => undoLast()],
  '/': [
    t.inbox.shortcuts.search,
    ({ event }) => {
      event.preventDefault();
      document.getElementById(SEARCH_ID)?.focus();
    },
  ],
  '?': [t.inbox.shortcuts.help, () => showHelp()],
};

const SHORTCUTS_OFF = 'shortcuts-off';

/** True if letter keys are shortcuts. People who dictate switch them off. */
const hasLetters = signal(localStorage.getItem(SHORTCUTS_OFF) === null);

function switchLetters(isOn: boolean): void {
  hasLetters.value = isOn;
  if (isOn) localStorage.removeItem(SHORTCUTS_OFF);
  else localStorage.setItem(SHORTCUTS_OFF, '1');
}

/** Listens to the keys: not to what is typed, and not while a dialog or a menu is open. */
export function useShortcuts(inbox: Inbox): void {
  const { route } = useLocation();
  // Before the next key is pressed.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open], :popover-open')) return;
      if (event.key !== 'Escape' && !hasLetters.value) return;
      if (!Object.hasOwn(SHORTCUTS, event.key)) return;
      SHORTCUTS[event.key]?.[1]?.({ inbox, at: inbox.openId ?? focusedRow(), event, route });
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

const isHelpOpen = signal(false);

export const showHelp = (isShown = true): void => {
  isHelpOpen.value = isShown;
};

/** Says what the keys do. */
export const Help = (): JSX.Element | false =>
  isHelpOpen.value && (
    <Dialog title={t.inbox.shortcuts.title} onClose={() => showHelp(false)}>
      <dl class="shortcuts stack">
        {Object.entries(SHORTCUTS).map(([key, [effect]]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <Checkbox label={t.inbox.shortcuts.use} isOn={hasLetters.value} onChange={switchLetters} />
      <div class="buttons end">
        <Button onClick={() => showHelp(false)}>{t.inbox.shortcuts.close}</Button>
      </div>
    </Dialog>
  );
