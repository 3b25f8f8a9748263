import { type Config, pageUrl } from '../config.ts';
import type { Database } from '../db/postgres/connect.ts';
import { DailyCounts } from '../db/submissions/daily-count-queries.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import type { Altcha } from '../forms/altcha.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { Forms } from './live-forms.ts';
import { type AskProvider, SpamCheck } from './spam-check.ts';
import { SubmissionStore } from './submission-store.ts';

type SubmissionSources = {
  config: Config;
  limits: Limits;
  log: Log;
  db: Database;
  bucket: FileBucket | undefined;
  altcha(): Promise<Altcha>;
  /** Asks the provider of a captcha. */
  ask: AskProvider;
  wakeDispatcher(): void;
  /** Counts the submissions of a batch. */
  countBatch(size: number): void;
};

/** Makes the parts that receive submissions. */
export function createSubmissions({ config, limits, log, db, altcha, ask, ...store }: SubmissionSources) {
  return {
    forms: new Forms(db, (slug) => new URL(pageUrl(config, slug)).origin),
    honeypotHits: new DailyCounts(db, 'honeypot_hits', log, limits.submissions.countsIntervalMs),
    turnedAway: new DailyCounts(db, 'turned_away', log, limits.submissions.countsIntervalMs),
    spamCheck: new SpamCheck({ altcha, ask }, limits),
    store: new SubmissionStore({ db, limits, storageLimits: config.storageLimits, ...store }),
  };
}
