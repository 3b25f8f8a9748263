import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import {
  countOtherDrafts,
  type DraftOf,
  deleteDraft,
  findDraft,
  saveDraft,
} from '../../../db/deployments/draft-queries.ts';
import { checkedPath } from '../../../sites/sent-files.ts';
import { INDEX } from '../../../sites/site-paths.ts';
import { SIZES } from '../../../sizes.ts';
import type { Settings } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { answerObject, deploymentId, textField, textOrNull, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError, storageFull } from '../../response/errors.ts';
import { foundOr404, missing, ownDeployment } from './own-deployment.ts';
import { exampleHtml, pageBody } from './page-html.ts';

/** ETags of this service have fewer characters. */
const MAX_ETAG_CHARS = 100;
const EXAMPLE_ETAG = '"5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"';

const FOR_EDITOR = 'The editor of the dashboard keeps what is not published.';

const etagField = textOrNull(
  'The `ETag` of the HTML that was live when the work began, as it was sent; null: it was not sent.',
  EXAMPLE_ETAG,
);
const updatedAt = time.meta({ description: 'When it was last stored.' });
const Draft = answerObject('Draft', {
  html: textField('The page as it was sent.', exampleHtml),
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
  const { schema, example, maxBytes } = pageBody(config);
  const etag = z
    .string('etag is not a string: send the ETag of the live HTML, or leave it out.')
    .max(MAX_ETAG_CHARS, `etag is too long: send at most ${MAX_ETAG_CHARS} characters.`)
    .regex(/^[\x20-\x7e]*$/, 'etag has a character that no ETag has: send it as it was received.')
    .meta({ description: 'The `ETag` of the HTML that is live when the work begins. It is stored, and not compared.' })
    .optional();
  return { schema: schema.extend({ etag }), example: { ...example, etag: EXAMPLE_ETAG }, maxBytes };
}

const saveOperation = operation('PUT', '/deploy/:id/draft', 'saveDraft', {
  scope: 'publish',
  guests: 'editor',
  noAudit: 'Nobody but its author sees it; publishing it has an entry.',
  noCommand: FOR_EDITOR,
  summary: 'Store a draft of a page',
  description:
    'HTML that is not published, or the text of another file of the {deployment}, which need not be there yet. Each person has one draft of a ' +
    'file: the owner, with every key and session, and each guest. It replaces the draft before. Publishing leaves it; it goes with the ' +
    'page, and with the guest.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: FileQuery,
  body: draftBody,
  answer: { description: 'The draft is stored.', schema: SavedDraft },
  errors: [storageFull, draftLimit],
  async handle({ owner, resource, query, body: { html, etag = null } }, { db, config, pages }) {
    const draft = { html: Buffer.from(html), etag };
    const of = draftOf(owner, resource, query);
    if ((await countOtherDrafts(db, of)) >= SIZES.draft.maxFiles) throw draftLimit();
    const saved = await pages.limitWrites(() => saveDraft(db, of, draft, config.storageLimits));
    return { etag, updated_at: foundOr404(saved).toISOString() };
  },
});

const getOperation = operation('GET', '/deploy/:id/draft', 'getDraft', {
  scope: 'any',
  guests: 'editor',
  noCommand: FOR_EDITOR,
  summary: 'Get your draft of a page',
  query: FileQuery,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The draft.', schema: Draft },
  errors: [noSuchDraft],
  async handle({ owner, resource, query }, { db }) {
    const { html, etag, updatedAt: at } = foundOr404(await findDraft(db, draftOf(owner, resource, query)), noSuchDraft);
    return { html: html.toString(), etag, updated_at: at.toISOString() };
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id/draft', 'deleteDraft', {
  scope: 'publish',
  guests: 'editor',
  noAudit: 'Nobody but its author sees it.',
  noCommand: FOR_EDITOR,
  summary: 'Delete your draft of a page',
  query: FileQuery,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The draft is gone.', schema: DeletedDraft },
  errors: [noSuchDraft],
  async handle({ owner, resource, query }, { db }) {
    if (!(await deleteDraft(db, draftOf(owner, resource, query)))) throw noSuchDraft();
    return { message: 'Draft deleted' as const, id: resource.id };
  },
});

/** What a person works on and has not published. */
export const draftOperations = [saveOperation, getOperation, deleteOperation];
