import { z } from 'zod';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import { isRedirectUri } from './redirect-uris.ts';

/*
 * The description of a program, as it is in a registration (RFC 7591, 2) and in a metadata document.
 */

const { maxRedirectUris, maxUriChars, maxUrisChars, maxNameChars } = SIZES.oauthClient;

const URIS_WRONG = `redirect_uris is wrong: send 1 to ${maxRedirectUris} addresses, each by https, or by http to localhost, without a fragment.`;

/** The addresses to which a program has codes sent. */
export const RedirectUris = z
  .array(
    z.string(URIS_WRONG).max(maxUriChars, URIS_WRONG).refine(isRedirectUri, refused('wrong-format', URIS_WRONG)),
    URIS_WRONG,
  )
  .min(1, URIS_WRONG)
  .max(maxRedirectUris, URIS_WRONG)
  .refine(
    (uris) => uris.join('').length <= maxUrisChars,
    refused('not-allowed', `redirect_uris is too long: send at most ${maxUrisChars} characters in all.`),
  )
  .meta({
    description: `Where codes may be sent: 1 to ${maxRedirectUris} addresses by https, or by http to localhost, 127.0.0.1 or [::1], whose port may be another one later.`,
    example: ['http://127.0.0.1/callback'],
  });

/** The name by which a person recognizes a program. */
export const ClientName = z
  .string('client_name is wrong: send a text.')
  .max(maxNameChars, `client_name is too long: send at most ${maxNameChars} characters.`)
  .meta({ description: `The name that owners see, at most ${maxNameChars} characters.`, example: 'Example agent' });

/** Returns a name in one line, without characters that nobody sees; the host of an address of the program where there is none. */
export const shownName = (name: string | undefined, uri: string): string =>
  (name ?? '').toWellFormed().replaceAll(/\p{C}/gu, '').trim() || (URL.parse(uri)?.host ?? uri);
