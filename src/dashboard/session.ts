import { computed, signal } from '@preact/signals';
import type { Client, Schemas } from '../client/client.ts';
import { ApiError, answer, api, plainApi, session } from './api.ts';
import { makeDeletions } from './deletions.ts';
import { keptNames } from './new-page-drafts.ts';
import { forgetPath, rememberPath, takePath } from './return-path.ts';
import { fill, t } from './texts/chosen-texts.ts';
import { timeZone } from './ui/time.tsx';

export type Me = Schemas['Me'];

/** The owner who is signed in. */
export const me = signal<Me | undefined>(undefined);

/** True for sessions of keys that may not change everything. */
export const isReadOnly = signal(false);

/** True for operators of the service. */
export const isOperator = signal(false);

type Role = Schemas['OverviewedDeployment']['role'];
const shownPage = signal<{ role: Role } | undefined>(undefined);

/** The role of a guest on the page of another owner that is shown; undefined on one's own. */
export const roleOnPage = computed(() => shownPage.value?.role);

/** Sets the role on the page that a view shows. Returns how to unset it: the view before goes when the next one is there already. */
export function takeRole(role: Role): () => void {
  const own = { role };
  shownPage.value = own;
  return () => {
    if (shownPage.value === own) shownPage.value = undefined;
  };
}

/** False for guests without an account, who make no pages. */
export const hasAccount = computed(() => me.value?.plan !== null);

/** The owner who has signed in in another tab meanwhile, if it is somebody else. */
export const another = signal<string | undefined>(undefined);

/** All tabs of a browser have one session: each is told whose it is, and when it ends. */
const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (session.value === 'active' && data !== me.value?.email) session.value = 'over';
});

/** True if the service can mail links. The shell says so before anybody has signed in. */
export const hasMail = document.documentElement.dataset.mail === 'on';

/** True if an address that signs in by mail for the first time gets an account. */
export const hasSignUp = document.documentElement.dataset.signUp === 'open';

/** True if a provider of OpenID Connect signs people in. */
export const hasOpenid = document.documentElement.dataset.oidc === 'on';

type Found = { account: Me; isNarrow: boolean; operates: boolean };

async function readMe(client: Client): Promise<Found> {
  const call = client.GET('/me');
  const account = await answer(call);
  const { headers } = (await call).response;
  return {
    account,
    isNarrow: headers.get('formhost-scope') !== 'full',
    operates: headers.get('formhost-operator') === 'yes',
  };
}

/** Reads who is signed in, if anybody is. */
export async function findSession(): Promise<void> {
  if (document.documentElement.dataset.session === 'none') {
    session.value = 'none';
    return;
  }
  try {
    const found = await readMe(api);
    const path = takePath();
    if (path === undefined) begin(found);
    else location.replace(path);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    session.value = 'none';
  }
}

/** The owner who has just signed in. */
async function findSignedIn(): Promise<Found> {
  try {
    return await readMe(plainApi);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    throw new Error(t.bar.session.notKept);
  }
}

/** Saves the time zone of the browser for an owner who has none: visitors and mails have times in it. */
async function saveZone(): Promise<void> {
  try {
    const saved = await answer(api.PATCH('/me', { body: { time_zone: timeZone } }));
    if (me.value?.email === saved.email) me.value = saved;
  } catch {
    // The next visit saves it, or nobody: the service does not know each zone that a browser may be in.
  }
}

/** Begins, or goes on with what had been asked for when the session was over. */
function begin({ account, isNarrow, operates }: Found): void {
  if (me.value !== undefined && me.value.email !== account.email) {
    // The view, and the changes that wait to be sent, are another owner's.
    leave();
    return;
  }
  me.value = account;
  isReadOnly.value = isNarrow;
  isOperator.value = operates;
  another.value = undefined;
  session.value = 'active';
  tabs.postMessage(account.email);
  if (account.time_zone === null && account.plan !== null && !isNarrow) void saveZone();
}

/** Signs in with a key. */
export async function signIn(key: string): Promise<void> {
  await answer(plainApi.POST('/session', { body: { key } }));
  begin(await findSignedIn());
  // The view of this address follows.
  forgetPath();
}

/** Finds a session that has begun in another tab, where a link by mail is opened. */
export async function findNewSession(): Promise<void> {
  try {
    const found = await readMe(plainApi);
    const { email } = found.account;
    if (email === me.value?.email) begin(found);
    else another.value = email;
  } catch {
    // There is none yet.
  }
}

/** Begins anew, and forgets what this tab knows of an owner: also where the browser goes back to it, or waits for the next page. */
export function leave(): void {
  session.value = 'none';
  me.value = undefined;
  sessionStorage.clear();
  location.assign('/dashboard');
}

/** Has a link sent, if an owner has this address. It leads back to the view where it was asked for. */
export async function askForLink(email: string): Promise<void> {
  rememberPath();
  await answer(plainApi.POST('/session/mail', { body: { email } }));
}

/** Leaves for the provider of OpenID Connect, which leads back to the view that is shown now. */
export function signInWithOpenid(): void {
  rememberPath();
  location.assign('/session/oidc');
}

/** Sends the drafts that wait, if there are any. Throws where this tab alone has one. */
async function sendDrafts(): Promise<void> {
  // Most tabs have none: the code is loaded only now.
  const drafts = await import('./editor/draft/page-draft.ts').catch(() => undefined);
  if (drafts) await drafts.flushDrafts();
  else if (keptNames().length > 0) throw new Error(fill(t.editor.draft.onlyInTab, { why: t.bar.notLoaded.text }));
}

/** Ends this session, or all of the owner's, and forgets what this tab knows. */
export async function signOut(of: 'this' | 'all'): Promise<void> {
  await Promise.all([makeDeletions(), sendDrafts()]);
  try {
    if (of === 'this') await answer(plainApi.DELETE('/session'));
    else await answer(plainApi.DELETE('/sessions'));
  } catch (error) {
    // It had ended already.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  tabs.postMessage(undefined);
  leave();
}
