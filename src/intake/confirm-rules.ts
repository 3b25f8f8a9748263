import { setTimeout as delay } from 'node:timers/promises';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { Limits } from '../limits.ts';

/** The versions of the rules of these deployments; without those that are not live. */
export type FindRulesVersions = (deploymentIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Whether a submission's form still has the rules that it was judged by. Rejects when that can't be looked up. */
type ConfirmRules = (submission: NewSubmission) => Promise<boolean>;

type Waiting = { submission: NewSubmission; resolve(isConfirmed: boolean): void; reject(error: unknown): void };

/** One query at a time, for all that wait: however many they are, there are a few a second. */
export function createConfirmRules(findRulesVersions: FindRulesVersions, limits: Limits): ConfirmRules {
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const versions = await findRulesVersions([...new Set(batch.map(({ submission }) => submission.deploymentId))]);
      for (const { submission, resolve } of batch) {
        resolve(versions.get(submission.deploymentId) === submission.rulesVersion);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      // Those that come during the query wait for the next one, which begins after they came.
      const batch = waiting;
      waiting = [];
      await settle(batch);
      await delay(limits.submissions.confirmRulesIntervalMs);
    }
    isRunning = false;
  }

  return (submission) =>
    new Promise((resolve, reject) => {
      waiting.push({ submission, resolve, reject });
      if (!isRunning) void run();
    });
}
