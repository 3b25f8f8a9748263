import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../output.ts';
import { isTransient, pause, type Service } from './api-requests.ts';

/** The service writes a comment line every few seconds. */
const IDLE_TIMEOUT_MS = 45_000;
/** Before a stream that the service has ended is opened again. */
const REOPEN_MS = 500;

type StreamEvent = { id: string | undefined; data: string };

/** The events of a stream (HTML standard, 9.2.6), those without data too: the first one says where the stream begins. */
async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | undefined;
  let data: string[] = [];
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (id !== undefined || data.length > 0) yield { id, data: data.join('\n') };
        [id, data] = [undefined, []];
      } else if (line.startsWith('id: ')) id = line.slice('id: '.length);
      else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
    }
  }
}

/** A page whose submissions are followed; those after the cursor, or all new ones. `signal` ends it. */
type Followed = { id: string; after: string | undefined; signal: AbortSignal };

/**
 * Calls `take` with the JSON text of each submission as it comes, one after the other, until the signal fires. When the
 * connection breaks, it goes on where it was; only the first connection must succeed.
 */
export async function followSubmissions(
  service: Service,
  { id, after, signal }: Followed,
  take: (submission: string) => Promise<void>,
): Promise<void> {
  let cursor = after;
  let hasBegun = false;
  let failures = 0;
  for (;;) {
    try {
      const pieces = await service.open(`/submissions/${encodeURIComponent(id)}/stream`, {
        type: 'text/event-stream',
        headers: cursor === undefined ? {} : { 'Last-Event-ID': cursor },
        signal,
        idleMs: IDLE_TIMEOUT_MS,
      });
      if (!hasBegun) say('new submissions follow; Ctrl-C ends');
      else if (failures > 0) say('connected again');
      hasBegun = true;
      for await (const event of eventsOf(pieces)) {
        failures = 0;
        if (event.data !== '') await take(event.data);
        cursor = event.id ?? cursor;
      }
      // The service has ended the stream, because it restarts.
      await delay(REOPEN_MS, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!hasBegun || !isTransient(error)) throw error;
      failures += 1;
      if (failures === 1) say(`${error.message}; trying again`);
      await pause(failures, error, signal);
    }
  }
}
