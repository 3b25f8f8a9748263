import { LRUCache } from 'lru-cache';
import type { VersionedRules } from '../db/form-rules.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import { type Limits, SIZES } from '../limits.ts';
import type { Source } from './judge.ts';
import type { LookUp } from './look-ups.ts';

/** A submission that has not been judged yet. */
export type UnjudgedSubmission = Omit<NewSubmission, 'rulesVersion'> & { source: Source };

/**
 * The rules of forms that have any, in memory. They may be out of date: the database stores a submission only under the
 * version of the rules that it has itself. What the rules refuse never gets there, so these have to be confirmed.
 */
export type KnownRules = {
  inMemory(deploymentId: string): VersionedRules | undefined;
  /** Whether no change since can have been missed, as with pages. */
  isConfirmed(deploymentId: string): boolean;
  /**
   * The rules of a submission's form, of another version than `version`, and confirmed; undefined when there is no such
   * form. Rejects with BusyError when too many wait.
   */
  load(submission: UnjudgedSubmission, version: number | undefined): Promise<VersionedRules | undefined>;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

export type FindRules = (deploymentId: string) => Promise<VersionedRules | undefined>;

/** `epoch`: how many invalidations there had been. */
type Entry = { form: VersionedRules; epoch: number };

export function createKnownRules(lookUp: LookUp, findRules: FindRules, limits: Limits): KnownRules {
  const entries = new LRUCache<string, Entry>({
    maxSize: limits.submissions.maxKnownRulesChars,
    sizeCalculation: ({ form }) => SIZES.internal.knownRulesEntryChars + JSON.stringify(form).length,
  });
  let epoch = 0;

  const isCurrent = (entry: Entry): boolean => entry.epoch === epoch;

  async function find(deploymentId: string, version: number | undefined): Promise<VersionedRules | undefined> {
    // Another submission may have looked them up while this one waited.
    const known = entries.get(deploymentId);
    if (known && isCurrent(known) && known.form.version !== version) return known.form;
    const before = { epoch };
    const form = await findRules(deploymentId);
    if (form && form.version !== 0) entries.set(deploymentId, { form, ...before });
    else entries.delete(deploymentId);
    return form;
  }

  return {
    inMemory: (deploymentId) => entries.get(deploymentId)?.form,
    isConfirmed(deploymentId) {
      const entry = entries.get(deploymentId);
      return entry !== undefined && isCurrent(entry);
    },
    load: ({ deploymentId, ipAddress }, version) => lookUp(ipAddress, () => find(deploymentId, version)),
    invalidateAll() {
      epoch += 1;
      entries.clear();
    },
  };
}
