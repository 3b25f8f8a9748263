import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import { type DraftOf, deleteDraft, findDraft, saveDraft } from '../../../db/deployments/draft-queries.ts';
import type { Settings } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { answerObject, deploymentId, textField, textOrNull, time } from '../../request/shared-fields.ts';
import { storageFull } from '../../response/errors.ts';
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

const draftOf = (owner: Owner, { id }: Pick<Deployment, 'id'>): DraftOf => ({
  ...{ deploymentId: id, ownerId: owner.id, guestId: owner.guest?.id },
});

function draftBody({ config }: Settings) {
  const { schema, example, maxBytes } = pageBody(config);
  const etag = z
    .string('etag is not a string: send the ETag of the live HTML, or leave it out.')
    .max(MAX_ETAG_CHARS, `etag is too long: send at most ${MAX_ETAG_CHARS} characters.`)
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
    'HTML that is not published. Each person has one draft of a page: its owner, with every key and session, and each guest. It replaces ' +
    'the draft before. Publishing leaves it; it goes with the page, and with the guest.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  body: draftBody,
  answer: { description: 'The draft is stored.', schema: SavedDraft },
  errors: [storageFull],
  async handle({ owner, resource, body: { html, etag = null } }, { db, config, pages }) {
    const draft = { html: Buffer.from(html), etag };
    const saved = await pages.limitWrites(() => saveDraft(db, draftOf(owner, resource), draft, config.storageLimits));
    return { etag, updated_at: foundOr404(saved).toISOString() };
  },
});

const getOperation = operation('GET', '/deploy/:id/draft', 'getDraft', {
  scope: 'any',
  guests: 'editor',
  noCommand: FOR_EDITOR,
  summary: 'Get your draft of a page',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The draft.', schema: Draft },
  errors: [noSuchDraft],
  async handle({ owner, resource }, { db }) {
    const { html, etag, updatedAt: at } = foundOr404(await findDraft(db, draftOf(owner, resource)), noSuchDraft);
    return { html: html.toString(), etag, updated_at: at.toISOString() };
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id/draft', 'deleteDraft', {
  scope: 'publish',
  guests: 'editor',
  noAudit: 'Nobody but its author sees it.',
  noCommand: FOR_EDITOR,
  summary: 'Delete your draft of a page',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The draft is gone.', schema: DeletedDraft },
  errors: [noSuchDraft],
  async handle({ owner, resource }, { db }) {
    if (!(await deleteDraft(db, draftOf(owner, resource)))) throw noSuchDraft();
    return { message: 'Draft deleted' as const, id: resource.id };
  },
});

/** What a person works on and has not published. */
export const draftOperations = [saveOperation, getOperation, deleteOperation];
