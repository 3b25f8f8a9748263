import { ApiError, answer, pause, plainApi, signedIn } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { readAnswer, type Submission } from './submissions.ts';

const isShown = (): boolean => document.visibilityState === 'visible';

/** Waits while nobody looks at the tab. A browser has six connections for a host: such a tab must not keep one. */
const shownOrLater = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (isShown()) resolve();
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    setTimeout(resolve, DASHBOARD_LIMITS.inbox.hiddenMs);
  });

/** The id of the newest submission, from which new ones follow; `0` when there is none. */
async function readNewest(deployId: string, signal: AbortSignal): Promise<string> {
  const params = { path: { deployId }, query: { limit: 1 } };
  const text = await answer(plainApi.GET('/submissions/{deployId}', { params, parseAs: 'text', signal }));
  return readAnswer(text).submissions[0]?.id ?? '0';
}

/** Waits for submissions after a cursor; `cursor`: where to go on. */
async function readAfter(deployId: string, cursor: string, signal: AbortSignal) {
  const query = { limit: 100, wait: isShown() ? DASHBOARD_LIMITS.inbox.waitSeconds : 0 };
  const params = { path: { deployId, cursor }, query };
  const text = await answer(
    plainApi.GET('/submissions/{deployId}/after/{cursor}', { params, parseAs: 'text', signal }),
  );
  const { submissions, rest } = readAnswer(text);
  return { submissions, cursor: String(JSON.parse(rest.get('cursor') ?? '"0"')) };
}

/**
 * Follows the new submissions of a page, until the signal. `onLost`: the last one was deleted, and with it the place from
 * which to go on, so that everything has to be read again.
 */
export async function follow(
  id: string,
  signal: AbortSignal,
  { onSubmissions, onLost }: { onSubmissions(submissions: readonly Submission[]): void; onLost(): void },
): Promise<void> {
  let cursor: string | undefined;
  for (let tries = 0; !signal.aborted; ) {
    try {
      await signedIn(signal);
      await shownOrLater(signal);
      cursor ??= await readNewest(id, signal);
      const read = await readAfter(id, cursor, signal);
      cursor = read.cursor;
      tries = 0;
      if (read.submissions.length > 0) onSubmissions(read.submissions);
    } catch (error) {
      if (cursor !== undefined && error instanceof ApiError && error.status === 404) {
        cursor = undefined;
        onLost();
      } else {
        await pause(tries, signal).catch(() => undefined);
        tries += 1;
      }
    }
  }
}
