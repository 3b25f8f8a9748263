import { z } from 'zod';
import { type Config, pageUrl, submitUrl } from '../../../config.ts';
import { listOverview, type OverviewRow } from '../../../db/deployments/overview.ts';
import { HONEYPOT } from '../../../lib/control-fields.ts';
import { titleOf } from '../../../lib/slugs.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { deploymentId, time } from '../../request/fields.ts';
import { examplePage, Paging, paged } from '../../request/paging.ts';
import { exampleDeployed, ownSlug, urlField } from './deployments.ts';

const count = (description: string) => z.int().min(0).meta({ description });

const Overviewed = z
  .strictObject({
    id: deploymentId,
    slug: ownSlug,
    url: urlField,
    title: z.string().nullable().meta({ description: "The page's title; null without one." }),
    form_action: z.string().meta({ format: 'uri', description: 'The address to which its forms post.' }),
    submission_count: count('How many submissions it has.'),
    unread: count('How many of them are not marked as read.'),
    spam: count('How many submissions are kept apart as spam.'),
    honeypots: count(
      `How often its honeypot (\`${HONEYPOT}\`) was filled in during the last seven days of UTC, which stores nothing. It comes up to a minute later.`,
    ),
    last_submission_at: time.nullable().meta({ description: 'When the last one was accepted; null without one.' }),
    email_notifications: z.boolean().meta({ description: 'Whether there is mail about submissions.' }),
    failing_webhooks: count('How many of its webhooks have failed since they last succeeded.'),
    taken_down: z.boolean().meta({ description: 'Whether the operator has taken the page down.' }),
    updated_at: time.meta({ description: 'When its HTML or its settings were last changed.' }),
  })
  .meta({ id: 'OverviewedDeployment' });
const Overview = z.strictObject({ deployments: z.array(Overviewed), ...paged }).meta({ id: 'Overview' });

/** The title of a page as a browser shows it; null without one. `start`: the beginning of its HTML. */
async function shownTitle(start: Buffer): Promise<string | null> {
  // Loaded on demand, because of its table of all names.
  const { decodeHTML } = await import('entities');
  const title = decodeHTML(titleOf(start.toString())).replaceAll(/\s+/g, ' ').trim();
  return title === '' ? null : title;
}

const example: z.infer<typeof Overviewed> = {
  ...exampleDeployed,
  title: 'Spring sale',
  form_action: `https://forms.example.org/submit/${exampleDeployed.id}`,
  submission_count: 3,
  unread: 1,
  spam: 0,
  honeypots: 0,
  last_submission_at: '2026-11-21T12:30:00.000Z',
  email_notifications: false,
  failing_webhooks: 0,
  taken_down: false,
  updated_at: '2026-11-21T11:08:48.298Z',
};

const toOverviewed = async (one: OverviewRow, config: Config): Promise<z.infer<typeof Overviewed>> => ({
  id: one.id,
  slug: one.slug,
  url: pageUrl(config, one.slug),
  title: await shownTitle(one.start),
  form_action: submitUrl(config) + one.id,
  submission_count: one.submissionCount,
  unread: one.unread,
  spam: one.spam,
  honeypots: one.honeypots,
  last_submission_at: one.lastSubmissionAt?.toISOString() ?? null,
  email_notifications: one.emailNotifications,
  failing_webhooks: one.failingWebhooks,
  taken_down: one.isTakenDown,
  updated_at: one.updatedAt.toISOString(),
});

/** All pages of an owner at a glance. */
export const overviewEndpoint = ({ db, config }: App) =>
  endpoint({
    method: 'GET',
    path: '/overview',
    name: 'getOverview',
    tag: 'Deployments',
    summary: 'See your deployments at a glance',
    description: 'Newest first, without deleted ones.',
    query: Paging,
    answer: {
      status: 200,
      description: 'A page of deployments.',
      schema: Overview,
      example: { deployments: [example], ...examplePage },
    },
    async handle({ owner, query: paging }) {
      const { rows: deployments, total } = await listOverview(db, owner.id, paging);
      const shown = await Promise.all(deployments.map((one) => toOverviewed(one, config)));
      return { deployments: shown, total, ...paging };
    },
  });
