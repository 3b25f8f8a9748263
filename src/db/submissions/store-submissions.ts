import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { BusyError } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { query } from '../postgres/query.ts';
import { PLACES_LEFT, placesOf } from './place-counts.ts';
import { CLOSING, FREE, RECENT, RETRY_AFTER_MS, STORE, STORE_ALONE, STORE_COUNTED } from './store-statements.ts';

export type NewSubmission = {
  id: string;
  deploymentId: string;
  /** The JSON text of an object, stored as it is. */
  data: string;
  ipAddress: string;
  /** The name of its form; undefined or null: the page has one, or it is not known. */
  form?: string | null;
  /** True if nobody has judged it by the rules of its form: it is stored only where the form has none. */
  isUnjudged?: true;
};

/** Why a form accepts nothing. `full`: it has as many submissions as its owner wants. */
export type Closing =
  /** `timeZone`: the owner's (IANA). */
  | { reason: 'not-open'; opensAt: Date; timeZone: string }
  | { reason: 'closed' | 'full' }
  /** `left`: fewer places than the submission takes. */
  | { reason: 'too-few-places'; left: number };

export type Outcome =
  /** `slug`: of the form of one that nobody has judged. */
  | { kind: 'accepted'; slug?: string }
  | { kind: 'no-deployment' }
  | { kind: 'closed'; closing: Closing }
  /** Another transaction has locked the deployment's row, or there is none: nothing was changed. */
  | { kind: 'busy' }
  /** The form counts submissions by their places: this one is stored by `storeCounted`. */
  | CountsPlaces
  /** The form has rules, by which nobody has judged it. */
  | { kind: 'has-rules' }
  /** `retryAfterMs`: until the deployment accepts another. */
  | { kind: 'rate-limited'; retryAfterMs: number }
  /** Another has been stored under its key or its id. */
  | { kind: 'duplicate' }
  /** Another has been stored with its solution of a captcha. */
  | { kind: 'solution-used' }
  /** Its files are more than the plan of the form's owner allows. */
  | { kind: 'storage-full' };

type CountsPlaces = { kind: 'counts-places' };

/** The outcome of a submission whose deployment is not locked. */
export type StoreOutcome = Exclude<Outcome, { kind: 'busy' } | CountsPlaces>;

/** `free`: how many submissions the deployment accepts now. `places`: how many the submission takes. */
type Row = {
  free: number;
  opens_at: Date | null;
  time_zone: string | null;
  closing: 'closed' | 'full' | null;
  retry_after_ms: number;
  places_left: number | null;
  places: number;
};

/** The row of a deployment whose submissions were stored or refused. `has_deliveries`: whether any of the batch has. */
type StoredRow = Row & {
  id: string;
  slug: string;
  counts_places: boolean;
  has_rules: boolean;
  has_deliveries: boolean;
  has_mail: boolean;
};

/** The outcome of the submission with this `rank` among those to one deployment: 1, 2, 3 and so on. */
function toOutcome(row: Row, rank: number): StoreOutcome {
  const { free, opens_at: opensAt, time_zone, closing, retry_after_ms, places_left: left, places } = row;
  const hasTooFew = left !== null && left > 0 && left < places;
  if (rank <= free && !hasTooFew) return { kind: 'accepted' };
  if (opensAt) return { kind: 'closed', closing: { reason: 'not-open', opensAt, timeZone: time_zone ?? 'UTC' } };
  if (hasTooFew && closing !== 'closed') return { kind: 'closed', closing: { reason: 'too-few-places', left } };
  if (closing) return { kind: 'closed', closing: { reason: closing } };
  return {
    kind: 'rate-limited',
    retryAfterMs: Math.min(Math.max(retry_after_ms, 1), SIZES.submissionRate.seconds * 1_000),
  };
}

/** The outcome of a submission with the row of its deployment, if its places are counted; undefined: the row was not locked. */
function countedOutcome(
  row: StoredRow | undefined,
  { isUnjudged }: NewSubmission,
  rank: number,
): Exclude<Outcome, CountsPlaces> {
  if (!row) return { kind: 'busy' };
  if (isUnjudged && row.has_rules) return { kind: 'has-rules' };
  const outcome = toOutcome(row, rank);
  return isUnjudged && outcome.kind === 'accepted' ? { kind: 'accepted', slug: row.slug } : outcome;
}

/** The outcome of a submission in a batch, to whose form this is the row. */
function batchedOutcome(row: StoredRow | undefined, submission: NewSubmission, rank: number): Outcome {
  if (!row?.counts_places) return countedOutcome(row, submission, rank);
  // The places of the others in the batch are not known.
  const outcome = countedOutcome(row, submission, 1);
  return outcome.kind === 'accepted' ? { kind: 'counts-places' } : outcome;
}

/** Returns which of these deployments are live. */
export async function findLive(db: Knex, ids: readonly string[]): Promise<boolean[]> {
  const rows = await query<{ id: string }>(
    db,
    'find-live-deployments',
    'SELECT id FROM deployments WHERE id = ANY (?) AND coalesce(deleted_at, taken_down_at) IS NULL AND NOT suspended',
    [[...ids]],
  );
  const live = new Set(rows.map(({ id }) => id));
  return ids.map((id) => live.has(id));
}

/** `hasDeliveries`: some are due now. `isPlain`: none of the forms has receivers, so that `storeAlone` may serve them. */
type Stored = { outcomes: Outcome[]; hasDeliveries: boolean; isPlain: boolean };

/**
 * Stores the submissions that their deployments accept, all in one transaction. Returns an outcome for each, in their
 * order. When Postgres refuses one row, all fail: see `Batcher`.
 */
export async function storeSubmissions(db: Knex, batch: readonly NewSubmission[]): Promise<Stored> {
  // Somebody has just read the rules of these forms: all submissions to one are judged, or none.
  const judged = new Set(batch.filter(({ isUnjudged }) => !isUnjudged).map(({ deploymentId }) => deploymentId));
  const counts = new Map<string, number>();
  const ranks = batch.map(({ deploymentId, isUnjudged }) => {
    if (isUnjudged && judged.has(deploymentId)) return 0;
    const rank = (counts.get(deploymentId) ?? 0) + 1;
    counts.set(deploymentId, rank);
    return rank;
  });
  const incoming = batch.flatMap(({ id, deploymentId, data, ipAddress, form, isUnjudged }, index) => {
    const rank = ranks[index];
    if (rank === 0) return [];
    const item = { id, deployment_id: deploymentId, data, ip_address: ipAddress, form };
    return [{ ...item, is_unjudged: isUnjudged, rank, wanted: counts.get(deploymentId) }];
  });
  const rows = await query<StoredRow>(db, 'store-submissions', STORE, [JSON.stringify(incoming)]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const outcomes = batch.map((submission, index): Outcome => {
    const rank = ranks[index] ?? 0;
    return rank === 0 ? { kind: 'has-rules' } : batchedOutcome(rowOf.get(submission.deploymentId), submission, rank);
  });
  const hasDeliveries = rows[0]?.has_deliveries === true;
  return { outcomes, hasDeliveries, isPlain: !hasDeliveries && rows.every(({ has_mail }) => !has_mail) };
}

/** Stores a submission as `storeSubmissions` does, to a form that may count it by its places. */
export async function storeCounted(db: Knex, submission: NewSubmission): Promise<Exclude<Outcome, CountsPlaces>> {
  const { id, deploymentId, data, ipAddress, form, isUnjudged } = submission;
  const incoming = { id, deployment_id: deploymentId, data, ip_address: ipAddress, form };
  const values = [JSON.stringify([{ ...incoming, is_unjudged: isUnjudged, rank: 1, wanted: 1 }])];
  const [row] = await query<StoredRow>(db, 'store-submissions-counted', STORE_COUNTED, values);
  return countedOutcome(row, submission, 1);
}

/** Stores a submission of no known form to a page that accepts it and has no receivers; undefined: nothing was stored, for any reason. */
export async function storeAlone(
  db: Knex,
  { id, deploymentId, data, ipAddress, form, isUnjudged }: NewSubmission,
): Promise<Outcome | undefined> {
  if (typeof form === 'string') return undefined;
  const values = { id, deploymentId, data, ipAddress, isUnjudged: isUnjudged ?? false };
  const [row] = await query<{ slug: string }>(db, 'store-submission-alone', STORE_ALONE, values);
  return row && (isUnjudged ? { kind: 'accepted', slug: row.slug } : { kind: 'accepted' });
}

type LockedStore<Stored> = { store(): Promise<Stored | undefined>; isLive(): Promise<boolean | undefined> };
type Unlocked<Stored> = Exclude<Stored, { kind: 'busy' }> | { kind: 'no-deployment' };

const isUnlocked = <Stored extends Outcome>(stored: Stored): stored is Exclude<Stored, { kind: 'busy' }> =>
  stored.kind !== 'busy';

/** The outcome of `store`, which is tried again while another transaction has locked the deployment; then a BusyError. */
export async function retryWhileLocked<Stored extends Outcome>(
  { submissions: { lockedWaitTimeoutMs, lockedPollMs } }: Limits,
  { store, isLive }: LockedStore<Stored>,
): Promise<Unlocked<Stored>> {
  const end = performance.now() + lockedWaitTimeoutMs;
  for (;;) {
    const outcome = await store();
    if (outcome && isUnlocked(outcome)) return outcome;
    if (!(await isLive())) return { kind: 'no-deployment' };
    if (performance.now() > end) throw new BusyError();
    await delay(lockedPollMs);
  }
}

/** The outcome that a submission would have at this moment; without `data`, one that takes one place. Nothing is stored or reserved. */
export async function expectedOutcome(
  db: Knex,
  { deploymentId, data }: Pick<NewSubmission, 'deploymentId'> & Partial<NewSubmission>,
): Promise<StoreOutcome> {
  const [row] = await query<Row>(
    db,
    'expected-outcome',
    `SELECT ${FREE} AS free, ${CLOSING}, ${RETRY_AFTER_MS} AS retry_after_ms, ${PLACES_LEFT} AS places_left,
            CASE WHEN CAST(:data AS text) IS NULL THEN 1 ELSE ${placesOf('CAST(:data AS json)')} END AS places
       FROM deployments, clock_timestamp() AS now, LATERAL (SELECT ${RECENT} AS recent) AS recently
      WHERE id = :deploymentId AND deleted_at IS NULL AND taken_down_at IS NULL AND NOT suspended`,
    { deploymentId, data: data ?? null },
  );
  return row ? toOutcome(row, 1) : { kind: 'no-deployment' };
}
