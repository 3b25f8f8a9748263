import { z } from 'zod';
import type { Owner } from '../../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../../db/deployments/deployment-queries.ts';
import {
  countOtherDrafts,
  type DraftOf,
  deleteDraft,
  draftTag,
  findDraft,
  saveDraft,
} from '../../../../db/deployments/drafts/draft-queries.ts';
import { checkedPath } from '../../../../sites/sent-files.ts';
import { INDEX } from '../../../../sites/site-paths.ts';
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
import { answerObject, deploymentId, textField, textOrNull, time } from '../../../request/shared-fields.ts';
import { errorKind, HttpError, storageFull } from '../../../response/errors.ts';
import { notModified } from '../../../response/static-file.ts';
import { foundOr404, missing, ownDeployment } from '../own-deployment.ts';
import { draftHtml, exampleHtml, pageBody } from '../page-html.ts';

/** ETags of this service have fewer characters. */
const MAX_ETAG_CHARS = 100;
const PATH = '/deploy/:id/draft';
const EXAMPLE_ETAG = '"5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"';

/** Why drafts have no commands. */
export const FOR_EDITOR = 'The editor of the dashboard keeps what is not published.';

const etagField = textOrNull(
  'The `ETag` of the HTML that was live when the work began, as it was sent; null: it was not sent.',
  EXAMPLE_ETAG,
);
/** The text of a draft in an answer. */
export const draftText = textField('The text as it was sent.', exampleHtml);
export const updatedAt = time.meta({ description: 'When it was last stored.' });
const Draft = answerObject('Draft', {
  html: draftText,
  etag: etagField,
  updated_at: updatedAt,
});
const SavedDraft = answerObject('SavedDraft', { etag: etagField, updated_at: updatedAt });
const DeletedDraft = answerObject('DraftDeleted', { message: z.literal('Draft deleted'), id: deploymentId });

const noSuchDraft = missing(
  'NoSuchDraft',
  'or you have no draft of it',
  'No draft: {PUT /deploy/:id/draft} stores one.',
);

const draftLimit = errorKind(
  {
    id: 'DraftLimit',
    description: `The person has drafts of ${SIZES.draft.maxFiles} other files of the {deployment} already.`,
  },
  () =>
    new HttpError(
      409,
      `You have drafts of ${SIZES.draft.maxFiles} files of this {deployment}: publish or delete one of them first.`,
    ),
);

const FileQuery = z.object({
  file: z
    .string('file is not a path: send one such as about.html, once, or leave it out.')
    .default(INDEX)
    .meta({ description: 'The path of the file; left out: the page itself, `index.html`.', example: 'about.html' }),
});

/** Throws 400 for a text that is no path of a file. */
const draftOf = (owner: Owner, { id }: Pick<Deployment, 'id'>, { file }: z.infer<typeof FileQuery>): DraftOf => ({
  ...{ deploymentId: id, ownerId: owner.id, guestId: owner.guest?.id, path: checkedPath(file) },
});

function draftBody({ config }: Settings) {
  const { example, maxBytes } = pageBody(config);
  const etag = z
    .string('etag is not a string: send the ETag of the live HTML, or leave it out.')
    .max(MAX_ETAG_CHARS, `etag is too long: send at most ${MAX_ETAG_CHARS} characters.`)
    .regex(/^[\x20-\x7e]*$/, 'etag has a character that no ETag has: send it as it was received.')
    .meta({ description: 'The `ETag` of the HTML that is live when the work begins. It is stored, and not compared.' })
    .optional();
  return { schema: z.object({ html: draftHtml(config), etag }), example: { ...example, etag: EXAMPLE_ETAG }, maxBytes };
}

const saveOperation = operation('PUT', PATH, 'saveDraft', {
  scope: 'publish',
  guests: 'editor',
  noAudit: 'Nobody but its author sees it; publishing it has an entry.',
  noCommand: FOR_EDITOR,
  summary: 'Store a draft of a page',
  description:
    'HTML that is not published, or the text of another file of the {deployment}, which need not be there yet. Each person has one draft of a ' +
    'file: the owner, with every key and session, and each guest. It replaces the draft before, with `If-Match` only the one that the client ' +
    'has read. It may be empty. Publishing leaves it; it goes with the page, and with the guest.',
  requestHeaders: storeConditions(PATH),
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: FileQuery,
  body: draftBody,
  answer: { description: 'The draft is stored.', headers: ETAG_HEADER, schema: SavedDraft },
  errors: [storageFull, draftLimit, changedMeanwhile],
  async handle({ owner, resource, query, headers, setHeaders, body: { html, etag = null } }, { db, config, pages }) {
    const draft = { html: Buffer.from(html), etag, tags: storableTags(headers) };
    const of = draftOf(owner, resource, query);
    if ((await countOtherDrafts(db, of)) >= SIZES.draft.maxFiles) throw draftLimit();
    const saved = await pages.limitWrites(() => saveDraft(db, of, draft, config.storageLimits));
    if (saved === 'changed') throw changedMeanwhile(PATH);
    const at = foundOr404(saved);
    setHeaders({ ETag: draftTag(draft) });
    return { etag, updated_at: at.toISOString() };
  },
});

const getOperation = operation('GET', PATH, 'getDraft', {
  scope: 'any',
  guests: 'editor',
  noCommand: FOR_EDITOR,
  summary: 'Get your draft of a page',
  query: FileQuery,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifNoneMatch,
  answer: { description: 'The draft.', headers: ETAG_HEADER, schema: Draft },
  otherAnswers: { 304: notModified },
  errors: [noSuchDraft],
  async handle({ owner, resource, query, setHeaders }, { db }) {
    const draft = foundOr404(await findDraft(db, draftOf(owner, resource, query)), noSuchDraft);
    setHeaders({ ETag: draftTag(draft) });
    return { html: draft.html.toString(), etag: draft.etag, updated_at: draft.updatedAt.toISOString() };
  },
});

const deleteOperation = operation('DELETE', PATH, 'deleteDraft', {
  scope: 'publish',
  guests: 'editor',
  noAudit: 'Nobody but its author sees it.',
  noCommand: FOR_EDITOR,
  summary: 'Delete your draft of a page',
  query: FileQuery,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifMatch(PATH),
  answer: { description: 'The draft is gone.', schema: DeletedDraft },
  errors: [noSuchDraft, changedMeanwhile],
  async handle({ owner, resource, query, headers }, { db }) {
    const deleted = await deleteDraft(db, draftOf(owner, resource, query), wantedTags(headers['If-Match']));
    if (deleted === 'changed') throw changedMeanwhile(PATH);
    if (!deleted) throw noSuchDraft();
    return { message: 'Draft deleted' as const, id: resource.id };
  },
});

/** What a person works on and has not published. */
export const draftOperations = [saveOperation, getOperation, deleteOperation];
