import { createHash } from 'node:crypto';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  ResponseBodyError,
  type ServerMetadata,
} from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';

/** The provider of OIDC_ISSUER. Without a secret, PKCE alone proves who redeems a code. */
export type OpenidSettings = { issuer: URL; clientId: string; clientSecret: string | undefined };

/** How long the provider's addresses are known; its keys are read for each person. */
const DISCOVERY_MS = 60 * 60_000;
/** How far the clocks of the provider and of this machine may be apart. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** `provider`: it can't be reached, or refuses this service. `canceled`: it says so, or the person. `refused`: its answer proves nothing. */
export class OpenidError extends Error {
  readonly kind: 'provider' | 'canceled' | 'refused';
  /** The short name of the error, from the provider or the client. */
  readonly code: string;

  constructor(kind: OpenidError['kind'], code: string, message: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** The text of an error, and of its cause, which says why nothing was reached; never a body, which could have a token. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

const unreachable = (error: unknown): OpenidError => new OpenidError('provider', codeOf(error), reasonOf(error));

/** Codes of the client about an answer that came, and is wrong. */
const WRONG_ANSWER = /INVALID|COMPARISON|TIMESTAMP|CLAIM|PARSE|UNEXPECTED|KEY|DECRYPT/;

/** Returns why nobody is signed in. */
function problemOf(error: unknown): OpenidError {
  if (error instanceof AuthorizationResponseError) return new OpenidError('canceled', error.error, error.message);
  if (error instanceof ResponseBodyError) {
    // A code that was used, has expired, or was not given to this browser.
    const kind = error.error === 'invalid_grant' ? 'refused' : 'provider';
    return new OpenidError(kind, error.error, error.message);
  }
  const kind = WRONG_ANSWER.test(codeOf(error)) ? 'refused' : 'provider';
  return new OpenidError(kind, codeOf(error), reasonOf(error));
}

/**
 * The secrets of one sign-in, all made of the token in its browser's cookie: nothing is stored, and an answer of the provider proves
 * something to that browser alone.
 */
function secretsOf(token: string) {
  const derive = (use: string): string => createHash('sha256').update(`${use} ${token}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('code verifier') };
}

/** The claims about a person that count here. */
type Claims = { email: string | undefined; isVerified: boolean };

const isTrue = (claim: unknown): boolean => claim === true || claim === 'true';

/** Entra has no `email_verified`. Its `xms_edov` says that the domain of the address is one of the person's organization. */
const isVerifiedByEntra = ({ iss, xms_edov: edov }: Record<string, unknown>): boolean =>
  typeof iss === 'string' &&
  URL.parse(iss)?.hostname === 'login.microsoftonline.com' &&
  (isTrue(edov) || edov === 1 || edov === '1');

const toClaims = (claims: Record<string, unknown>): Claims => ({
  email: typeof claims.email === 'string' ? claims.email : undefined,
  isVerified: isTrue(claims.email_verified) || isVerifiedByEntra(claims),
});

/** Throws OpenidError for an ID token that was made later than now: openid-client reads `exp` and `nbf`, and not `iat`. */
function checkMade({ iat }: IDToken): void {
  if (iat <= Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS) return;
  throw new OpenidError('refused', 'iat_in_future', 'the ID token was made later than now: check the clocks');
}

/** Signs people in by OpenID Connect: the code flow, with PKCE, state and nonce. */
export class OpenidProvider {
  readonly #settings: OpenidSettings;
  readonly #redirectUri: string;
  readonly #timeoutMs: number;
  #found: { metadata: Promise<ServerMetadata>; until: number } | undefined;

  constructor(settings: OpenidSettings, { redirectUri, timeoutMs }: { redirectUri: string; timeoutMs: number }) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the address of the provider at which a person signs in. Throws OpenidError. */
  async addressFor(token: string): Promise<string> {
    const configuration = await this.#configure();
    const { state, nonce, verifier } = secretsOf(token);
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** Returns whether an answer of the provider belongs to the browser that has this token. */
  isAnswerTo(token: string, answer: URLSearchParams): boolean {
    const states = answer.getAll('state');
    return states.length === 1 && states[0] === secretsOf(token).state;
  }

  /** Redeems the code in an answer. Returns what the provider says of the person. Throws OpenidError. */
  async claimsOf(token: string, answer: URLSearchParams): Promise<Claims> {
    const configuration = await this.#configure();
    const { state, nonce, verifier } = secretsOf(token);
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}?${answer}`), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (!idToken) throw new OpenidError('refused', 'no_id_token', 'the provider sent no ID token');
      checkMade(idToken);
      const claims = toClaims(idToken);
      // Many providers have the address in one of them only.
      if (claims.email !== undefined && claims.isVerified) return claims;
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      // Both claims are of one answer: a verified address is never another one.
      return toClaims(await fetchUserInfo(configuration, tokens.access_token, idToken.sub));
    } catch (error) {
      throw error instanceof OpenidError ? error : problemOf(error);
    }
  }

  /** Anew for each person: the keys of the provider are read again, so that changed ones are known. */
  async #configure(): Promise<Configuration> {
    const { clientId, clientSecret, issuer } = this.#settings;
    const metadata = await this.#discover();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const secretAuth = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic;
    const auth = clientSecret === undefined ? None() : secretAuth(clientSecret);
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = new Configuration(metadata, clientId, client, auth);
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    configuration[customFetch] = (url, { signal, ...options }) =>
      boundedFetch(url, { ...options, signal: AbortSignal.any([deadline, ...(signal ? [signal] : [])]) });
    enableNonRepudiationChecks(configuration);
    // The setting is refused for any other host than this machine.
    if (issuer.protocol === 'http:') allowInsecureRequests(configuration);
    return configuration;
  }

  #discover(): Promise<ServerMetadata> {
    if (this.#found && this.#found.until > performance.now()) return this.#found.metadata;
    const metadata = discover(this.#settings, this.#timeoutMs);
    const found = { metadata, until: performance.now() + DISCOVERY_MS };
    this.#found = found;
    metadata.catch(() => {
      // The next person asks again.
      if (this.#found === found) this.#found = undefined;
    });
    return metadata;
  }
}

/** Reads the addresses of a provider. Throws OpenidError. */
export async function discover({ issuer, clientId }: OpenidSettings, timeoutMs: number): Promise<ServerMetadata> {
  try {
    const found = await discovery(issuer, clientId, undefined, None(), {
      timeout: timeoutMs / 1_000,
      [customFetch]: boundedFetch,
      execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
    });
    return found.serverMetadata();
  } catch (error) {
    throw unreachable(error);
  }
}
