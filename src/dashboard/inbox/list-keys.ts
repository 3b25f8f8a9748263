import { useLocation } from 'preact-iso';
import { SEARCH_ID } from './filters.tsx';
import { showHelp } from './help.tsx';
import type { Inbox } from './inbox.ts';
import { useKeys } from './keys.ts';
import { idsOf } from './list.ts';
import type { Submission } from './submissions.ts';
import { focusRow, isInTable } from './table.tsx';

/** The keys of the list, and of the submission that is open; `isOn`: those that are letters, too. */
export function useListKeys(inbox: Inbox, focused: string | undefined, isOn: boolean): void {
  const { list, selected, openId, hrefOf, remove, setFocused } = inbox;
  const { route } = useLocation();
  const { rows } = list.state.value;
  const at = openId ?? focused;
  const targets = selected.rows.length > 0 ? selected.rows : rows.filter((row) => row.id === at);

  function moveTo(row: Submission | undefined): void {
    if (!row) return;
    // The next key may come before the focus has moved.
    setFocused(row.id);
    if (openId === undefined) focusRow(row.id);
    else if (row.id !== openId) route(hrefOf(row.id), true);
  }
  function step(by: 1 | -1): void {
    const from = rows.findIndex((row) => row.id === at);
    moveTo(rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + by))]);
  }
  const letters = {
    j: () => step(1),
    k: () => step(-1),
    e: () => list.toggleRead(targets),
    s: () => list.toggleStar(targets),
    x: () => at !== undefined && selected.toggle(at, false),
    '#': () => remove(idsOf(targets), 'delete'),
    '/': (event: KeyboardEvent) => {
      event.preventDefault();
      document.getElementById(SEARCH_ID)?.focus();
    },
    '?': () => showHelp(),
  };
  const jump = (event: KeyboardEvent, row: Submission | undefined): void => {
    if (!isInTable(event.target)) return;
    event.preventDefault();
    moveTo(row);
  };
  useKeys({
    ...(isOn && letters),
    Escape: () => (openId === undefined ? selected.clear() : route(hrefOf())),
    Home: (event) => jump(event, rows[0]),
    End: (event) => jump(event, rows.at(-1)),
    Enter: (event) => {
      if (event.target === document.body && focused !== undefined) route(hrefOf(focused));
    },
  });
}
