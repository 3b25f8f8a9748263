import { z } from 'zod';
import {
  isOneLine,
  listOwnKeys,
  makeOwnKey,
  ownKeyExists,
  revokeOwnKey,
  SCOPES,
} from '../../../db/account/api-key-queries.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { findLiveIds } from '../../../db/deployments/deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { refused } from '../../../problems/refusal.ts';
import { literal } from '../../../problems/sentence.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, deploymentId, keyId, textField, textOrNull, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';

const name = z
  .string(`name is required: send 1 to ${SIZES.apiKey.maxNameChars} characters.`)
  .refine(
    (text) => text.trim() !== '',
    refused({ code: 'too-short', limit: 1 }, `name is empty: send 1 to ${SIZES.apiKey.maxNameChars} characters.`),
  )
  .max(SIZES.apiKey.maxNameChars, `name is too long: send at most ${SIZES.apiKey.maxNameChars} characters.`)
  .refine(isOneLine, refused('wrong-format', 'name has a control character: leave it out.'))
  .meta({
    description: `What the key is for, 1 to ${SIZES.apiKey.maxNameChars} characters.`,
    example: 'Website build',
    minLength: 1,
  });
const scope = z.enum(SCOPES, 'scope is invalid: send full, read or publish.').meta({
  description:
    '`full`: everything. `read`: GET and HEAD, except for webhook secrets and keys. `publish`: it makes and changes pages, their files ' +
    'and versions, and checks them; it reads no submission.',
  example: 'full',
});
/** A time in the future, until when something works. */
export const expiresAt = z.iso
  .datetime({
    offset: true,
    error: 'expires_at is invalid: send a time such as 2027-01-01T00:00:00Z, or leave it out.',
  })
  .refine(
    (text) => Date.parse(text) > Date.now(),
    refused('not-allowed', 'expires_at is in the past: send a time in the future.'),
  )
  // An offset can lead beyond it.
  .refine(
    (text) => Date.parse(text) <= SIZES.lastTimeMs,
    refused('not-allowed', 'expires_at is too late: send a time before the year 10000 in UTC.'),
  )
  .meta({ description: 'From when on the key is refused, in ISO 8601 with Z or an offset. Left out: never.' });

const PAGES = `pages is invalid: send the ids or slugs of 1 to ${SIZES.apiKey.maxPages} {deployment}s, or leave it out for all.`;
/** The pages that credentials are for. */
export const pages = z
  .array(z.string(PAGES), PAGES)
  .min(1, PAGES)
  .max(SIZES.apiKey.maxPages, PAGES)
  .meta({
    description:
      'The deployments that the key is for, by their ids or slugs; it sees no other, makes none, and makes no keys. Left out: all.',
    short: 'Ids or slugs of the pages that it is for.',
    example: ['d_0VbbZBZKKTcBD17YQfyDgVGm'],
  });

const shown = {
  id: keyId,
  name: textOrNull('null for a key that was made without one.', 'Website build'),
  prefix: textField(`The first ${SIZES.apiKey.prefixChars} characters of the key.`, 'fh_Tk3vQ'),
  scope,
  created_at: time,
  expires_at: time.nullable().meta({ description: 'null: never.', example: null }),
  pages: z
    .array(deploymentId)
    .nullable()
    .meta({ description: 'The deployments that the key is for; null: all.', example: null }),
};
const Key = answerObject('Key', {
  ...shown,
  last_used_at: time.nullable().meta({ description: 'To the minute; null: never used.' }),
});
const Keys = answerObject('Keys', { keys: z.array(Key), ...paged });
const Made = answerObject('MadeKey', {
  ...shown,
  key: textField(
    'The key itself, which is shown this once: only its hash is stored.',
    'fh_Tk3vQ0000000000000000000000000000000000000000',
  ),
});
const Revoked = answerObject('KeyRevoked', { message: z.literal('Key revoked'), id: keyId });

const noSuchKey = errorKind(
  { id: 'NoSuchKey', description: "The key's owner has no such key, or it is revoked." },
  () => new HttpError(404, 'No such key: choose one that {GET /keys} lists.'),
);
export const noSuchPage = errorKind(
  { id: 'NoSuchPageOfKey', description: "`pages` names a deployment that the key's owner does not have." },
  (name: string = 'contact') =>
    new HttpError(400, `pages names no {deployment} of yours: ${literal(name)}. Choose from {GET /deploy}.`),
);
const tooManyKeys = errorKind(
  { id: 'TooManyKeys', description: `The owner has ${SIZES.apiKey.maxOfOwner} keys.` },
  () => new HttpError(409, `There are ${SIZES.apiKey.maxOfOwner} keys already: revoke one first.`),
);
const lastKey = errorKind(
  {
    id: 'LastKey',
    description: 'It is the last full key of its owner for all deployments, and the request has a key.',
  },
  () =>
    new HttpError(
      409,
      'This is your last full key: make another first, or have the operator revoke it with formhost admin keys.',
    ),
);

const listOperation = operation('GET', '/keys', 'listKeys', {
  isOfAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'keys list',
    text: 'List your keys',
    table: {
      columns: ['ID', 'NAME', 'PREFIX', 'SCOPE', 'CREATED', 'LAST USED', 'EXPIRES', 'PAGES'],
      rows: ({ keys }) =>
        keys.map((key) => [
          ...[key.id, key.name, key.prefix, key.scope, key.created_at, key.last_used_at, key.expires_at],
          key.pages?.join(' ') ?? null,
        ]),
    },
  },
  summary: 'List your API keys',
  description: 'Newest first, without revoked ones.',
  scope: 'full',
  query: Paging,
  answer: { description: 'A page of keys.', schema: Keys },
  async handle({ owner, query: paging }, { db }) {
    const { rows: keys, total } = await listOwnKeys(db, owner.id, paging);
    return { keys: keys.map((key) => toWire(Key, key)), total, ...paging };
  },
});

/** The ids of the pages that a request names by their ids or slugs, without repetitions. Throws 400, also for those that these credentials do not see. */
export async function pageIds(db: Database, owner: Owner, names: readonly string[]): Promise<string[]> {
  const ids = await findLiveIds(
    db,
    owner.id,
    // Postgres has no such texts, and no page such a name.
    names.filter((name) => isOneLine(name)),
  );
  return [
    ...new Set(
      names.map((name) => {
        const id = ids.get(name);
        if (id === undefined || owner.pages?.includes(id) === false) throw noSuchPage(name);
        return id;
      }),
    ),
  ];
}

const createOperation = operation('POST', '/keys', 'createKey', {
  isOfAccount: true,
  audit: 'key.create',
  needsAccount: true,
  isForOwnerAlone: true,
  command: {
    usage: 'keys create',
    text: 'Make a key, and print it this once',
    help: ['$ keys create --name "Website build" --scope publish --pages contact'],
    as: { expires_at: '--expires <time>', pages: '--pages <pages...>' },
    texts: {
      name: `what it is for, 1 to ${SIZES.apiKey.maxNameChars} characters`,
      scope: 'what the key may do',
      expires_at: 'when the key ends, such as 2027-01-01',
      pages: 'ids or slugs of the pages that it is for',
    },
    prints: ({ key }) => key,
    says: ({ id }) => `made ${id}; the key is not shown again`,
  },
  summary: 'Make an API key',
  description: `For another program or person, with a name by which you recognize it. An owner has at most ${SIZES.apiKey.maxOfOwner} keys.`,
  body: {
    schema: z.object({ name, scope: scope.default('full'), expires_at: expiresAt.optional(), pages: pages.optional() }),
    example: { name: 'Website build', scope: 'full' },
  },
  answer: { status: 201, description: 'The key.', schema: Made },
  errors: [noSuchPage, tooManyKeys],
  async handle({ owner, body: { name, scope, expires_at, pages } }, { db }) {
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const outcome = await makeOwnKey(db, owner.id, {
      ...{ name, scope, expiresAt },
      pages: pages && (await pageIds(db, owner, pages)),
    });
    if (outcome === 'too-many') throw tooManyKeys();
    const { made, key } = outcome;
    return toWire(Made, { ...made, key });
  },
});

const revokeOperation = operation('DELETE', '/keys/:keyId', 'revokeKey', {
  audit: 'key.revoke',
  isForOwnerAlone: true,
  command: {
    usage: 'keys revoke <key>',
    text: 'End a key',
    prints: ({ id }) => id,
    says: () => 'revoked: no request with it succeeds any more',
  },
  summary: 'Revoke an API key',
  description:
    'Every process refuses it within a second. A key may revoke itself. The last full key of an owner can be revoked by a browser that has signed in without a key, and otherwise on the command line only.',
  async find(owner, { keyId: id }, { db }) {
    // A key for some pages knows of no other key.
    if (owner.pages && id !== owner.credentialId) throw noSuchKey();
    if (!(await ownKeyExists(db, owner.id, id))) throw noSuchKey();
  },
  answer: { description: 'The key is revoked.', schema: Revoked },
  errors: [noSuchKey, lastKey],
  async handle({ owner, params: { keyId: id } }, { db }) {
    const outcome = await revokeOwnKey(db, owner, id);
    if (outcome === 'no-key') throw noSuchKey();
    if (outcome === 'last') throw lastKey();
    return { message: 'Key revoked' as const, id };
  },
});

/** The keys of an owner. */
export const keyOperations = [listOperation, createOperation, revokeOperation];
