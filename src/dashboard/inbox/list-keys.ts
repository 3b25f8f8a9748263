import { useLocation } from 'preact-iso';
import { SEARCH_ID } from './filters.tsx';
import { showHelp } from './help.tsx';
import type { Inbox } from './inbox.ts';
import { useKeys } from './keys.ts';
import { readOrUnread, starOrUnstar } from './list.ts';
import type { Submission } from './submissions.ts';
import { focusRow } from './table.tsx';

/** The keys of the list, and of the submission that is open; `isOn`: those that are letters, too. */
export function useListKeys(inbox: Inbox, focused: string | undefined, isOn: boolean): void {
  const { list, selected, openId, hrefOf, act, setFocused } = inbox;
  const { route } = useLocation();
  const { rows } = list.state.value;
  const at = openId ?? focused;
  const current = at === undefined ? undefined : list.find(at);
  const rowsMeant = selected.rows.length > 0 ? selected.rows : current ? [current] : [];
  const target = selected.isAll ? 'all' : rowsMeant;

  function moveTo(row: Submission | undefined): void {
    if (!row) return;
    // The next key may come before the focus has moved.
    setFocused(row.id);
    if (openId === undefined) focusRow(row.id);
    else if (row.id !== openId) route(hrefOf(row), true);
  }
  function step(by: 1 | -1): void {
    const from = rows.findIndex((row) => row.id === at);
    moveTo(rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + by))]);
  }
  const letters = {
    j: () => step(1),
    k: () => step(-1),
    e: () => act(readOrUnread(rowsMeant), target),
    s: () => act(starOrUnstar(rowsMeant), target),
    x: () => at !== undefined && selected.toggle(at, false),
    '#': () => act('delete', target),
    '/': (event: KeyboardEvent) => {
      event.preventDefault();
      document.getElementById(SEARCH_ID)?.focus();
    },
    '?': () => showHelp(),
  };
  useKeys({
    ...(isOn && letters),
    Escape: () => (openId === undefined ? selected.clear() : route(hrefOf())),
  });
}
