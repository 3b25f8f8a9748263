import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { z } from 'zod';
import { SCOPES } from '../../../db/account/api-key-queries.ts';
import { endAccessToken, endGrantOfFamily, redeemCode, renewTokens } from '../../../db/account/grant-queries.ts';
import { familyOf, hashOfKey, isAccessToken, newAccessToken, newRefreshToken } from '../../../lib/ids.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { ANY_ORIGIN_HEADER, publicOperation } from '../../operation/operation.ts';
import { mediaType } from '../../request/json-body.ts';
import { isOwnResource } from '../../request/oauth-resource.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { answerObject } from '../../request/shared-fields.ts';
import { oauthCors, oauthPreflight } from './oauth-cors.ts';
import {
  declaredInOAuth,
  invalidGrant,
  invalidGrantScope,
  invalidTarget,
  invalidTokenRequest,
  tooManyWrongTokens,
  unsupportedGrantType,
  withOAuthErrors,
} from './oauth-errors.ts';

const TOKEN_PATH = '/oauth/token';
const REVOKE_PATH = '/oauth/revoke';
const FORM = 'application/x-www-form-urlencoded';

/** A verifier of PKCE (RFC 7636, 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/;

const parameter = (description: string, example: string) => z.string().optional().meta({ description, example });

const TokenRequest = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token']).meta({ example: 'authorization_code' }),
  client_id: z.string().meta({ description: 'The id of the program.', example: 'client_0VbbZBZKKTcBD17YQfyDgVGm' }),
  code: parameter('With `authorization_code`: the code.', 'Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG'),
  code_verifier: parameter('With `authorization_code`: of PKCE.', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
  redirect_uri: parameter('With `authorization_code`: that of the request.', 'http://127.0.0.1/callback'),
  refresh_token: parameter('With `refresh_token`: the last one.', `fhr_${'0'.repeat(86)}`),
  scope: parameter('With `refresh_token`: a smaller scope.', 'read'),
  resource: parameter('The address of this service (RFC 8707).', 'https://forms.example.org/mcp'),
});
const RevokeRequest = z.object({
  token: z.string().meta({ description: 'An access token or a refresh token.', example: `fhr_${'0'.repeat(86)}` }),
  client_id: z.string().meta({ description: 'The id of the program.', example: 'client_0VbbZBZKKTcBD17YQfyDgVGm' }),
});

const Tokens = answerObject('Tokens', {
  access_token: z.string().meta({ example: `fho_${'0'.repeat(43)}` }),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'In seconds.', example: SIZES.grant.accessTokenSeconds }),
  refresh_token: z.string().meta({ description: 'For the next tokens, once.', example: `fhr_${'0'.repeat(86)}` }),
  scope: z.enum(SCOPES).meta({ example: 'read' }),
});

const limitOf = perService(
  () => new RateLimit({ name: 'wrong-tokens', ...SIZES.unknownKeys, refusal: tooManyWrongTokens }),
);

/** The parameters of a form, each of which is given once. An empty one counts as left out (RFC 6749, 3.2). */
async function readForm(
  { requests: { bodyReader } }: App,
  request: EndpointRequest,
  network: string,
): Promise<ReadonlyMap<string, string>> {
  if (mediaType(request)?.type !== FORM) throw invalidTokenRequest(`Send a form with Content-Type: ${FORM}.`);
  using reservation = bodyReader.reserve(network);
  const body = await bodyReader.bytes(request, SIZES.oauthClient.maxRequestBytes, reservation);
  const form = [...new URLSearchParams(body.toString())].filter(([, value]) => value !== '');
  const values = new Map(form);
  const repeated = form.find(([name, value]) => name !== 'resource' && values.get(name) !== value);
  if (repeated || form.some(([name], at) => name !== 'resource' && form.findIndex(([other]) => other === name) < at)) {
    throw invalidTokenRequest('A parameter is given twice: send each once.');
  }
  // Postgres stores no NUL.
  if (form.some(([, value]) => !/^[\x20-\x7e]*$/.test(value))) throw invalidTokenRequest('Send printable ASCII alone.');
  return values;
}

/** Returns new tokens, and what is stored of them. */
function newTokens(family?: string) {
  const access = newAccessToken();
  const refresh = newRefreshToken(family);
  return {
    sent: { access_token: access, refresh_token: refresh.token },
    hashes: { access: hashOfKey(access), family: hashOfKey(refresh.family), refresh: hashOfKey(refresh.token) },
  };
}

type Exchanged = { sent: ReturnType<typeof newTokens>['sent']; scope: z.infer<typeof Tokens>['scope'] };

async function exchangeCode({ db }: App, form: ReadonlyMap<string, string>, ipAddress: string): Promise<Exchanged> {
  const [code, verifier, clientId] = ['code', 'code_verifier', 'client_id'].map((name) => form.get(name));
  if (code === undefined || verifier === undefined || clientId === undefined) throw invalidTokenRequest();
  const { sent, hashes } = newTokens();
  // One that is no verifier matches no challenge, and the code ends as with any wrong one.
  const challenge = VERIFIER.test(verifier) ? createHash('sha256').update(verifier).digest('base64url') : '';
  const redirectUri = form.get('redirect_uri');
  const scope = await redeemCode(
    db,
    { codeHash: hashOfKey(code), clientId, redirectUri, challenge },
    hashes,
    ipAddress,
  );
  if (!scope) throw invalidGrant();
  return { sent, scope };
}

async function exchangeRefreshToken(
  { db }: App,
  form: ReadonlyMap<string, string>,
  ipAddress: string,
): Promise<Exchanged> {
  const [token, clientId, asked] = ['refresh_token', 'client_id', 'scope'].map((name) => form.get(name));
  if (token === undefined || clientId === undefined) throw invalidTokenRequest();
  const scope = SCOPES.find((each) => each === asked);
  if (asked !== undefined && !scope) throw invalidGrantScope();
  const family = familyOf(token);
  if (family === undefined) throw invalidGrant();
  const { sent, hashes } = newTokens(family);
  const given = await renewTokens(
    db,
    { family: hashes.family, refresh: hashOfKey(token), clientId, scope },
    { access: hashes.access, refresh: hashes.refresh },
    ipAddress,
  );
  if (given === 'refused') throw invalidGrant();
  if (given === 'wider') throw invalidGrantScope();
  return { sent, scope: given };
}

/** Exchanges what a form has. */
async function exchange(app: App, form: ReadonlyMap<string, string>, ipAddress: string): Promise<Exchanged> {
  const resource = form.get('resource');
  if (resource !== undefined && !isOwnResource(resource, app.config.baseUrl)) throw invalidTarget();
  const grantType = form.get('grant_type');
  if (grantType === 'authorization_code') return exchangeCode(app, form, ipAddress);
  if (grantType === 'refresh_token') return exchangeRefreshToken(app, form, ipAddress);
  throw grantType === undefined ? invalidTokenRequest() : unsupportedGrantType();
}

const tokenOperation = publicOperation('POST', TOKEN_PATH, 'exchangeForTokens', {
  summary: 'Exchange a code, or a refresh token, for tokens (OAuth 2.1)',
  description:
    `An access token works for an hour in place of a key. Each refresh token works once: used again, it ends the grant. So does a code that is used again. ` +
    `A grant ends ${SIZES.grant.lifetimeDays} days after its last use, and with the key that was signed in.`,
  before: oauthCors('POST'),
  content: {
    [FORM]: {
      schema: TokenRequest,
      example: {
        grant_type: 'authorization_code',
        client_id: 'client_0VbbZBZKKTcBD17YQfyDgVGm',
        code: 'Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
        redirect_uri: 'http://127.0.0.1/callback',
      },
    },
  },
  answer: { description: 'The tokens.', headers: ANY_ORIGIN_HEADER, schema: Tokens },
  errors: [
    unsupportedGrantType,
    invalidTarget,
    invalidGrantScope,
    invalidTokenRequest,
    invalidGrant,
    tooManyWrongTokens,
  ],
  errorAs: declaredInOAuth,
  async handle(request, response, app) {
    // Before the first await: a socket that has closed has no address.
    const ipAddress = app.requests.clientAddress(request);
    const network = networkOf(ipAddress);
    const form = await readForm(app, request, network);
    const { sent, scope } = await exchange(app, form, ipAddress).catch(async (error: unknown) => {
      await limitOf(app).count(network, { request, response });
      throw error;
    });
    response.set('Cache-Control', 'no-store');
    return { ...sent, token_type: 'Bearer' as const, expires_in: SIZES.grant.accessTokenSeconds, scope };
  },
});

/** Ends a token, or the grant of a refresh token; whether there was one. */
async function revoke({ db }: App, token: string, clientId: string, ipAddress: string): Promise<boolean> {
  const family = familyOf(token);
  if (family !== undefined) return (await endGrantOfFamily(db, hashOfKey(family), clientId, ipAddress)) > 0;
  return isAccessToken(token) && (await endAccessToken(db, hashOfKey(token), clientId)) > 0;
}

const revokeOperation = publicOperation('POST', REVOKE_PATH, 'revokeToken', {
  summary: 'End a token (RFC 7009)',
  description:
    'With a refresh token, the grant ends with all its tokens. The answer is the same for a token that does not work, or that another program has.',
  before: oauthCors('POST'),
  content: {
    [FORM]: {
      schema: RevokeRequest,
      example: { token: `fhr_${'0'.repeat(86)}`, client_id: 'client_0VbbZBZKKTcBD17YQfyDgVGm' },
    },
  },
  answer: {
    description: 'The token does not work.',
    headers: { ...ANY_ORIGIN_HEADER, ...OPTIONAL_RATE_LIMIT_HEADERS },
    schema: z.strictObject({}),
    example: {},
  },
  errors: [invalidTokenRequest, tooManyWrongTokens],
  errorAs: declaredInOAuth,
  async handle(request: EndpointRequest, response: Response, app: App) {
    const ipAddress = app.requests.clientAddress(request);
    const network = networkOf(ipAddress);
    const form = await readForm(app, request, network);
    const [token, clientId] = [form.get('token'), form.get('client_id')];
    if (token === undefined || clientId === undefined) {
      throw invalidTokenRequest('A parameter is missing: send token and client_id.');
    }
    if (!(await revoke(app, token, clientId, ipAddress))) await limitOf(app).count(network, { request, response });
    response.set('Cache-Control', 'no-store');
    return {};
  },
});

/** Tokens of programs that owners have allowed. */
export const tokenOperations = [
  ...[withOAuthErrors(tokenOperation, 'invalid_request'), oauthPreflight(TOKEN_PATH, 'oauthTokenPreflight')],
  ...[withOAuthErrors(revokeOperation, 'invalid_request'), oauthPreflight(REVOKE_PATH, 'oauthRevokePreflight')],
];
