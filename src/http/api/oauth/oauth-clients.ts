import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { findClient } from '../../../db/account/oauth-client-queries.ts';
import { OAUTH_CLIENT_ID } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { literal } from '../../../problems/sentence.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService } from '../../operation/declaration.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { ClientName, RedirectUris, shownName } from './client-metadata.ts';
import { isLoopback } from './redirect-uris.ts';

/*
 * Programs that have registered themselves, and those whose id is the address of a document that describes them
 * (draft-ietf-oauth-client-id-metadata-document).
 */

/** A program, as it has introduced itself. `host`: that of its metadata document; undefined for one that has registered. */
type OAuthClient = { name: string; redirectUris: readonly string[]; host: string | undefined };

export const unknownProgram = errorKind(
  {
    id: 'UnknownProgram',
    description:
      'The program is unknown, its metadata document cannot be used, it did not name the address to which its code is to be sent, or a parameter is wrong.',
  },
  (message: string) => new HttpError(400, message),
  'The address to which the program wants to be sent is not one that it has named.',
);

const { maxBytes, maxUriChars, documentMs, minDocumentMs, maxDocuments } = SIZES.oauthClient;

/**
 * Returns whether a client id is the address of a metadata document: https, or http on this machine, with a path, and in the one
 * spelling that has no dot segments, fragment or credentials.
 */
export function isDocumentUrl(id: string): boolean {
  const url = id.length <= maxUriChars ? URL.parse(id) : null;
  if (url === null || url.href !== id || url.pathname === '/' || /[\\#]/.test(id)) return false;
  return `${url.username}${url.password}` === '' && (url.protocol === 'https:' || isLoopback(url));
}

const PUBLIC = 'none';
const NOT_PUBLIC =
  'token_endpoint_auth_method is wrong: write none, or list it in token_endpoint_auth_methods_supported.';
const NO_SECRET = 'client_secret is not allowed: the document is public.';

const Description = z
  .object(
    {
      client_id: z.string('client_id is missing: write the address of the document.'),
      client_name: ClientName.optional(),
      redirect_uris: RedirectUris,
      token_endpoint_auth_method: z.string(NOT_PUBLIC).default(PUBLIC),
      // Programs such as ChatGPT prefer another method there, and list all that they know here.
      token_endpoint_auth_methods_supported: z.array(z.unknown(), NOT_PUBLIC).default([]),
      client_secret: z.never(NO_SECRET).optional(),
    },
    'it is not an object of JSON.',
  )
  .refine(
    ({ token_endpoint_auth_method: chosen, token_endpoint_auth_methods_supported: known }) =>
      [chosen, ...known].includes(PUBLIC),
    refused('not-allowed', NOT_PUBLIC),
  );

/** Returns how long a document may be kept, by its Cache-Control (RFC 9111, 5.2.2). */
export function keptMs(cacheControl: string): number {
  const [, seconds] = /(?:^|[ ,])max-age="?(\d{1,9})\b/i.exec(cacheControl) ?? [];
  const isFresh = !/(?:^|[ ,])no-(?:store|cache)\b/i.test(cacheControl);
  const ms = isFresh ? Number(seconds ?? documentMs) * 1_000 : 0;
  return Math.min(Math.max(ms, minDocumentMs), documentMs);
}

/** Reads and checks a metadata document. Throws a 400 that says what is wrong with it. */
async function readDescription({ delivery }: App, id: string): Promise<{ client: OAuthClient; ttl: number }> {
  const wrong = (reason: string) =>
    unknownProgram(`The document that describes the program, ${literal(id)}, cannot be used: ${reason}`);
  const url = new URL(id);
  const { json, cacheControl } = await delivery.readDocument(url, maxBytes).catch((error: unknown) => {
    throw wrong(`${literal(error instanceof Error ? error.message : String(error))}.`);
  });
  const { data, error } = Description.safeParse(json);
  if (!data) throw wrong(error.issues[0]?.message ?? '');
  if (data.client_id !== id) throw wrong('its client_id is another one: write the address of the document there.');
  const client = { name: shownName(data.client_name, id), redirectUris: data.redirect_uris, host: url.host };
  return { client, ttl: keptMs(cacheControl) };
}

/** Documents that were read. Requests at the same time share a reading; a failure is not kept. */
const documentsOf = perService(
  (app) =>
    new LRUCache<string, OAuthClient>({
      max: maxDocuments,
      async fetchMethod(id, _old, { options }) {
        const { client, ttl } = await readDescription(app, id);
        options.ttl = ttl;
        return client;
      },
    }),
);

/** Finds the program with a client id; undefined when there is none. The time for reading its document is bounded on its own. */
export async function findOAuthClient(app: App, id: string, response: Response): Promise<OAuthClient | undefined> {
  if (!isDocumentUrl(id)) {
    const client = OAUTH_CLIENT_ID.test(id) ? await findClient(app.db, id) : undefined;
    return client && { ...client, host: undefined };
  }
  const resumeDeadline = pauseDeadline(response);
  return documentsOf(app).fetch(id).finally(resumeDeadline);
}
