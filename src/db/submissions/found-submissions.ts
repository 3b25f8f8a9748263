import type { Knex } from 'knex';
import type { Position } from './search-submissions.ts';
import { findInboxSubmissions, type InboxSubmission } from './submission-mark-queries.ts';
import { findInboxTests } from './test-submission-queries.ts';

/** A submission, or a test of the owner, as the inbox shows it. */
export type FoundSubmission = InboxSubmission & { isTest: boolean; deploymentId: string };

/** What a search has found, in this order; without what is deleted. */
export async function findFound(db: Knex, found: readonly Omit<Position, 'at'>[]): Promise<FoundSubmission[]> {
  const [submissions, tests] = [found.filter(({ test }) => test === 0), found.filter(({ test }) => test > 0)];
  const read = [
    ...(submissions.length > 0 ? await findInboxSubmissions(db, submissions) : []).map((one) => ({ ...one, test: 0 })),
    ...(tests.length > 0 ? await findInboxTests(db, tests) : []),
  ];
  const keyOf = ({ deploymentId, number, test }: Omit<Position, 'at'>): string => `${deploymentId} ${number} ${test}`;
  const byKey = new Map(read.map(({ test, ...one }) => [keyOf({ ...one, test }), { ...one, isTest: test > 0 }]));
  return found.flatMap((one) => byKey.get(keyOf(one)) ?? []);
}
