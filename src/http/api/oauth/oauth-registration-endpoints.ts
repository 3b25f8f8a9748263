import { z } from 'zod';
import { registerClient } from '../../../db/account/oauth-client-queries.ts';
import { OAUTH_CLIENT_ID } from '../../../lib/ids.ts';
import { networkOf, numberOfClient } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import { perService } from '../../operation/declaration.ts';
import { ANY_ORIGIN_HEADER, publicOperation } from '../../operation/operation.ts';
import { RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { ClientName, RedirectUris, shownName } from './client-metadata.ts';
import { oauthCors, oauthPreflight } from './oauth-cors.ts';
import { declaredInOAuth, invalidClientMetadata, tooManyRegistrations, withOAuthErrors } from './oauth-errors.ts';

const PATH = '/oauth/register';
const { maxBytes, registrations } = SIZES.oauthClient;
/** Those that POST /oauth/token takes. */
const GRANT_TYPES = ['authorization_code', 'refresh_token'];

const Registration = z.object({ redirect_uris: RedirectUris, client_name: ClientName.optional() });

const Registered = z.strictObject({
  client_id: z.string().regex(OAUTH_CLIENT_ID).meta({ example: 'client_0VbbZBZKKTcBD17YQfyDgVGm' }),
  client_id_issued_at: z.int().meta({ description: 'In seconds since 1970.', example: 1_795_968_000 }),
  client_name: ClientName,
  redirect_uris: z.array(z.string()).meta({ example: ['http://127.0.0.1/callback'] }),
  token_endpoint_auth_method: z.literal('none'),
  grant_types: z.array(z.string()).meta({ example: GRANT_TYPES }),
  response_types: z.array(z.string()).meta({ example: ['code'] }),
});

const limitsOf = perService(({ db }) => {
  const shared = { seconds: registrations.seconds, refusal: tooManyRegistrations, sharedIn: db };
  return {
    ofNetwork: new RateLimit({ name: 'registrations', max: registrations.max, ...shared }),
    ofAll: new RateLimit({ name: 'all-registrations', max: registrations.maxOfAll, ...shared, isDiscreet: true }),
  };
});

const registerOperation = publicOperation('POST', PATH, 'registerOAuthClient', {
  summary: 'Register a program that owners can allow (RFC 7591)',
  description:
    'Programs are public clients: they have no secret. Other fields of RFC 7591 are ignored. A program that nobody allows within ' +
    `${SIZES.oauthClient.unusedDays} days is forgotten.`,
  before: oauthCors('POST'),
  content: {
    'application/json': {
      schema: Registration,
      example: { client_name: 'Example agent', redirect_uris: ['http://127.0.0.1/callback'] },
    },
  },
  answer: {
    status: 201,
    description: 'The program is registered.',
    headers: { ...ANY_ORIGIN_HEADER, ...RATE_LIMIT_HEADERS },
    schema: Registered,
  },
  errors: [invalidClientMetadata, tooManyRegistrations],
  errorAs: declaredInOAuth,
  async handle(request, response, app) {
    const { bodyReader, clientAddress } = app.requests;
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const { redirect_uris: redirectUris, client_name: given } = await bodyReader.fields(
      request,
      numberOfClient(network),
      {
        schema: Registration,
        maxBytes,
      },
    );
    const { ofNetwork, ofAll } = limitsOf(app);
    await ofNetwork.count(network, { request, response });
    await ofAll.count('all', { request, response });
    const name = shownName(given, redirectUris[0] ?? '');
    const { id, createdAt } = await registerClient(app.db, { name, redirectUris });
    response.set('Cache-Control', 'no-store');
    return {
      client_id: id,
      client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: 'none' as const,
      grant_types: GRANT_TYPES,
      response_types: ['code'],
    };
  },
});

/** Programs that introduce themselves. */
export const oauthRegistrationOperations = [
  withOAuthErrors(registerOperation, 'invalid_client_metadata'),
  oauthPreflight(PATH, 'oauthRegisterPreflight'),
];
