import { ApiError, pause } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { readAfter } from './list.ts';
import { readSubmission, type Submission } from './submissions.ts';

/**
 * Follows the new submissions of a page after a cursor, until the signal. A stream that is lost is opened again; what came
 * meanwhile is read. Where no stream comes through, the reading goes on alone.
 */
export function follow({
  id,
  cursor,
  signal,
  onSubmissions,
  onLost,
}: {
  id: string;
  cursor: string;
  signal: AbortSignal;
  onSubmissions(submissions: readonly Submission[]): void;
  /** The submission that the cursor names has been deleted: everything has to be read again. */
  onLost(): void;
}): void {
  let after = cursor;
  let stream: EventSource | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let isCatchingUp = false;
  /** Whether what came before the stream could not be read. */
  let isBehind = false;
  let isOpen = false;

  async function catchUp(): Promise<void> {
    if (isCatchingUp) return;
    isCatchingUp = true;
    try {
      for (;;) {
        const read = await readAfter(id, after, signal);
        after = read.cursor;
        isBehind = false;
        if (read.submissions.length === 0) return;
        onSubmissions(read.submissions);
      }
    } catch (error) {
      if (signal.aborted) return;
      isBehind = true;
      if (error instanceof ApiError && error.status === 404) {
        after = '0';
        end();
        onLost();
      }
    } finally {
      isCatchingUp = false;
    }
  }

  function end(): void {
    isOpen = false;
    stream?.close();
    stream = undefined;
  }

  function open(tries = 0): void {
    if (stream || signal.aborted) return;
    const opened = new EventSource(`/submissions/${id}/stream`);
    stream = opened;
    let wasOpen = false;
    opened.addEventListener('open', () => {
      wasOpen = true;
      isOpen = true;
      void catchUp();
    });
    opened.addEventListener('submission', ({ data, lastEventId }) => {
      after = lastEventId;
      onSubmissions([readSubmission(String(data))]);
    });
    opened.addEventListener('error', () => {
      isOpen = false;
      // Otherwise the browser connects again by itself.
      if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
      end();
      void pause(wasOpen ? 0 : tries, signal)
        .then(catchUp)
        .then(() => open(wasOpen ? 1 : tries + 1))
        .catch(() => undefined);
    });
  }

  const onVisibility = (): void => {
    clearTimeout(hiding);
    if (document.visibilityState === 'visible') open();
    else hiding = setTimeout(end, DASHBOARD_LIMITS.inbox.hiddenMs);
  };
  document.addEventListener('visibilitychange', onVisibility);
  const polling = setInterval(() => {
    if ((!isOpen || isBehind) && document.visibilityState === 'visible') void catchUp();
  }, DASHBOARD_LIMITS.inbox.pollIntervalMs);
  signal.addEventListener('abort', () => {
    clearInterval(polling);
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(hiding);
    end();
  });
  open();
}
