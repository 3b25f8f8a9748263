import type { Knex } from 'knex';
import { execute } from '../postgres/query.ts';

/*
 * A submission takes a place of its form, or as many as places_of reads in the field that the form has for it. `extra_places` counts
 * the places besides one for each submission, so that forms without such a field have nothing to count.
 */

/** In SQL, how many places of a deployment are taken. */
export const PLACES_TAKEN = '(submission_count + extra_places)';

/** In SQL, how many places of a deployment are left; NULL: there is no limit. */
export const PLACES_LEFT = `(max_submissions - ${PLACES_TAKEN})`;

/** In SQL, how many places a submission with the JSON `data` takes. */
export const placesOf = (data: string): string =>
  `CASE WHEN places_field IS NULL THEN 1 ELSE places_of(${data}, places_field) END`;

/** In SQL, the places that `rows` of submissions take besides one each. `deployment`: has its row as of the lock on it. */
export const extraPlacesOf = (rows: string, deployment: string): string =>
  `(SELECT coalesce(sum(places_of(${rows}.data, places_field) - 1), 0) FROM ${rows}
      JOIN ${deployment} ON ${deployment}.id = ${rows}.deployment_id WHERE places_field IS NOT NULL)`;

/** Counts the places of a deployment anew. It belongs in a transaction that has locked its row. */
export const recountPlaces = (transaction: Knex, id: string): Promise<number> =>
  execute(
    transaction,
    'recount-places',
    `WITH own AS (SELECT deployment_id, data FROM submissions WHERE deployment_id = :id)
     UPDATE deployments SET extra_places = ${extraPlacesOf('own', 'deployments')} WHERE id = :id`,
    { id },
  );
