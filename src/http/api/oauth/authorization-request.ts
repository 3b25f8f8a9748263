import type { Response } from 'express';
import { SCOPES, type Scope } from '../../../db/account/api-key-queries.ts';
import { literal } from '../../../problems/sentence.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { isOwnResource } from '../../request/oauth-resource.ts';
import type { HttpError } from '../../response/errors.ts';
import { findOAuthClient, unknownProgram } from './oauth-clients.ts';
import { isLoopback, matchesRedirectUri } from './redirect-uris.ts';

/*
 * The request of a program to be allowed (RFC 6749, 4.1.1; PKCE, RFC 7636; RFC 8707; RFC 9207).
 */

/** A request that can be allowed. `host`: the one that an owner may recognize the program by. */
export type AuthorizationRequest = {
  client: { id: string; name: string; host: string };
  redirectUri: string;
  state: string | undefined;
  scope: Scope;
  challenge: string;
};

/** A request that was read; or the address of the program, on the person's own machine, to which an error is sent. */
type ReadRequest = { request: AuthorizationRequest } | { refusedAt: string };

/** The parameters that are read. All others are ignored. */
export const AUTHORIZATION_PARAMETERS = [
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'state', 'scope'],
  ...['code_challenge', 'code_challenge_method', 'resource'],
] as const;

/** A challenge of S256 (RFC 7636, 4.2). */
const CHALLENGE = /^[\w-]{43}$/;

/** From the broadest on. */
const BY_BREADTH = ['full', 'publish', 'read'];

/** The scope that a list names: the broadest of those that there are. Undefined when it names others alone. */
function scopeOf(list: string | undefined): Scope | undefined {
  const names = (list ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0) return 'read';
  const known = BY_BREADTH.find((scope) => names.includes(scope));
  return SCOPES.find((scope) => scope === known);
}

/** Returns the address of a program with an answer in its query (RFC 9207: with who answers). */
export function answerTo(
  { redirectUri, state, baseUrl }: { redirectUri: string; state: string | undefined; baseUrl: string },
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  const values = { ...answer, ...(state !== undefined && { state }), iss: baseUrl };
  for (const [name, value] of Object.entries(values)) url.searchParams.append(name, value);
  return url.href;
}

type Fault = { error: string; error_description: string };

const fault = (error: string, description: string): Fault => ({ error, error_description: description });

/** The fault of the parameters that are about the answer; undefined when there is none. */
function faultOf(query: URLSearchParams, baseUrl: string): Fault | undefined {
  const twice = AUTHORIZATION_PARAMETERS.find((name) => name !== 'resource' && query.getAll(name).length > 1);
  if (twice !== undefined) return fault('invalid_request', `${twice} is given twice`);
  if ((query.get('state') ?? '').length > SIZES.oauthClient.maxStateChars) {
    return fault('invalid_request', `state is too long: send at most ${SIZES.oauthClient.maxStateChars} characters`);
  }
  if (query.get('response_type') !== 'code') return fault('unsupported_response_type', 'send response_type=code');
  if ((query.get('response_mode') ?? 'query') !== 'query') return fault('invalid_request', 'send no response_mode');
  if (!CHALLENGE.test(query.get('code_challenge') ?? '')) {
    return fault('invalid_request', 'send code_challenge: PKCE is needed');
  }
  if (query.get('code_challenge_method') !== 'S256') return fault('invalid_request', 'send code_challenge_method=S256');
  if (!query.getAll('resource').every((resource) => isOwnResource(resource, baseUrl))) {
    return fault('invalid_target', 'resource is not this service');
  }
  return scopeOf(query.get('scope') ?? undefined) ? undefined : fault('invalid_scope', `send ${SCOPES.join(' or ')}`);
}

/** Anybody can register a program: nobody is led to another site before a person has agreed (RFC 9700, 4.11.2). */
const wrongProgram = (redirectUri: string, { error_description: description }: Fault): HttpError =>
  unknownProgram(
    `${literal(new URL(redirectUri).host)} asks in a way that is not understood: ${literal(description)}.`,
  );

/** Reads a request. Throws 400 where an error is sent to no address of the program. */
export async function readAuthorization(app: App, text: string, response: Response): Promise<ReadRequest> {
  const { baseUrl } = app.config;
  const query = new URLSearchParams(text);
  const [id = '', ...otherIds] = query.getAll('client_id');
  const [redirectUri = '', ...otherUris] = query.getAll('redirect_uri');
  if (otherIds.length > 0 || otherUris.length > 0) throw unknownProgram('The request names two programs or addresses.');
  const client = id.length <= SIZES.oauthClient.maxUriChars ? await findOAuthClient(app, id, response) : undefined;
  if (!client) {
    throw unknownProgram('This service does not know the program: remove the connection there, and make it again.');
  }
  if (!client.redirectUris.some((uri) => matchesRedirectUri(uri, redirectUri)))
    throw unknownProgram('The address to which the program wants to be sent is not one that it has named.');
  const state = query.get('state') ?? undefined;
  const wrong = faultOf(query, baseUrl);
  if (wrong && !isLoopback(new URL(redirectUri))) throw wrongProgram(redirectUri, wrong);
  if (wrong) {
    const known = (state ?? '').length <= SIZES.oauthClient.maxStateChars ? state : undefined;
    return { refusedAt: answerTo({ redirectUri, state: known, baseUrl }, wrong) };
  }
  return {
    request: {
      client: { id, name: client.name, host: client.host ?? new URL(redirectUri).host },
      redirectUri,
      state,
      scope: scopeOf(query.get('scope') ?? undefined) ?? 'read',
      challenge: query.get('code_challenge') ?? '',
    },
  };
}
