import type { Response } from 'express';
import { z } from 'zod';
import { NO_ACCOUNT } from '../../../db/account/owner-queries.ts';
import {
  beginSession,
  endSession,
  endSessions,
  listSessions,
  ownSessionExists,
  type SignedInWith,
} from '../../../db/account/session-queries.ts';
import { hashOfKey, isApiKey, newToken, ownerWireId, SESSION_ID } from '../../../lib/ids.ts';
import { networkOf, numberOfClient } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest } from '../../operation/declaration.ts';
import { operation, publicOperation } from '../../operation/operation.ts';
import { keyRefused, tooManyUnknownKeys, unauthorized } from '../../request/auth.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, flagField, sessionId, textOrNull, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';

export const otherSite = errorKind(
  { id: 'OtherSite', description: 'The request comes from a page of another site.' },
  () => new HttpError(403, 'Another site may not sign in here: open the service itself.'),
);
const noSession = errorKind(
  { id: 'NoSession', description: 'The request has an API key, and no session.' },
  () => new HttpError(404, 'There is no session to end: this request has an API key.'),
);

const noSuchSession = errorKind(
  { id: 'NoSuchSession', description: 'The owner has no such session, or it has ended.' },
  () => new HttpError(404, 'No such session: choose one that {GET /sessions} lists.'),
);

const Session = answerObject('Session', {
  id: sessionId,
  created_at: time.meta({ description: 'When the browser signed in.' }),
  last_used_at: time.meta({ description: 'To the hour.' }),
  user_agent: textOrNull(
    `The browser, as it calls itself: the first ${SIZES.session.maxUserAgentChars} characters of its User-Agent; null where it is not known.`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ),
  current: flagField('Whether it is the session of this request.', true),
});
const Sessions = answerObject('Sessions', { sessions: z.array(Session), ...paged });
const Ended = answerObject('SessionEnded', { message: z.literal('Session ended'), id: sessionId });

const Key = z.object({ key: z.string('key is missing: send an API key as a string.') });
const SignedIn = answerObject('SignedIn', {
  email: z.string().meta({ example: 'you@example.com' }),
  plan: z.string().meta({ example: 'unlimited' }),
});

export const cookieHeader = {
  'Set-Cookie': { description: 'The cookie of the session.', schema: { type: 'string' } },
} as const;

function refuseOtherSites({ headers }: EndpointRequest): void {
  if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') throw otherSite();
}

/** Throws 403 for a form of another site, which can post to any address. Over plain http, only its Origin tells. */
export function refuseForeignForms({ requests: { sessionCookie } }: App, request: EndpointRequest): void {
  refuseOtherSites(request);
  if (request.headers.origin !== undefined && !sessionCookie.isSameOrigin(request)) throw otherSite();
}

/** The fields of a request to sign in, which has no key. Throws 403 for one that a page of another site sends. */
export async function readSignIn<S extends z.ZodObject>(
  { requests: { bodyReader, clientAddress } }: App,
  request: EndpointRequest,
  schema: S,
): Promise<z.infer<S>> {
  const network = networkOf(clientAddress(request));
  const fields = await bodyReader.fields(request, numberOfClient(network), { schema });
  refuseOtherSites(request);
  return fields;
}

/**
 * Begins a session, always with a token of its own: what the browser had before is not used. Throws `refusal` where the owner has been
 * suspended meanwhile. `via`: how the person has signed in.
 */
export async function signIn(
  { db, requests: { sessionCookie, clientAddress } }: App,
  response: Response,
  standsFor: SignedInWith,
  { refusal, via = 'session' }: { refusal: () => Error; via?: 'key' | 'session' },
): Promise<void> {
  const token = newToken();
  const userAgent = response.req.headers['user-agent']?.slice(0, SIZES.session.maxUserAgentChars) ?? null;
  const ipAddress = clientAddress(response.req);
  if (!(await beginSession(db, standsFor, { hash: hashOfKey(token), userAgent, ipAddress, via }))) throw refusal();
  response.append('Set-Cookie', sessionCookie.keep(token));
}

const beginOperation = publicOperation('POST', '/session', 'signIn', {
  audit: 'sign-in',
  summary: 'Sign a browser in with an API key',
  description:
    `Sets a cookie that stands for the key on every endpoint, for ${SIZES.session.lifetimeDays} days since its last use, and no longer than the key ` +
    'works. It is read only from requests of pages of the service itself (`Sec-Fetch-Site: same-origin`, or its `Origin`).',
  content: { 'application/json': { schema: Key, example: { key: 'fh_Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU' } } },
  answer: { description: 'The browser is signed in.', headers: cookieHeader, schema: SignedIn },
  errors: [otherSite, unauthorized, tooManyUnknownKeys],
  async handle(request, response, app) {
    const { key } = await readSignIn(app, request, Key);
    if (!isApiKey(key)) throw keyRefused();
    const { email, plan, credentialId } = await app.requests.authentication.ofKey(request, response, key);
    await signIn(app, response, { keyId: credentialId }, { refusal: keyRefused, via: 'key' });
    return { email, plan };
  },
});

const endOperation = operation('DELETE', '/session', 'signOut', {
  audit: 'session.end',
  noCommand: 'Only a browser has a session to end; `formhost logout` removes a stored key.',
  summary: 'Sign this browser out',
  scope: 'any',
  description: 'Ends the session of the cookie.',
  answer: {
    description: 'The session has ended.',
    headers: cookieHeader,
    schema: z.strictObject({ message: z.literal('Signed out') }),
  },
  errors: [noSession],
  async handle({ owner, setHeaders }, app) {
    if (!SESSION_ID.test(owner.credentialId)) throw noSession();
    await endSession(app.db, owner, owner.credentialId);
    setHeaders({ 'Set-Cookie': app.requests.sessionCookie.remove });
    return { message: 'Signed out' as const };
  },
});

const endAllOperation = operation('DELETE', '/sessions', 'signOutEverywhere', {
  isOfAccount: true,
  audit: 'session.end',
  isForOwnerAlone: true,
  command: {
    usage: 'sessions end-all',
    text: 'Sign all browsers out',
    prints: ({ message }) => message,
  },
  summary: 'Sign all browsers out',
  description: 'Ends all sessions of the owner. Keys stay as they are.',
  answer: {
    description: 'No browser is signed in.',
    headers: cookieHeader,
    schema: z.strictObject({ message: z.literal('Signed out everywhere') }),
  },
  async handle({ owner, setHeaders }, app) {
    await endSessions(app.db, owner, owner.id === NO_ACCOUNT ? owner.credentialId : ownerWireId(owner.id));
    setHeaders({ 'Set-Cookie': app.requests.sessionCookie.remove });
    return { message: 'Signed out everywhere' as const };
  },
});

const listOperation = operation('GET', '/sessions', 'listSessions', {
  isOfAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'sessions list',
    text: 'List the browsers that are signed in',
    table: {
      columns: ['ID', 'CREATED', 'LAST USED', 'BROWSER'],
      rows: ({ sessions }) => sessions.map((one) => [one.id, one.created_at, one.last_used_at, one.user_agent]),
    },
  },
  summary: 'List the browsers that are signed in',
  description: 'All sessions of the owner, newest first.',
  query: Paging,
  answer: { description: 'A page of sessions.', schema: Sessions },
  async handle({ owner, query: paging }, { db }) {
    const { rows, total } = await listSessions(db, owner, paging);
    const sessions = rows.map((one) => toWire(Session, { ...one, current: one.id === owner.credentialId }));
    return { sessions, total, ...paging };
  },
});

const endOneOperation = operation('DELETE', '/sessions/:sessionId', 'endSession', {
  isOfAccount: true,
  audit: 'session.end',
  isForOwnerAlone: true,
  command: {
    usage: 'sessions end <session>',
    text: 'Sign one browser out',
    prints: ({ id }) => id,
    says: () => 'ended: the browser is signed out',
  },
  summary: 'Sign one browser out',
  async find(owner, { sessionId: id }, { db }) {
    if (!(await ownSessionExists(db, owner, id))) throw noSuchSession();
  },
  answer: { description: 'The session has ended.', schema: Ended },
  errors: [noSuchSession],
  async handle({ owner, params: { sessionId: id } }, { db }) {
    if (!(await endSession(db, owner, id))) throw noSuchSession();
    return { message: 'Session ended' as const, id };
  },
});

/** Browsers that are signed in: a cookie stands for an API key or an address, for pages of the service itself. */
export const sessionOperations = [
  ...[beginOperation, endOperation],
  ...[listOperation, endAllOperation, endOneOperation],
];
