import { z } from 'zod';
import { SCOPES, type Scope } from '../../../db/account/api-key-queries.ts';
import { makeGrant } from '../../../db/account/grant-queries.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { hashOfKey, newToken } from '../../../lib/ids.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService, type ToolCall } from '../../operation/declaration.ts';
import { operation, publicOperation } from '../../operation/operation.ts';
import { queryOf } from '../../request/query-values.ts';
import { OPTIONAL_RATE_LIMIT_HEADERS, RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { answerObject, textField } from '../../request/shared-fields.ts';
import { errorKind, HttpError, retryAfter } from '../../response/errors.ts';
import { noSuchPage, pageIds, pages } from '../account/key-endpoints.ts';
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationRequest,
  answerTo,
  readAuthorization,
} from './authorization-request.ts';
import { isDocumentUrl, unknownProgram } from './oauth-clients.ts';

/** The view that asks the owner. */
const VIEW = '/dashboard/allow';
const { requests } = SIZES.oauthClient;

const tooManyRequests = errorKind(
  {
    id: 'TooManyAuthorizations',
    description: `More than ${requests.max} programs asked to be allowed in ${requests.seconds} seconds from one address, or of one owner.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many programs ask to be allowed: try again in a minute.', retryAfter(leftMs)),
  requests.seconds * 1_000,
);
const needsSession = errorKind(
  { id: 'NeedsSession', description: 'The request has a key or a token, and no session.' },
  () => new HttpError(403, 'A person allows programs: sign in to the dashboard.'),
);
const notAllowable = errorKind(
  { id: 'NotAllowable', description: 'The session itself may not do what the program asks for.' },
  () => new HttpError(403, 'Your key may not do what the program asks for: sign in with another key.'),
);
const invalidAuthorization = errorKind(
  { id: 'InvalidAuthorization', description: 'A parameter of the program is wrong.' },
  () => new HttpError(400, 'The program asks in a way that is not understood: begin again there.'),
);
const tooManyGrants = errorKind(
  { id: 'TooManyGrants', description: `The owner has allowed ${SIZES.grant.maxOfOwner} programs.` },
  () => new HttpError(409, `${SIZES.grant.maxOfOwner} programs are allowed already: end one first, in Account.`),
);

const limitOf = perService(() => new RateLimit({ name: 'authorizations', ...requests, refusal: tooManyRequests }));
const documentsOf = perService(() => new RateLimit({ name: 'documents', ...requests, refusal: tooManyRequests }));

const authorizeOperation = publicOperation('GET', '/oauth/authorize', 'authorizeProgram', {
  summary: 'Ask a person to allow a program (OAuth 2.1)',
  description:
    'A program opens it in a browser, with PKCE (S256). The dashboard asks the owner, who may sign in first. The answer comes to `redirect_uri`: ' +
    '`code`, or `error`, with `state` and `iss` (RFC 9207). `scope` is `full`, `read` or `publish`; of several the broadest, left out `read`. ' +
    '`resource` is the address of this service, with or without `/mcp` (RFC 8707). A request that is not understood is told to a program on the ' +
    'own machine; for any other, the person sees why.',
  query: z.object(
    Object.fromEntries(
      AUTHORIZATION_PARAMETERS.map((name) => [
        name,
        z.string().optional().meta({ description: 'As in RFC 6749, RFC 7636 and RFC 8707.' }),
      ]),
    ),
  ),
  errorPageTitle: 'This program cannot be allowed',
  answer: {
    status: 303,
    description: 'To the view that asks, or to the program with an error.',
    headers: { Location: { schema: { type: 'string' } }, ...RATE_LIMIT_HEADERS },
  },
  errors: [unknownProgram, tooManyRequests],
  async handle(request, response, app) {
    const network = networkOf(app.requests.clientAddress(request));
    await limitOf(app).count(network, { request, response });
    const query = queryOf(request.url);
    const read = await readAuthorization(app, query, response);
    const given = new URLSearchParams(query);
    const kept = AUTHORIZATION_PARAMETERS.flatMap((name) =>
      given.getAll(name).map((value): [string, string] => [name, value]),
    );
    const to = 'refusedAt' in read ? read.refusedAt : `${VIEW}?${new URLSearchParams(kept)}`;
    response.set({ Location: to, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).end();
  },
});

/** The scopes that an owner may allow: no broader than the program asks for, or than the session itself. */
function allowableScopes(asked: Scope, own: Scope): Scope[] {
  const covers = (broad: Scope, scope: Scope): boolean => broad === 'full' || broad === scope;
  return SCOPES.filter((scope) => covers(asked, scope) && covers(own, scope));
}

/** Reads what a program asks for, and which scopes the owner may allow. Counts requests for which a document may be read. */
async function readAsked(app: App, call: Pick<ToolCall, 'owner' | 'request' | 'response'>, text: string) {
  const { owner, response } = call;
  if (owner.via !== 'session') throw needsSession();
  if (isDocumentUrl(new URLSearchParams(text).get('client_id') ?? '')) await documentsOf(app).countOwner(call);
  const read = await readAuthorization(app, text, response);
  if ('refusedAt' in read) throw invalidAuthorization();
  const scopes = allowableScopes(read.request.scope, owner.scope);
  return { ...read, scopes };
}

/** The query of a request is no longer: the headers of a request are not. */
const MAX_QUERY_CHARS = SIZES.internalHeaders.maxBytes;
const asked = z
  .string('request is missing: send the query of /oauth/authorize as a text.')
  .max(MAX_QUERY_CHARS, `request is too long: send at most ${MAX_QUERY_CHARS} characters.`)
  .meta({
    description: 'The query with which the program has asked.',
    example: 'client_id=client_0VbbZBZKKTcBD17YQfyDgVGm&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback',
  });

const Asked = answerObject('AskedGrant', {
  client: textField('The name of the program, which it has given itself.', 'Example agent'),
  host: textField('The host of its metadata document, or of the address to which the owner is sent.', '127.0.0.1'),
  redirect_host: textField('The host to which the owner is sent.', '127.0.0.1'),
  scope: z.enum(SCOPES).meta({ description: 'The scope that it asks for.', example: 'full' }),
  scopes: z
    .array(z.enum(SCOPES))
    .meta({ description: 'The scopes that may be allowed; none where this session may not.' }),
});
const Sent = answerObject('GrantAnswer', {
  redirect_to: z
    .string()
    .meta({ description: 'The address of the program, with the answer.', example: 'http://127.0.0.1/callback?code=0' }),
});

const ONLY_DASHBOARD = 'A person allows programs in the dashboard.';

const readOperation = operation('GET', '/oauth/consent', 'readAskedGrant', {
  needsAccount: true,
  noCommand: ONLY_DASHBOARD,
  scope: 'any',
  summary: 'Read what a program asks for',
  description: 'For the dashboard. Needs a session.',
  query: z.object({ request: asked }),
  takesLong: true,
  answer: { description: 'The program, and what it asks for.', headers: OPTIONAL_RATE_LIMIT_HEADERS, schema: Asked },
  errors: [unknownProgram, invalidAuthorization, needsSession, tooManyRequests],
  async handle({ query, ...call }, app) {
    const { request, scopes } = await readAsked(app, call, query.request);
    const { client, redirectUri, scope } = request;
    return { client: client.name, host: client.host, redirect_host: new URL(redirectUri).host, scope, scopes };
  },
});

/** Allows a program. Returns the code. */
async function allow(
  { db }: App,
  owner: Owner,
  { client, redirectUri, challenge }: AuthorizationRequest,
  { scope, pages }: { scope: Scope; pages: readonly string[] | null },
): Promise<string> {
  const code = newToken();
  const made = await makeGrant(
    db,
    { ownerId: owner.id, sessionId: owner.credentialId },
    {
      ...{ clientId: client.id, clientName: client.name, host: client.host, scope, pages },
      ...{ codeHash: hashOfKey(code), redirectUri, challenge },
    },
  );
  if (made === 'too-many') throw tooManyGrants();
  if (made === 'signed-out') throw needsSession();
  return code;
}

const answerOperation = operation('POST', '/oauth/consent', 'answerAskedGrant', {
  audit: 'grant.create',
  needsAccount: true,
  noCommand: ONLY_DASHBOARD,
  summary: 'Allow a program, or deny it',
  description: 'For the dashboard. Needs a session, and comes from a page of the service itself.',
  // A session that may only read allows a program to read.
  scope: 'any',
  body: {
    schema: z.object({
      request: asked,
      allow: z
        .boolean('allow is missing: send true or false.')
        .meta({ description: 'Whether the program is allowed.', example: true }),
      pages: pages.optional(),
      scope: z.enum(SCOPES, 'scope is invalid: send full, read or publish.').optional().meta({
        description: 'The scope that is allowed. Left out: the broadest of those that may be.',
        example: 'read',
      }),
    }),
    example: { request: 'client_id=client_0VbbZBZKKTcBD17YQfyDgVGm', allow: false },
  },
  takesLong: true,
  answer: { description: 'Where the browser goes next.', headers: OPTIONAL_RATE_LIMIT_HEADERS, schema: Sent },
  errors: [
    ...[unknownProgram, invalidAuthorization, needsSession, notAllowable],
    ...[noSuchPage, tooManyGrants, tooManyRequests],
  ],
  async handle({ body, queue, ...call }, app) {
    const { owner } = call;
    const { request, scopes } = await readAsked(app, call, body.request);
    const scope = body.scope ?? scopes.find((each) => each === request.scope) ?? scopes[0];
    if (body.allow && (!scope || !scopes.includes(scope))) throw notAllowable();
    const answer = await queue(async () => {
      const ids = body.pages ? await pageIds(app.db, owner, body.pages) : owner.pages;
      return body.allow && scope
        ? { code: await allow(app, owner, request, { scope, pages: ids }) }
        : { error: 'access_denied' };
    });
    return { redirect_to: answerTo({ ...request, baseUrl: app.config.baseUrl }, answer) };
  },
});

/** The way by which a person allows a program. */
export const authorizeOperations = [authorizeOperation, readOperation, answerOperation];
