import { LRUCache } from 'lru-cache';
import type { VersionedRules } from '../db/form-rules.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { Source } from './judge.ts';
import type { LookUp } from './look-ups.ts';

/** A submission that has not been judged yet. */
export type UnjudgedSubmission = Omit<NewSubmission, 'rulesVersion'> & { source: Source };

/**
 * The rules of forms that have any, in memory. They may be out of date: the database stores a submission only under the
 * version of the rules that it has itself.
 */
export type KnownRules = {
  inMemory(deploymentId: string): VersionedRules | undefined;
  /**
   * The rules of a submission's form, of another version than `version`; undefined when there is no such form. Rejects
   * with BusyError when too many wait.
   */
  load(submission: UnjudgedSubmission, version: number): Promise<VersionedRules | undefined>;
};

export type FindRules = (deploymentId: string) => Promise<VersionedRules | undefined>;

const MAX_CHARS = 16 * 1024 * 1024;
/** What an entry takes besides its texts. */
const ENTRY_CHARS = 1_000;

export function createKnownRules(lookUp: LookUp, findRules: FindRules): KnownRules {
  const known = new LRUCache<string, VersionedRules>({
    maxSize: MAX_CHARS,
    sizeCalculation: ({ rules }) => ENTRY_CHARS + JSON.stringify(rules).length,
  });

  return {
    inMemory: (deploymentId) => known.get(deploymentId),
    load({ deploymentId, ipAddress }, version) {
      return lookUp(ipAddress, async () => {
        // Another submission may have looked them up while this one waited.
        const before = known.get(deploymentId);
        if (before && before.version !== version) return before;
        const found = await findRules(deploymentId);
        if (found && found.version !== 0) known.set(deploymentId, found);
        else known.delete(deploymentId);
        return found;
      });
    },
  };
}
