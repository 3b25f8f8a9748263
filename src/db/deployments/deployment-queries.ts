import type { Knex } from 'knex';
import { type PageLook, shownLook } from '../../sites/page-look.ts';
import { audited, record } from '../account/audit-queries.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import { hasReceivingRecipient } from '../deliveries/mail-recipient-queries.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { HAS_ALTCHA } from '../submissions/form-queries.ts';
import { claimSlug } from './former-slug-queries.ts';
import {
  liveDeployments,
  livePage,
  REACHED_DEPLOYMENTS,
  type Reach,
  reachOf,
  TITLE,
} from './live-deployment-queries.ts';
import { keepRules } from './page-form-queries.ts';
import {
  type Additions,
  addVersion,
  ContentsRemoved,
  LOOK,
  lockPage,
  type NewPage,
  type PageChange,
  pageColumns,
  RENDERED_FOR,
  type Rendering,
  startVersion,
} from './page-version-queries.ts';
import type { SettingColumns } from './setting-columns.ts';
import { byPath, lockContents, type SiteFile, toColumn } from './site-file-queries.ts';

export type Deployment = {
  id: string;
  slug: string;
  submissionCount: number;
  /** The number that was accepted last, even if it has been deleted; 0: none. */
  lastSubmissionNumber: number;
  /** No submission has a lower number: 1, or below where earlier submissions were imported. */
  firstSubmissionNumber: number;
  createdAt: Date;
  updatedAt: Date;
  /** When the operator took its page down; null: the page is up. */
  takenDownAt: Date | null;
};

/** Times in milliseconds since 1970; null: there is no such bound. `hasPlaces`: so many submissions, and no more. */
export type Opening = { opensAt: number | null; closesAt: number | null; hasPlaces: boolean };

/**
 * A live page, without its content, and what its settings add to its forms. Each change is another version. `files`: of a site,
 * besides its index.html.
 */
export type PageHead = Additions & {
  deploymentId: string;
  version: number;
  ownerId: number;
  look: PageLook;
  /** When its form is open, if the page itself says that it is not. */
  opening: Opening | undefined;
  /** When it goes offline, in milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** True if search engines are told to leave it out. */
  isUnlisted: boolean;
  files: readonly SiteFile[] | undefined;
};

export type Page = PageHead & { html: Buffer };

/**
 * A live page as visitors get it, or its HTML where that has not been rendered, or has other addresses in its forms. Neither
 * where it was too large to be read.
 */
export type StoredPage = (PageHead & { rendered: Rendering }) | Page | PageHead;

/** A row of deployments, with its settings as the API has them. */
export type DeploymentRow = SettingColumns<'deployments'> & {
  id: string;
  owner_id: number;
  slug: string;
  mail_failures: number;
  mail_switched_off_at: Date | null;
  submission_count: number;
  last_submission_number: number;
  first_submission_number: number;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  taken_down_at: Date | null;
};

const COLUMNS = [
  'id',
  'slug',
  'submission_count',
  'last_submission_number',
  'first_submission_number',
  'created_at',
  'updated_at',
  'taken_down_at',
] as const;
type ShownRow = Pick<DeploymentRow, (typeof COLUMNS)[number]>;

export const toDeployment = (row: ShownRow): Deployment => ({
  id: row.id,
  slug: row.slug,
  submissionCount: row.submission_count,
  lastSubmissionNumber: row.last_submission_number,
  firstSubmissionNumber: row.first_submission_number,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  takenDownAt: row.taken_down_at,
});

/** A live deployment of this owner. */
export async function findDeployment(db: Knex, ownerId: number, id: string): Promise<Deployment | undefined> {
  const row = await db<DeploymentRow>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .first(...COLUMNS);
  return row && toDeployment(row);
}

/** The ids of the live deployments of this owner by their names, which are ids or slugs; names of none are left out. */
export async function findLiveIds(
  db: Knex,
  ownerId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ name: string; id: string }>(
    db,
    'find-live-ids',
    `SELECT name, id FROM unnest(CAST(:names AS text[])) AS name
       JOIN deployments ON (id = name OR slug = name) AND owner_id = :ownerId AND deleted_at IS NULL`,
    { ownerId, names: [...names] },
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** The id of the deployment of this owner that has a slug: the live one, else the one that had it before, else the one that was deleted last. */
export async function findIdBySlug(db: Knex, ownerId: number, slug: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    db,
    'find-id-by-slug',
    // In parts, each with an index of its own.
    `SELECT id FROM (
       SELECT id, 1 AS rank FROM deployments WHERE slug = :slug AND owner_id = :ownerId AND deleted_at IS NULL
        UNION ALL
       SELECT deployment_id, 2 FROM former_slugs JOIN deployments ON id = deployment_id
        WHERE former_slugs.slug = :slug AND owner_id = :ownerId AND until > now()
        UNION ALL (
       SELECT id, 3 FROM deployments WHERE slug = :slug AND owner_id = :ownerId AND deleted_at IS NOT NULL
        ORDER BY deleted_at DESC LIMIT 1)) AS found
      ORDER BY rank LIMIT 1`,
    { slug, ownerId },
  );
  return row?.id;
}

/** A page of an owner's live deployments, newest first, and how many there are in all. */
export async function listDeployments(db: Knex, reach: Reach, paging: Paging): Promise<ListPage<Deployment>> {
  const lists = { total: `SELECT ${REACHED_DEPLOYMENTS} AS total`, rows: livePage(COLUMNS.join(', ')) };
  const { total, rows } = await queryPage<ShownRow>(db, 'list-deployments', lists, reachOf(reach), paging);
  return { total, rows: rows.map(toDeployment) };
}

/** The HTML of a live deployment of this owner, the UTF-8 that was given. */
export async function findHtml(db: Knex, ownerId: number, id: string): Promise<Buffer | undefined> {
  const [row] = await query<{ html: Buffer }>(
    db,
    'find-html',
    `SELECT html FROM pages JOIN deployments ON deployments.id = deployment_id
      WHERE deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, ownerId],
  );
  return row?.html;
}

/** Returns the number of live deployments of an owner. */
export async function countLive(db: Knex, ownerId: number): Promise<number> {
  const { live } = await queryOne<{ live: number }>(
    db,
    'count-live-deployments',
    `SELECT ${liveDeployments(':ownerId')} AS live`,
    { ownerId },
  );
  return live;
}

/** `limit`: how many live deployments the owner may have. `slugs`: the first that no live deployment has, or had not long ago, becomes its slug. */
type NewDeployment = {
  id: string;
  ownerId: number;
  limit: number;
  storageLimits: StorageLimits;
  slugs: readonly string[];
  page: NewPage;
  /** Besides index.html; their contents are stored. */
  files: readonly SiteFile[];
};

/** Makes a deployment. Throws StorageFull, and ContentsRemoved. */
export async function createDeployment(
  db: Knex,
  { id, ownerId, limit, storageLimits, slugs, page, files }: NewDeployment,
): Promise<Deployment | 'limit-reached' | 'slug-taken'> {
  await checkStorage(db, { ownerId }, page.html.length, storageLimits);
  return db.transaction(async (transaction) => {
    if (limit !== Number.POSITIVE_INFINITY) {
      // The lock lets one creation of this owner in at a time, so that the count is still true when the row is inserted.
      await execute(transaction, 'lock-owner', 'SELECT FROM owners WHERE id = ? FOR UPDATE', [ownerId]);
      if ((await countLive(transaction, ownerId)) >= limit) return 'limit-reached';
    }
    for (const slug of slugs) {
      const [row] = await transaction<DeploymentRow>('deployments')
        .insert({ id, owner_id: ownerId, slug })
        .onConflict(transaction.raw('(slug) WHERE deleted_at IS NULL'))
        .ignore()
        .returning([...COLUMNS]);
      if (!row) continue;
      if (!(await claimSlug(transaction, id, slug))) {
        await transaction('deployments').where({ id }).delete();
        continue;
      }
      if (files.length > 0 && !(await lockContents(transaction, ownerId, files))) throw new ContentsRemoved();
      const columns = { ...pageColumns(page, files, 1), files: toColumn(byPath(files)) };
      await transaction('pages').insert({ deployment_id: id, created_at: row.created_at, ...columns });
      if (columns.tells_forms_apart) await keepRules(transaction, id);
      await settleStorage(transaction, { ownerId }, storageLimits);
      await record(transaction, { target: id, deploymentId: id });
      return toDeployment(row);
    }
    return 'slug-taken';
  });
}

/**
 * Changes the page of a deployment known to be this owner's, if its HTML has one of the ETags `etags`, else 'changed';
 * undefined when it has been deleted. The last `pageVersions` are kept, the new one included. Throws StorageFull, and
 * ContentsRemoved.
 */
export async function changePage(
  db: Knex,
  ownerId: number,
  id: string,
  change: PageChange,
  { pageVersions, storageLimits }: { pageVersions: number; storageLimits: StorageLimits },
  etags?: readonly string[],
): Promise<Deployment | 'changed' | undefined> {
  const gone = new Error('The deployment has been deleted.');
  await checkStorage(db, { ownerId }, change.page?.html.length ?? 0, storageLimits);
  try {
    return await db.transaction(async (transaction) => {
      if (etags && !(await lockPage(transaction, id, etags))) return 'changed';
      // The page is slow, and comes first: submissions wait for the lock on the deployment's row.
      const outcome = await addVersion(transaction, { ownerId, deploymentId: id }, change, pageVersions);
      const deployment = await touch(transaction, ownerId, id, {});
      // A deleted deployment keeps the page that it had.
      if (!deployment) throw gone;
      if (outcome === 'added') await startVersion(transaction, id);
      if (outcome === 'added') await settleStorage(transaction, { ownerId }, storageLimits);
      await record(transaction, { target: id, deploymentId: id });
      return deployment;
    });
  } catch (error) {
    if (error === gone) return undefined;
    throw error;
  }
}

/** What a page is called: by its slug where it has no title. */
export type NamedPage = { slug: string; title: string | null };

/** The live deployment with this id, of any owner. Its page may have been taken down. */
export async function findLinkedPage(db: Knex, id: string): Promise<NamedPage | undefined> {
  const sql = `SELECT slug, ${TITLE} FROM deployments WHERE id = ? AND deleted_at IS NULL`;
  return (await query<NamedPage>(db, 'find-linked-page', sql, [id]))[0];
}

/**
 * Switches the owner's mail about a deployment off, of any owner; its page, or undefined when it is not live. Recipients that get the mail
 * go on getting it.
 */
export async function unsubscribe(db: Knex, id: string): Promise<NamedPage | undefined> {
  // The row is not written again, and waits for no submission, when mail is off already.
  const [row] = await query<NamedPage>(
    db,
    'unsubscribe',
    `WITH switched_off AS (
       UPDATE deployments SET email_notifications = has_others, notify_owner = notify_owner AND NOT has_others
         FROM (SELECT ${hasReceivingRecipient(':id')} AS has_others) AS others
        WHERE id = :id AND deleted_at IS NULL AND email_notifications AND (notify_owner OR NOT has_others)
     )
     SELECT slug, ${TITLE} FROM deployments WHERE id = :id AND deleted_at IS NULL`,
    { id },
  );
  return row;
}

/** Changes a live deployment of this owner, and its time of change. The row stays locked until the transaction ends. */
export async function touch(
  db: Knex,
  ownerId: number,
  id: string,
  changes: Partial<DeploymentRow>,
): Promise<Deployment | undefined> {
  const [row] = await db<DeploymentRow>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .update({ ...changes, updated_at: db.raw('clock_timestamp()') })
    .returning([...COLUMNS]);
  return row && toDeployment(row);
}

/**
 * Takes the page offline and frees its slug; its submissions stay. Its deliveries are deleted when they are claimed.
 */
export const deleteDeployment = (db: Knex, ownerId: number, id: string): Promise<Deployment | undefined> =>
  audited(
    db,
    async (connection) => {
      const [row] = await connection<DeploymentRow>('deployments')
        .where({ id, owner_id: ownerId, deleted_at: null })
        .update({ deleted_at: connection.raw('clock_timestamp()') })
        .returning([...COLUMNS]);
      return row && toDeployment(row);
    },
    (deleted) => deleted && { target: id, deploymentId: id },
  );

const MS = (column: string): string => `CAST(extract(epoch FROM ${column}) * 1000 AS float8)`;
/** In SQL, an `Opening` as JSON; NULL where the page says nothing of its form. */
const OPENING = `CASE WHEN closed_page THEN jsonb_build_object('opensAt', ${MS('opens_at')}, 'closesAt', ${MS('closes_at')},
              'hasPlaces', max_submissions IS NOT NULL) END`;

/**
 * The pages that are live under several slugs, rendered if they were with forms that post to `submitUrl`; 'taken-down' where
 * the operator has taken the page down, 'suspended' where its owner is. A body of more than `maxBytes` is left out.
 */
export async function findPages(
  db: Knex,
  slugs: readonly string[],
  { submitUrl, maxBytes }: { submitUrl: string; maxBytes: number },
): Promise<Map<string, StoredPage | 'taken-down' | 'suspended'>> {
  const rows = await query<
    Omit<Page, 'html' | 'files' | 'look' | 'opening'> &
      PageLook & {
        opening: Opening | null;
        files: SiteFile[] | null;
        slug: string;
        isTakenDown: boolean;
        isSuspended: boolean;
        hash: string;
        bytes: number;
        br: Buffer | null;
        html: Buffer | null;
      }
  >(
    db,
    'find-pages',
    `SELECT slug, pages.deployment_id AS "deploymentId", pages.version, owner_id AS "ownerId", files,
            is_taken_down AS "isTakenDown", suspended AS "isSuspended", has_altcha AS "hasAltcha", form_tools AS "hasFormTools", ${LOOK}, ${OPENING} AS opening, ${MS('expires_at')} AS "expiresAt",
            EXISTS (SELECT FROM anonymous_pages WHERE anonymous_pages.deployment_id = deployments.id) AS "isUnlisted", rendered_hash AS hash, rendered_bytes AS bytes,
            CASE WHEN is_rendered AND NOT is_taken_down AND octet_length(rendered_br) <= CAST(:maxBytes AS double precision) THEN rendered_br END AS br,
            CASE WHEN NOT is_rendered AND NOT is_taken_down AND octet_length(html) <= CAST(:maxBytes AS double precision) THEN html END AS html
       FROM deployments
       JOIN pages ON pages.deployment_id = deployments.id
       LEFT JOIN form_rules ON form_rules.deployment_id = deployments.id
      CROSS JOIN LATERAL (SELECT taken_down_at IS NOT NULL OR suspended AS is_taken_down, ${HAS_ALTCHA} AS has_altcha) AS state
      CROSS JOIN LATERAL (
              SELECT rendered_action IS NOT DISTINCT FROM ${RENDERED_FOR} AS is_rendered
            ) AS rendering
      WHERE deployments.slug = ANY (CAST(:slugs AS text[])) AND deployments.deleted_at IS NULL`,
    { slugs: [...slugs], submitUrl, maxBytes },
  );
  return new Map(
    rows.map(
      ({
        slug,
        isTakenDown,
        isSuspended,
        hash,
        bytes,
        br,
        html,
        title,
        color,
        darkColor,
        opening,
        ...row
      }): [string, StoredPage | 'taken-down' | 'suspended'] => {
        const look = shownLook({ title, color, darkColor }, slug);
        const head = { ...row, look, opening: opening ?? undefined, files: row.files ?? undefined };
        if (isSuspended) return [slug, 'suspended'];
        if (isTakenDown) return [slug, 'taken-down'];
        if (br) return [slug, { ...head, rendered: { hash, bytes, br } }];
        return [slug, html ? { ...head, html } : head];
      },
    ),
  );
}
