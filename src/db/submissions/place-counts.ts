/** In SQL, how many places of a deployment are taken. */
export const PLACES_TAKEN = 'submission_count';
