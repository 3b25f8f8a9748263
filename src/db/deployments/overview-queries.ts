import type { Knex } from 'knex';
import type { Role } from '../account/guest-queries.ts';
import { type ListPage, type Paging, query, queryPage } from '../postgres/query.ts';
import { folderOf } from '../spam/spam-queries.ts';
import { recentCount } from '../submissions/daily-count-queries.ts';
import { PLACES_TAKEN } from '../submissions/place-counts.ts';
import { unreadCount } from '../submissions/submission-mark-queries.ts';
import { hasDraft } from './drafts/draft-queries.ts';
import { formerSlugsOf } from './former-slug-queries.ts';
import { IS_REACHED, REACHED_DEPLOYMENTS, type Reach, reachOf } from './live-deployment-queries.ts';

/** What visitors find at a form. */
export const FORM_STATES = ['open', 'not-open', 'closed', 'full'] as const;
type FormState = (typeof FORM_STATES)[number];

const STATE = `CASE WHEN closes_at <= statement_timestamp() THEN 'closed'
              WHEN opens_at > statement_timestamp() THEN 'not-open'
              WHEN ${PLACES_TAKEN} >= max_submissions THEN 'full'
              ELSE 'open' END`;

/** A live deployment with what its owner wants to see at a glance. */
export type OverviewRow = {
  id: string;
  slug: string;
  /** The slugs that it had not long ago, whose addresses lead to it. */
  formerSlugs: string[];
  submissionCount: number;
  unread: number;
  spam: number;
  honeypots: number;
  turnedAway: number;
  lastSubmissionAt: Date | null;
  emailNotifications: boolean;
  failingWebhooks: number;
  isTakenDown: boolean;
  takeDownReason: string | null;
  updatedAt: Date;
  /** True if who looks at it has a draft of it. */
  draft: boolean;
  title: string | null;
  state: FormState;
  placesTaken: number;
  /** null: there is no limit. */
  placesOf: number | null;
  /** Of the guest who looks at the page of another owner; null on one's own. */
  role: Role | null;
  guestId: string | null;
};

/** The titles of the pages of deployments, by their ids. */
export async function findTitles(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const rows = await query<{ id: string; title: string | null }>(
    db,
    'find-titles',
    'SELECT deployment_id AS id, title FROM pages WHERE deployment_id = ANY (CAST(? AS text[]))',
    [[...ids]],
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** In SQL, what there is to see of some deployments. `deployments`: a SELECT of them. */
const overviewOf = (deployments: string): string => `
  SELECT id, slug, ${formerSlugsOf('on_page.id')} AS "formerSlugs", submission_count AS "submissionCount", email_notifications AS "emailNotifications",
         taken_down_at IS NOT NULL AS "isTakenDown", take_down_reason AS "takeDownReason", updated_at AS "updatedAt",
         title, role, "guestId", ${hasDraft('on_page.id', '"guestId"')} AS draft, ${STATE} AS state, ${PLACES_TAKEN} AS "placesTaken", max_submissions AS "placesOf",
         ${unreadCount('on_page.id')} AS unread,
         (SELECT count(*) FROM ${folderOf('on_page.id')}) AS spam,
         ${recentCount('honeypot_hits', 'on_page.id')} AS honeypots,
         ${recentCount('turned_away', 'on_page.id')} AS "turnedAway",
         (SELECT created_at FROM submissions
           WHERE deployment_id = on_page.id ORDER BY number DESC LIMIT 1) AS "lastSubmissionAt",
         (SELECT count(*) FROM webhooks
           WHERE deployment_id = on_page.id AND failing_since IS NOT NULL) AS "failingWebhooks"
    FROM (${deployments}) AS on_page JOIN pages ON pages.deployment_id = on_page.id`;

const NO_GUEST = 'CAST(NULL AS text) AS role, CAST(NULL AS text) AS "guestId"';

/** In SQL, the live deployments that others share with :guest, an address; none where it is NULL. */
const SHARED = `guests JOIN deployments ON deployments.id = guests.deployment_id
         WHERE guests.email = CAST(:guest AS text) AND owner_id <> :ownerId AND deleted_at IS NULL AND NOT suspended`;

/** In SQL, as many of a list as there can be up to the end of its page. */
const UP_TO_PAGE = 'ORDER BY deployments.id DESC LIMIT CAST(:limit AS bigint) + CAST(:offset AS bigint)';

const REACHED = `
  SELECT * FROM (
    (SELECT deployments.*, ${NO_GUEST} FROM deployments
      WHERE owner_id = :ownerId AND deleted_at IS NULL AND ${IS_REACHED} ${UP_TO_PAGE})
     UNION ALL
    (SELECT deployments.*, role, guests.id FROM ${SHARED} ${UP_TO_PAGE})
  ) AS reached ORDER BY id DESC LIMIT :limit OFFSET :offset`;

/**
 * A page of an owner's live deployments and of those that are shared with `guest`, an address or null; newest first, and how many there
 * are in all.
 */
export const listOverview = (
  db: Knex,
  { guest, ...reach }: Reach & { guest: string | null },
  paging: Paging,
): Promise<ListPage<OverviewRow>> =>
  queryPage(
    db,
    'list-overview',
    {
      total: `SELECT ${REACHED_DEPLOYMENTS} + (SELECT count(*) FROM ${SHARED}) AS total`,
      rows: `${overviewOf(REACHED)} ORDER BY id DESC`,
    },
    { ...reachOf(reach), guest },
    paging,
  );

/** One live deployment of an owner. `guestId`: of the guest who looks at it; null: it is the owner. */
export const findOverview = async (
  db: Knex,
  ownerId: number,
  { id, guestId }: { id: string; guestId: string | null },
): Promise<OverviewRow | undefined> =>
  (
    await query<OverviewRow>(
      db,
      'find-overview',
      overviewOf(
        `SELECT *, CAST(NULL AS text) AS role, CAST(:guestId AS text) AS "guestId" FROM deployments WHERE id = :id AND owner_id = :ownerId AND deleted_at IS NULL`,
      ),
      { ownerId, id, guestId },
    )
  )[0];
