import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { registerClient } from '../../src/db/account/oauth-client-queries.ts';
import { asOwner, BASE_URL, type Owner, type TestService } from './test-service.ts';

/* A program that owners allow by OAuth, and the browser of the owner. */

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** A verifier of PKCE, and its challenge. */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Signs an owner in. Returns the headers of requests that pages of the service send. */
export async function signedIn(owner: Owner): Promise<Record<string, string>> {
  const { headers } = await owner.post('/session').send({ key: owner.key }).expect(200);
  return { Cookie: String(headers['set-cookie']).replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
}

/** Registers a program. In the database: the service counts registrations. */
export async function registerProgram(
  { db }: Pick<TestService, 'db'>,
  { redirectUris = [REDIRECT_URI] }: { redirectUris?: readonly string[] } = {},
): Promise<string> {
  return (await registerClient(db, { name: 'Agent', redirectUris })).id;
}

/** The query of a request to be allowed. */
export const askedQuery = (clientId: string, challenge: string, more: Record<string, string> = {}): string =>
  String(
    new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: REDIRECT_URI, response_type: 'code', state: 'a state' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${BASE_URL}/mcp` },
      ...more,
    }),
  );

/** Has an owner allow what a query asks for. Returns the answer that the program gets. */
export async function allowAsked(
  service: TestService,
  owner: Owner,
  request: string,
  more: object = {},
): Promise<URLSearchParams> {
  const { body } = await service.anonymous
    .post('/oauth/consent')
    .set(await signedIn(owner))
    .send({ request, allow: true, ...more })
    .expect(200);
  return new URL(body.redirect_to).searchParams;
}

export const sendForm = (service: TestService, path: string, form: Record<string, string>) =>
  service.anonymous.post(path).type('form').send(form);

type AllowedProgram = {
  clientId: string;
  verifier: string;
  code: string;
  tokens: { access_token: string; refresh_token: string; scope: string };
  /** Requests with the access token. */
  api: Owner;
};

/** A program that an owner has allowed. */
export async function allowProgram(
  service: TestService,
  owner: Owner,
  more: Record<string, string> = { scope: 'full' },
  consent: object = {},
): Promise<AllowedProgram> {
  const clientId = await registerProgram(service);
  const { verifier, challenge } = newPkce();
  const answer = await allowAsked(service, owner, askedQuery(clientId, challenge, more), consent);
  const code = answer.get('code') ?? '';
  const response = await sendForm(service, '/oauth/token', {
    ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
    redirect_uri: REDIRECT_URI,
  });
  expect([response.status, response.headers['cache-control']]).toEqual([200, 'no-store']);
  const tokens = response.body;
  return { clientId, verifier, code, tokens, api: asOwner(service.url, tokens.access_token) };
}
