import { signal } from '@preact/signals';
import type { Schemas } from '../client/client.ts';
import { ApiError, answer, api, session } from './api.ts';

export type Me = Schemas['Me'];

/** Who is signed in. */
export const me = signal<Me | undefined>(undefined);

/** Whether links by mail can be had: the shell says so, before anybody has signed in. */
export const hasMail = document.documentElement.dataset.mail === 'on';

/** Reads who is signed in, if anybody is. */
export async function findSession(): Promise<void> {
  try {
    me.value = await answer(api.GET('/me'));
    session.value = 'active';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    session.value = 'none';
  }
}

/** Asks the service, and throws its sentence when it refuses. */
async function post(method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  await answer(response.json().then((data) => (response.ok ? { data, response } : { error: data, response })));
}

/** Signs in with a key. After a session that was over, what had been asked for goes on. */
export async function signIn(key: string): Promise<void> {
  const before = me.value?.email;
  await post('POST', '/session', { key });
  const found = await answer(api.GET('/me'));
  // Another owner's views have nothing to do with what is on the screen.
  if (before !== undefined && before !== found.email) location.assign('/dashboard');
  me.value = found;
  session.value = 'active';
}

/** Has a link sent, if an owner has this address. */
export const askForLink = (email: string): Promise<void> => post('POST', '/session/mail', { email });

/** Ends this session, or all of the owner's, and forgets what this tab knows. */
export async function signOut(of: 'this' | 'all'): Promise<void> {
  await post('DELETE', of === 'this' ? '/session' : '/sessions');
  sessionStorage.clear();
  location.assign('/dashboard');
}
