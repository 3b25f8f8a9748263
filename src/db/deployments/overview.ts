import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { queryPage } from '../postgres/query.ts';
import { recentHoneypots } from '../spam/honeypot-hits.ts';
import { IS_KEPT } from '../spam/spam-submissions.ts';
import { unreadCount } from '../submissions/submission-marks.ts';
import { liveDeployments, livePage } from './live-deployments.ts';

/** A live deployment with what its owner wants to see at a glance. `start`: the beginning of its page. */
export type OverviewRow = {
  id: string;
  slug: string;
  submissionCount: number;
  unread: number;
  spam: number;
  honeypots: number;
  lastSubmissionAt: Date | null;
  emailNotifications: boolean;
  failingWebhooks: number;
  takenDownAt: Date | null;
  updatedAt: Date;
  start: Buffer;
};

type Row = {
  id: string;
  slug: string;
  submission_count: number;
  unread: number;
  spam_count: number;
  honeypots: number;
  last_submission_at: Date | null;
  email_notifications: boolean;
  failing_webhooks: number;
  taken_down_at: Date | null;
  updated_at: Date;
  start: Buffer;
};

const toOverviewRow = (row: Row): OverviewRow => ({
  id: row.id,
  slug: row.slug,
  submissionCount: row.submission_count,
  unread: row.unread,
  spam: row.spam_count,
  honeypots: Number(row.honeypots),
  lastSubmissionAt: row.last_submission_at,
  emailNotifications: row.email_notifications,
  failingWebhooks: row.failing_webhooks,
  takenDownAt: row.taken_down_at,
  updatedAt: row.updated_at,
  start: row.start,
});

/** A page of an owner's live deployments, newest first, and how many there are in all. */
export async function listOverview(
  db: Knex,
  ownerId: number,
  paging: { page: number; limit: number },
): Promise<{ deployments: OverviewRow[]; total: number }> {
  const { total, rows } = await queryPage<Row>(
    db,
    'list-overview',
    {
      total: `SELECT ${liveDeployments(':ownerId')} AS total OFFSET 0`,
      rows: `
         SELECT id, slug, submission_count, email_notifications, taken_down_at, updated_at,
                substring(html FROM 1 FOR ${SIZES.internal.titleStartBytes}) AS start,
                ${unreadCount('on_page.id')} AS unread,
                (SELECT count(*) FROM spam_submissions WHERE deployment_id = on_page.id AND ${IS_KEPT}) AS spam_count,
                ${recentHoneypots('on_page.id')} AS honeypots,
                (SELECT created_at FROM submissions
                  WHERE deployment_id = on_page.id ORDER BY number DESC LIMIT 1) AS last_submission_at,
                (SELECT count(*) FROM webhooks
                  WHERE deployment_id = on_page.id AND failing_since IS NOT NULL) AS failing_webhooks
           FROM ${livePage('*')} AS on_page JOIN pages ON pages.deployment_id = on_page.id
          ORDER BY id DESC`,
    },
    { ownerId },
    paging,
  );
  return { total, deployments: rows.map(toOverviewRow) };
}
