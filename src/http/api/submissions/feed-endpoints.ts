import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import {
  createFeed,
  deleteFeed,
  type Feed,
  feedExists,
  listFeeds,
  rotateFeed,
} from '../../../db/submissions/feed-queries.ts';
import { LINE, plainText } from '../../../settings/values.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { operation } from '../../operation/operation.ts';
import { answerOnce, idempotencyKey, keyReused } from '../../request/idempotency-key.ts';
import { answerObject, feedId, textField, time, uriField } from '../../request/shared-fields.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';

const { maxPerDeployment, maxNameChars, maxRows } = SIZES.feed;

const name = plainText('name', maxNameChars, LINE).meta({
  description: `What the feed is for, 1 to ${maxNameChars} characters.`,
  example: 'Sheet of the team',
});
const URL_TEXT = 'The secret address of the CSV. Who has it can read the submissions.';
const url = uriField(URL_TEXT, 'https://forms.example.org/feeds/Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG.csv');
const lastReadAt = time.nullable().meta({ description: 'To the minute; null: nobody has read it at this address.' });
const shown = { id: feedId, name: textField('What the feed is for.', 'Sheet of the team') };

const Made = answerObject('Feed', { ...shown, url, created_at: time, last_read_at: lastReadAt });
const Listed = answerObject('ListedFeed', {
  ...shown,
  url: z
    .string()
    .optional()
    .meta({ ...url.meta(), description: `${URL_TEXT} A key with the scope \`read\` does not get it.` }),
  created_at: time,
  last_read_at: lastReadAt,
});
const Feeds = answerObject('Feeds', { feeds: z.array(Listed) });
const Deleted = answerObject('FeedDeleted', { message: z.literal('Feed deleted'), id: feedId });

const noSuchFeed = missing(
  'NoSuchFeed',
  'or no such feed of it',
  'No such feed: choose one that {GET /deploy/:id/feeds} lists.',
);
const tooManyFeeds = errorKind(
  { id: 'FeedLimit', description: `The deployment has ${maxPerDeployment} feeds.` },
  () => new HttpError(409, `The {deployment} has ${maxPerDeployment} feeds: delete one first.`),
);

const withUrl = (feed: Feed, { config: { baseUrl } }: App): Feed & { url: string } => ({
  ...feed,
  url: `${baseUrl}/feeds/${feed.token}.csv`,
});

/** The id of a feed of the owner's live deployment; throws 404. */
async function ownFeed(db: Database, owner: Owner, ids: { id: string; feedId: string }): Promise<string> {
  const { id } = await ownDeployment(db, owner, ids.id);
  if (!(await feedExists(db, id, ids.feedId))) throw noSuchFeed();
  return ids.feedId;
}

const createOperation = operation('POST', '/deploy/:id/feeds', 'createFeed', {
  audit: 'feed.create',
  command: {
    usage: 'feeds add <id>',
    text: 'Make a secret address for a spreadsheet, and print it',
    help: ['$ feeds add contact --name "Sheet of the team"'],
    texts: { name: `what it is for, 1 to ${maxNameChars} characters` },
    prints: (feed) => feed.url,
    says: ({ id }) => `made ${id}; who has the address can read the submissions`,
  },
  summary: 'Make a feed of a {deployment} for a spreadsheet',
  description:
    `A secret address of a CSV with the newest ${maxRows.toLocaleString('en')} submissions, newest first, for \`IMPORTDATA\` of Google Sheets ` +
    `and Power Query of Excel. At most ${maxPerDeployment} a deployment.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: idempotencyKey,
  body: { schema: z.object({ name }), example: { name: 'Sheet of the team' } },
  answer: { status: 201, description: 'The feed.', schema: Made },
  errors: [tooManyFeeds, keyReused],
  handle({ owner, resource: { id }, headers, body }, app) {
    const request = { key: headers['Idempotency-Key'], path: `/deploy/${id}/feeds`, body };
    return answerOnce(app.db, owner, request, async (db) => {
      const feed = await createFeed(db, id, body.name);
      if (feed === 'no-deployment') throw noSuchDeployment();
      if (feed === 'limit-reached') throw tooManyFeeds();
      return toWire(Made, withUrl(feed, app));
    });
  },
});

const listOperation = operation('GET', '/deploy/:id/feeds', 'listFeeds', {
  command: {
    usage: 'feeds list <id>',
    text: 'List the addresses for spreadsheets, and when each was last read',
    table: {
      columns: ['ID', 'NAME', 'CREATED', 'LAST READ', 'URL'],
      rows: ({ feeds }) =>
        feeds.map((feed) => [feed.id, feed.name, feed.created_at, feed.last_read_at, feed.url ?? null]),
    },
  },
  summary: 'List the feeds of a {deployment}',
  description: 'Oldest first.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'All feeds.', schema: Feeds },
  async handle({ owner, resource: { id } }, app) {
    const feeds = (await listFeeds(app.db, id)).map((feed) => withUrl(feed, app));
    return {
      feeds: feeds.map((feed) => toWire(Listed, owner.scope === 'full' ? feed : { ...feed, url: undefined })),
    };
  },
});

const rotateOperation = operation('POST', '/deploy/:id/feeds/:feedId/rotate', 'rotateFeed', {
  audit: 'feed.change',
  command: {
    usage: 'feeds rotate <id> <feed>',
    text: 'Give a feed a new address, and print it; the one before ends',
    prints: (feed) => feed.url,
    says: () => 'the address before works no more: put this one into the spreadsheet',
  },
  summary: 'Give a feed a new address',
  description: 'The address before ends at once, in every process.',
  find: (owner, ids, { db }) => ownFeed(db, owner, ids),
  answer: { description: 'The feed with its new address.', schema: Made },
  errors: [noSuchFeed],
  handle: async ({ params: { id: deploymentId }, resource: id }, app) =>
    toWire(Made, withUrl(foundOr404(await rotateFeed(app.db, deploymentId, id), noSuchFeed), app)),
});

const deleteOperation = operation('DELETE', '/deploy/:id/feeds/:feedId', 'deleteFeed', {
  audit: 'feed.delete',
  command: {
    usage: 'feeds remove <id> <feed>',
    text: 'End a feed',
    prints: ({ id }) => id,
    says: () => 'removed: its address works no more',
  },
  summary: 'Delete a feed',
  description: 'Its address ends at once, in every process.',
  find: (owner, ids, { db }) => ownFeed(db, owner, ids),
  answer: { description: 'The feed is deleted.', schema: Deleted },
  errors: [noSuchFeed],
  async handle({ params: { id: deploymentId }, resource: id }, { db }) {
    if (!(await deleteFeed(db, deploymentId, id))) throw noSuchFeed();
    return { message: 'Feed deleted' as const, id };
  },
});

/** The feeds of a deployment: secret addresses at which spreadsheets read its submissions. */
export const feedOperations = [listOperation, createOperation, rotateOperation, deleteOperation];
