import { z } from 'zod';
import {
  deleteNewPageDraft,
  findNewPageDraft,
  listNewPageDrafts,
  saveNewPageDraft,
} from '../../../../db/deployments/drafts/new-page-draft-queries.ts';
import { etagOf } from '../../../../db/deployments/page-version-queries.ts';
import { SIZES } from '../../../../sizes.ts';
import type { Settings } from '../../../operation/declaration.ts';
import { operation } from '../../../operation/operation.ts';
import {
  changedMeanwhile,
  ETAG_HEADER,
  ifMatch,
  ifNoneMatch,
  storableTags,
  storeConditions,
  wantedTags,
} from '../../../request/conditions.ts';
import { answerObject, textOrNull } from '../../../request/shared-fields.ts';
import { errorKind, HttpError, storageFull } from '../../../response/errors.ts';
import { notModified } from '../../../response/static-file.ts';
import { toWire } from '../../../response/to-wire.ts';
import { foundOr404 } from '../own-deployment.ts';
import { draftHtml, pageBody } from '../page-html.ts';
import { draftText, FOR_EDITOR, updatedAt } from './draft-endpoints.ts';

const PATH = '/draft';
const { maxNewPages, maxNameChars } = SIZES.draft;
const NAME = new RegExp(`^[a-z0-9][a-z0-9.-]{0,${maxNameChars - 1}}$`);

const nameField = z.string().regex(NAME).meta({ description: 'Its name.', example: 'contact.en' });
const Draft = answerObject('NewPageDraft', { name: nameField, html: draftText, updated_at: updatedAt });
const Listed = answerObject('ListedNewPageDraft', {
  name: nameField,
  title: textOrNull('The title of its HTML; null without one.', 'Spring sale'),
  updated_at: updatedAt,
});
const Drafts = answerObject('NewPageDrafts', {
  drafts: z.array(Listed).meta({ description: `At most ${maxNewPages}.` }),
});
const Saved = answerObject('NewPageDraftSaved', { name: nameField, updated_at: updatedAt });
const Deleted = answerObject('NewPageDraftDeleted', { message: z.literal('Draft deleted'), name: nameField });

const noSuchDraft = errorKind(
  { id: 'NoSuchNewPageDraft', description: 'The owner has no draft of a new page with this name.' },
  () => new HttpError(404, 'No such draft: {GET /drafts} lists yours.'),
);

const draftLimit = errorKind(
  { id: 'NewPageDraftLimit', description: `The owner has ${maxNewPages} drafts of new pages already.` },
  () => new HttpError(409, `You have drafts of ${maxNewPages} new pages: publish or delete one of them first.`),
);

const NameQuery = z.object({
  name: z
    .string('name is not one string: send it once, or leave it out.')
    .regex(
      NAME,
      `name is invalid: use lowercase letters a to z, digits, hyphens and dots, 1 to ${maxNameChars} of them, with a letter or a digit first.`,
    )
    .default('new')
    .meta({ description: 'Its name, which the client chooses; left out: `new`.', example: 'contact.en' }),
});

/** Drafts belong to the account: no key for some pages and no guest without an account has any. */
const OF_ACCOUNT = { isOfAccount: true, needsAccount: true, noCommand: FOR_EDITOR };

const listOperation = operation('GET', '/drafts', 'listNewPageDrafts', {
  ...OF_ACCOUNT,
  scope: 'any',
  summary: 'List your drafts of new pages',
  description: 'Those that were stored last come first. `GET /overview` says which pages have a draft.',
  answer: { description: 'All of them.', schema: Drafts },
  handle: async ({ owner }, { db }) => ({
    drafts: (await listNewPageDrafts(db, owner.id)).map((draft) => toWire(Listed, draft)),
  }),
});

const saveOperation = operation('PUT', PATH, 'saveNewPageDraft', {
  ...OF_ACCOUNT,
  scope: 'publish',
  noAudit: 'Nobody but its author sees it; publishing it has an entry.',
  summary: 'Store a draft of a new page',
  description:
    'HTML of a page that has never been published, under a name that the client chooses. It replaces the draft before, with `If-Match` only ' +
    `the one that the client has read. It may be empty. An owner has at most ${maxNewPages}. Publishing leaves it.`,
  requestHeaders: storeConditions(PATH),
  query: NameQuery,
  body({ config }: Settings) {
    const { example, maxBytes } = pageBody(config);
    return { schema: z.object({ html: draftHtml(config) }), example, maxBytes };
  },
  answer: { description: 'The draft is stored.', headers: ETAG_HEADER, schema: Saved },
  errors: [storageFull, draftLimit, changedMeanwhile],
  async handle({ owner: { id: ownerId }, query: { name }, headers, setHeaders, body }, { db, config, pages }) {
    const draft = { html: Buffer.from(body.html), tags: storableTags(headers) };
    const saved = await pages.limitWrites(() => saveNewPageDraft(db, { ownerId, name }, draft, config.storageLimits));
    if (saved === 'too-many') throw draftLimit();
    if (saved === 'changed') throw changedMeanwhile(PATH);
    setHeaders({ ETag: etagOf(draft.html) });
    return toWire(Saved, { name, updatedAt: saved });
  },
});

const getOperation = operation('GET', PATH, 'getNewPageDraft', {
  ...OF_ACCOUNT,
  scope: 'any',
  summary: 'Get a draft of a new page',
  requestHeaders: ifNoneMatch,
  query: NameQuery,
  answer: { description: 'The draft.', headers: ETAG_HEADER, schema: Draft },
  otherAnswers: { 304: notModified },
  errors: [noSuchDraft],
  async handle({ owner: { id: ownerId }, query: { name }, setHeaders }, { db }) {
    const { html, updatedAt: at } = foundOr404(await findNewPageDraft(db, { ownerId, name }), noSuchDraft);
    setHeaders({ ETag: etagOf(html) });
    return toWire(Draft, { name, html: html.toString(), updatedAt: at });
  },
});

const deleteOperation = operation('DELETE', PATH, 'deleteNewPageDraft', {
  ...OF_ACCOUNT,
  scope: 'publish',
  noAudit: 'Nobody but its author sees it.',
  summary: 'Delete a draft of a new page',
  requestHeaders: ifMatch(PATH),
  query: NameQuery,
  answer: { description: 'The draft is gone.', schema: Deleted },
  errors: [noSuchDraft, changedMeanwhile],
  async handle({ owner: { id: ownerId }, query: { name }, headers }, { db }) {
    const deleted = await deleteNewPageDraft(db, { ownerId, name }, wantedTags(headers['If-Match']));
    if (deleted === 'changed') throw changedMeanwhile(PATH);
    if (!deleted) throw noSuchDraft();
    return { message: 'Draft deleted' as const, name };
  },
});

/** What an owner writes and has never published. */
export const newPageDraftOperations = [listOperation, saveOperation, getOperation, deleteOperation];
