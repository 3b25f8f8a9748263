import { z } from 'zod';
import { type Config, pageUrl, submitUrl } from '../../../config.ts';
import { ROLES } from '../../../db/account/guest-queries.ts';
import { FORM_STATES, findOverview, listOverview, type OverviewRow } from '../../../db/deployments/overview-queries.ts';
import { HONEYPOT } from '../../../forms/control-fields.ts';
import { SIZES } from '../../../sizes.ts';
import { mayBeGuest } from '../../operation/guests.ts';
import { operation } from '../../operation/operation.ts';
import { Paging, paged } from '../../request/paging.ts';
import {
  answerObject,
  countField,
  deploymentId,
  flagField,
  guestId,
  textOrNull,
  time,
  uriField,
} from '../../request/shared-fields.ts';
import { toWire } from '../../response/to-wire.ts';
import { ownSlug, submissionCount, urlField } from './deployment-endpoints.ts';
import { foundOr404 } from './own-deployment.ts';

export const titleField = textOrNull("The page's title; null without one.", 'Spring sale');

const Overviewed = answerObject('OverviewedDeployment', {
  id: deploymentId,
  slug: ownSlug,
  former_slugs: z.array(z.string()).meta({
    description: `The slugs that it had in the last ${SIZES.formerSlug.keptDays} days, whose addresses lead to it.`,
    example: ['spring-fair'],
  }),
  url: urlField,
  title: titleField,
  form_action: uriField(
    'The address to which its forms post.',
    'https://forms.example.org/submit/d_0VbbZBZKKTcBD17YQfyDgVGm',
  ),
  submission_count: submissionCount,
  state: z.enum(FORM_STATES).meta({
    description:
      'Whether its form accepts submissions: `open`; `not-open`: it opens later, at `opens_at`; `closed`: it has closed, at `closes_at`; ' +
      '`full`: `max_submissions` leaves no place.',
    example: 'open',
  }),
  places: z
    .object({
      taken: countField('How many places are taken.', 2),
      of: countField('`max_submissions`.', 40),
    })
    .nullable()
    .meta({ description: 'The places of its form; null without `max_submissions`.' }),
  unread: countField('How many of them are not marked as read.', 1),
  spam: countField('How many submissions are kept apart as spam.', 0),
  honeypots: countField(
    `How often its honeypot (\`${HONEYPOT}\`) was filled in during the last seven days of UTC, which stores nothing. It comes up to a minute later.`,
    0,
  ),
  turned_away: countField(
    'About how often its form refused a submission with a 429 during the last seven days of UTC. It comes up to a minute later, and a ' +
      'process that crashes loses its last minute. `submissions_per_minute` is the limit.',
    0,
  ),
  last_submission_at: time.nullable().meta({ description: 'When the last one was accepted; null without one.' }),
  email_notifications: flagField('Whether there is mail about submissions.', false),
  failing_webhooks: countField('How many of its webhooks have failed since they last succeeded.', 0),
  taken_down: flagField('Whether the operator has taken the page down.', false),
  take_down_reason: textOrNull('Why, in the words of the operator; null for a page that is up.', 'phishing'),
  updated_at: time.meta({ description: 'When its HTML or its settings were last changed.' }),
  draft: flagField('Whether you have a draft of it, which is not published.', false),
  role: z
    .enum(ROLES)
    .optional()
    .meta({ description: 'Your role, if another owner shares it with you; otherwise left out.', example: 'reader' }),
  guest_id: guestId.optional().meta({
    description: 'Your id as its guest, with which you may remove yourself.',
    example: 'gst_0VbbZC1mQ4nRr8sTtUvWxYzA',
  }),
});
const Overview = answerObject('Overview', { deployments: z.array(Overviewed), ...paged });

const toOverviewed = ({ role, guestId: ownGuestId, ...one }: OverviewRow, config: Config) =>
  toWire(Overviewed, {
    ...one,
    role: role ?? undefined,
    guestId: ownGuestId ?? undefined,
    url: pageUrl(config, one.slug),
    formAction: submitUrl(config) + one.id,
    takenDown: one.isTakenDown,
    places: one.placesOf === null ? null : { taken: one.placesTaken, of: one.placesOf },
  });

const listOperation = operation('GET', '/overview', 'getOverview', {
  tool: {
    name: 'overview',
    description: 'Of all pages: unread submissions, spam, failing webhooks, and whether forms are open.',
    isBounded: true,
  },
  command: {
    usage: 'overview',
    table: {
      columns: ['ID', 'SLUG', 'SUBMISSIONS', 'UNREAD', 'SPAM', 'FAILING WEBHOOKS', 'LAST SUBMISSION', 'STATE', 'TITLE'],
      rows: ({ deployments }) =>
        deployments.map((page) => [
          ...[page.id, page.slug, page.submission_count, page.unread, page.spam, page.failing_webhooks],
          ...[page.last_submission_at, page.taken_down ? 'taken down' : 'live', page.title],
        ]),
    },
  },
  scope: 'any',
  summary: 'See your {deployment}s at a glance',
  description:
    'Newest first, without deleted ones. A session also sees those that others share with its address, with `role`.',
  query: Paging,
  answer: { description: 'A page of deployments.', schema: Overview },
  async handle({ owner, query: paging }, { db, config }) {
    const { rows: deployments, total } = await listOverview(
      db,
      { ...owner, guest: mayBeGuest(owner) ? owner.email : null },
      paging,
    );
    return { deployments: deployments.map((one) => toOverviewed(one, config)), total, ...paging };
  },
});

const getOperation = operation('GET', '/overview/:id', 'getDeploymentOverview', {
  guests: 'reader',
  command: { usage: 'page show <id>', text: 'Show the state of a page' },
  scope: 'any',
  summary: 'See one {deployment} at a glance',
  find: async (owner, { id }, { db }) =>
    foundOr404(await findOverview(db, owner.id, { id, guestId: owner.guest?.id ?? null })),
  answer: { description: 'The deployment.', schema: Overviewed },
  handle: async ({ owner: { guest }, resource }, { config }) =>
    toOverviewed(guest ? { ...resource, role: guest.role } : resource, config),
});

/** The pages of an owner at a glance. */
export const overviewOperations = [listOperation, getOperation];
