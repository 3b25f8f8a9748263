import { DASHBOARD_LIMITS } from '../limits.ts';
import type { SubmissionList } from './list.ts';

/** Waits before the next look at the service: longer while nobody sees the tab, and no longer than until somebody does. */
const pauseBeforeLook = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    const { refreshMs, hiddenMs } = DASHBOARD_LIMITS.inbox;
    setTimeout(resolve, document.hidden ? hiddenMs : refreshMs);
    document.addEventListener('visibilitychange', resolve, { once: true, signal });
  });

/** Adds new submissions to a list, until the signal. */
export async function follow(
  list: SubmissionList,
  signal: AbortSignal,
  onAdded: (count: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    await pauseBeforeLook(signal);
    // After a look that failed comes another one.
    const added = await list.refresh(signal).catch(() => 0);
    if (added > 0) onAdded(added);
  }
}
