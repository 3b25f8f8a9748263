import { signal } from '@preact/signals';
import { type Client, createFormhost } from '../client/client.ts';
import { TEMPLATE_TYPE } from '../problems/problem-document.ts';
import { type ReadProblem, readProblem } from '../problems/read-problem.ts';
import { DASHBOARD_LIMITS } from './dashboard-limits.ts';
import { formProblem } from './dashboard-words.ts';
import { tellOtherTabs } from './other-tabs.ts';
import { fill, t } from './texts/chosen-texts.ts';

/*
 * Every request of the dashboard goes through here, and every error is met here: a session that is over waits for the next
 * sign-in, and a connection that is lost is tried until it is back.
 */

/** The state of this browser's session. 'over': it was signed in, and the answer to a request was that it no longer is. */
export const session = signal<'unknown' | 'none' | 'active' | 'over'>('unknown');

/** Why requests are being tried again. */
export const trouble = signal<'none' | 'offline' | 'unavailable' | 'slow'>('none');

/** The service has answered with an error; the message says what to do. It has a line for each value that is wrong. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: ReadProblem | undefined;
  constructor(status: number, problem: ReadProblem | undefined) {
    super(problem ? formProblem(problem).message : fill(t.problems.answered, { status: String(status) }));
    this.status = status;
    this.problem = problem;
  }
}

/** A change did not reach the service, or the service could not make it now. The same change may be tried again. */
export class ConnectionError extends Error {}

/** Waits before another try, longer each time, and less long when the browser is back online. */
export function pause(tries: number, signal?: AbortSignal): Promise<void> {
  const ms =
    Math.min(DASHBOARD_LIMITS.requests.longestPauseMs, DASHBOARD_LIMITS.requests.firstPauseMs * 2 ** tries) *
    (0.75 + Math.random() / 2);
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

/** Settles when somebody is signed in. */
function signedIn(signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => reject(signal.reason));
  const unsubscribe = session.subscribe((state) => state === 'active' && resolve());
  return promise.finally(unsubscribe);
}

/**
 * Sends a request, and waits for the beginning of its answer: undefined without a connection, `slow` when this time is over.
 * Without a time it waits on: a change may have been made.
 */
async function answerWithin(ms: number | undefined, request: Request): Promise<Response | 'slow' | undefined> {
  const stopping = new AbortController();
  const timer = ms === undefined ? undefined : setTimeout(() => stopping.abort(), ms);
  const signal = AbortSignal.any([request.signal, stopping.signal]);
  request.headers.set('Accept', `${TEMPLATE_TYPE}, */*`);
  try {
    const response = await fetch(request.clone(), { signal });
    // The answer may have removed a cookie that a page of another host had set.
    return response.status === 401 && location.protocol === 'http:' ? await fetch(request, { signal }) : response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    return stopping.signal.aborted ? 'slow' : undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** When the service last failed to answer. Answers to what was sent before say nothing about the time after. */
let failedAt = Number.NEGATIVE_INFINITY;
let isLookedFor = false;

/** Waits for the service: a change that was not made is tried again by nobody, and the trouble would never be over. */
async function lookForService(): Promise<void> {
  if (isLookedFor) return;
  isLookedFor = true;
  for (let tries = 0; trouble.value !== 'none'; tries += 1) {
    await pause(tries);
    const response = await answerWithin(DASHBOARD_LIMITS.requests.plainTimeoutMs, new Request('/readyz'));
    if (response instanceof Response && response.ok) trouble.value = 'none';
  }
  isLookedFor = false;
}

/** Says when there is no answer for long. A request that only reads is given up after a time, which grows with each attempt. */
async function answerSaying(tries: number, request: Request): Promise<Response | 'slow' | undefined> {
  const { slowMs, answerTimeoutMs, longestAnswerTimeoutMs } = DASHBOARD_LIMITS.requests;
  const saying = setTimeout(() => {
    trouble.value = 'slow';
  }, slowMs);
  const ms = request.method === 'GET' ? Math.min(longestAnswerTimeoutMs, answerTimeoutMs * 2 ** tries) : undefined;
  try {
    return await answerWithin(ms, request);
  } finally {
    clearTimeout(saying);
  }
}

/** Sends a request until it is answered: reads as often as needed, changes once, and both again after a new sign-in. */
async function sendUntilAnswered(request: Request): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    // Another owner has signed in in another tab: this tab would show the data of that owner.
    if (session.value === 'over') await signedIn(request.signal);
    const sentAt = performance.now();
    const response = await answerSaying(tries, request.clone());
    if (response === 'slow') continue;
    if (response && response.status !== 503) {
      if (sentAt > failedAt) trouble.value = 'none';
      const wasSignedIn = session.value === 'active' || session.value === 'over';
      if (response.status !== 401 || !wasSignedIn) return response;
      session.value = 'over';
      continue;
    }
    trouble.value = response ? 'unavailable' : 'offline';
    failedAt = performance.now();
    if (request.method !== 'GET') {
      throw new ConnectionError(response ? t.problems.busy : t.problems.noConnection);
    }
    await pause(tries, request.signal);
  }
}

/** Checks are made without anybody having changed something. */
const isChange = ({ method, url }: Request): boolean => method !== 'GET' && !new URL(url).pathname.endsWith('/check');

async function send(request: Request): Promise<Response> {
  try {
    const response = await sendUntilAnswered(request);
    if (response.ok && isChange(request)) tellOtherTabs();
    return response;
  } finally {
    // Nobody tries on: not what was to be changed, and not what is not wanted any more.
    if (trouble.value !== 'none') void lookForService();
  }
}

export const api: Client = createFormhost({ url: location.origin, fetch: send });

/** For signing in and out: each request is sent once, and a 401 is an answer like any other. */
export const plainApi: Client = createFormhost({
  url: location.origin,
  async fetch(request) {
    const response = await answerWithin(DASHBOARD_LIMITS.requests.plainTimeoutMs, request);
    if (!(response instanceof Response)) throw new ConnectionError(t.problems.noConnection);
    return response;
  },
});

/** The answer to a call of `api`, or the error that the service answered with. */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined && data !== null) return data;
  throw new ApiError(response.status, readProblem(error));
}

/**
 * Deletes what is at a path of the API, also while the browser leaves the dashboard. What is gone already counts as deleted. With `wanted`,
 * only what has this ETag is deleted.
 */
export async function deleteAt(path: string, wanted?: string): Promise<void> {
  const headers = { ...(wanted !== undefined && { 'If-Match': wanted }) };
  const response = await send(new Request(path, { method: 'DELETE', headers, keepalive: true }));
  if (response.ok || response.status === 404) return;
  throw new ApiError(response.status, readProblem(await response.json().catch(() => undefined)));
}
