import { useEffect, useRef } from 'preact/hooks';
import { DASHBOARD_LIMITS } from './dashboard-limits.ts';

/*
 * A change in one tab shows up in the others of this browser: each says that it has changed something, and reads again what it
 * shows when another one has.
 */

const tabs = new BroadcastChannel('changes');
const listeners = new Set<() => void>();
/** A change is not shown yet. */
let isDue = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(): void {
  timer = undefined;
  if (!isDue || document.hidden) return;
  isDue = false;
  for (const listener of listeners) listener();
}

// Several changes of one moment are read together.
const tellSoon = (): void => {
  if (isDue && timer === undefined) timer = setTimeout(tell, DASHBOARD_LIMITS.otherTabs.pauseMs);
};

/** Reads again what this tab shows, after a change that its view did not make. */
export function readAgain(): void {
  isDue = true;
  tellSoon();
}

tabs.addEventListener('message', readAgain);
document.addEventListener('visibilitychange', tellSoon);

/** Tells the other tabs that something was changed. */
export const tellOtherTabs = (): void => tabs.postMessage('changed');

/** Reads again what is shown after a change in another tab; in a tab that nobody sees, once it is seen. */
export function useOtherTabs(reload: () => unknown): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const listener = (): void => void latest.current();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}
