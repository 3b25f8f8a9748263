import { z } from 'zod';
import type { Operation } from '../../operation/declaration.ts';
import { answerObject, textField } from '../../request/shared-fields.ts';
import {
  type DeclaredError,
  ERROR_CODE,
  errorKind,
  HttpError,
  isNoSuchPath,
  retryAfter,
} from '../../response/errors.ts';

/*
 * The errors of OAuth (RFC 6749, 5.2; RFC 7591, 3.2.2), which programs read: `error` is a code, and `error_description` the sentence.
 */

const OAuthError = answerObject('OAuthError', {
  error: textField('The name of the error in OAuth.', 'invalid_grant'),
  error_description: z.string().optional().meta({ description: 'What to do.' }),
});

/** Codes of OAuth that this service answers with. */
type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable';

/** Returns an error with the body that programs read. Its sentence stays. */
function inOAuthForm({ status, template, message, headers, errors, code }: HttpError, name: OAuthCode): HttpError {
  const body = JSON.stringify({ error: name, error_description: message });
  // A kind gives the new error its code later.
  const { [ERROR_CODE]: _code, ...others } = headers;
  const made = new HttpError(status, template, { ...others, 'Cache-Control': 'no-store' }, { errors, body });
  made.code = code;
  return made;
}

/** Declares an error of OAuth. */
const oauthError = (id: string, description: string, name: OAuthCode, sentence: string) =>
  errorKind({ id, description, schema: OAuthError }, (message?: string) =>
    inOAuthForm(new HttpError(400, message ?? sentence), name),
  );

export const invalidTokenRequest = oauthError(
  'InvalidTokenRequest',
  'A parameter is missing, or given twice.',
  'invalid_request',
  'A parameter is missing: send grant_type, client_id, and code with code_verifier, or refresh_token.',
);
export const unsupportedGrantType = oauthError(
  'UnsupportedGrantType',
  '`grant_type` is another one.',
  'unsupported_grant_type',
  'grant_type is not supported: send authorization_code or refresh_token.',
);
export const invalidGrant = oauthError(
  'InvalidGrant',
  'The code or the refresh token is unknown, has expired, was used before, or belongs to another client.',
  'invalid_grant',
  'The code or the refresh token does not work, or no longer: ask the person to allow the program again.',
);
export const invalidGrantScope = oauthError(
  'InvalidGrantScope',
  'The grant has a smaller scope.',
  'invalid_scope',
  'The grant has a smaller scope: leave scope out.',
);
export const invalidTarget = oauthError(
  'InvalidTarget',
  '`resource` is not this service (RFC 8707).',
  'invalid_target',
  'resource is not this service: send its address, with or without /mcp.',
);
export const invalidClientMetadata = oauthError(
  'InvalidClientMetadata',
  'The program describes itself in a way that is not accepted.',
  'invalid_client_metadata',
  'The description of the program is wrong.',
);
export const tooManyRegistrations = errorKind(
  {
    id: 'TooManyRegistrations',
    description: 'Too many programs have registered in this hour.',
    schema: OAuthError,
    isCounted: true,
  },
  (leftMs: number) =>
    inOAuthForm(
      new HttpError(429, 'Too many programs have registered: try again later.', retryAfter(leftMs)),
      'temporarily_unavailable',
    ),
  3_600_000,
);
export const tooManyWrongTokens = errorKind(
  {
    id: 'TooManyWrongTokens',
    description: 'Too many codes or refresh tokens from one address do not work.',
    schema: OAuthError,
    isCounted: true,
  },
  (leftMs: number) =>
    inOAuthForm(
      new HttpError(429, 'Too many codes or tokens do not work: try again later.', retryAfter(leftMs)),
      'temporarily_unavailable',
    ),
  60_000,
);

/** The code of an error that has none in OAuth. `otherwise`: of those that the request has caused. */
function nameOf({ status, errors }: HttpError, otherwise: OAuthCode): OAuthCode {
  if (status === 429 || status >= 500) return 'temporarily_unavailable';
  const isOfUris = errors.some((error) => 'pointer' in error && error.pointer.startsWith('/redirect_uris'));
  return isOfUris ? 'invalid_redirect_uri' : otherwise;
}

/** Gives the errors of paths and methods that no endpoint has the form of OAuth, where programs look for its endpoints. */
export function withoutEndpoint(error: HttpError, path: string): HttpError {
  const isUnknown = isNoSuchPath(error) || error.status === 405;
  // The dashboard alone asks for the consent.
  return isUnknown && /^\/oauth\/(?!consent$)/.test(path) ? inOAuthForm(error, 'invalid_request') : error;
}

const declared = new WeakMap<DeclaredError, DeclaredError>();

/** Returns an error as these endpoints declare it. */
export function declaredInOAuth(error: DeclaredError): DeclaredError {
  const { id, schema, example } = error;
  if (schema === OAuthError) return error;
  const before = declared.get(error);
  if (before) return before;
  const form = inOAuthForm(example, nameOf(example, 'invalid_request'));
  const made = { ...error, id: `OAuth${id}`, schema: OAuthError, example: form };
  declared.set(error, made);
  return made;
}

/** Gives all errors of an operation the form of OAuth. An unexpected one stays as it is: the log needs its cause. */
export function withOAuthErrors(operation: Operation, otherwise: OAuthCode): Operation {
  return {
    ...operation,
    bind(app) {
      const { handle, ...endpoint } = operation.bind(app);
      return {
        ...endpoint,
        handle:
          handle &&
          ((request, response) =>
            handle(request, response).catch((error: unknown) => {
              const isOther = error instanceof HttpError && error.body === undefined;
              throw isOther ? inOAuthForm(error, nameOf(error, otherwise)) : error;
            })),
      };
    },
  };
}
