import { signal } from '@preact/signals';
import { type Client, createClient } from '../client/client.ts';

/*
 * Every request of the dashboard goes through here, and every error is met here: a session that is over waits for the next
 * sign-in, and a connection that is lost is tried until it is back.
 */

/** Whether this browser is signed in; `over`: it was, and the answer to some request was that it no longer is. */
export const session = signal<'unknown' | 'none' | 'active' | 'over'>('unknown');

/** Why requests are being tried again. */
export const trouble = signal<'none' | 'offline' | 'unavailable'>('none');

/** The service has answered with an error; the message is its sentence that says what to do. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A change did not reach the service, or the service could not make it now. The same change may be tried again. */
export class ConnectionError extends Error {}

const NO_CONNECTION = 'There is no connection to the service.';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Waits before another try, longer each time, and less long when the browser is back online. */
export function pause(tries: number, signal?: AbortSignal): Promise<void> {
  const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.75 + Math.random() / 2);
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** Settles when somebody has signed in again. */
function signedInAgain(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      unsubscribe();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort);
    const unsubscribe = session.subscribe((state) => {
      if (state !== 'active') return;
      signal.removeEventListener('abort', abort);
      // The first call comes before `unsubscribe` has a value.
      queueMicrotask(() => unsubscribe());
      resolve();
    });
  });
}

/** Sends a request; undefined without a connection. */
async function answerTo(request: Request): Promise<Response | undefined> {
  try {
    const response = await fetch(request.clone());
    // The answer may have removed a cookie that a page of another host had set.
    return response.status === 401 && location.protocol === 'http:' ? await fetch(request) : response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    return undefined;
  }
}

let isLookedFor = false;

/** Waits for the service: a change that was not made is tried again by nobody, and the trouble would never be over. */
async function lookForService(): Promise<void> {
  if (isLookedFor) return;
  isLookedFor = true;
  for (let tries = 0; trouble.value !== 'none'; tries += 1) {
    await pause(tries);
    const response = await answerTo(new Request('/readyz'));
    if (response?.ok) trouble.value = 'none';
  }
  isLookedFor = false;
}

/** Sends a request until it is answered: reads as often as needed, changes once, and both again after a new sign-in. */
async function send(request: Request): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await answerTo(request.clone());
    if (response && response.status !== 503) {
      trouble.value = 'none';
      const wasSignedIn = session.value === 'active' || session.value === 'over';
      if (response.status !== 401 || !wasSignedIn) return response;
      session.value = 'over';
      await signedInAgain(request.signal);
      continue;
    }
    trouble.value = response ? 'unavailable' : 'offline';
    if (request.method !== 'GET') {
      void lookForService();
      throw new ConnectionError(response ? 'The service is busy or starting.' : NO_CONNECTION);
    }
    await pause(tries, request.signal);
  }
}

export const api: Client = createClient({ baseUrl: location.origin, fetch: send });

/** For signing in and out: each request is sent once, and a 401 is an answer like any other. */
export const sessionApi: Client = createClient({
  baseUrl: location.origin,
  async fetch(request) {
    const response = await answerTo(request);
    if (!response) throw new ConnectionError(NO_CONNECTION);
    return response;
  },
});

/** The answer to a call of `api`, or the error that the service answered with. */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined && data !== null) return data;
  const message =
    error instanceof Object && 'error' in error && typeof error.error === 'string'
      ? error.error
      : `The service answered ${response.status}: try again.`;
  throw new ApiError(response.status, message);
}
