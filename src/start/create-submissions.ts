import { DailyCounts } from '../db/submissions/daily-counts.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import { Forms } from '../submissions/forms.ts';
import { SpamCheck } from '../submissions/spam-check.ts';
import { SubmissionStore } from '../submissions/submission-store.ts';
import type { Core } from './core.ts';
import type { createDelivery } from './create-delivery.ts';

/** Makes the parts that take submissions. */
export function createSubmissions(
  { config, limits, log, db, metrics, altcha }: Core,
  bucket: FileBucket | undefined,
  { dispatcher, captchas }: ReturnType<typeof createDelivery>,
) {
  return {
    forms: new Forms(db),
    honeypotHits: new DailyCounts(db, 'honeypot_hits', log, limits.submissions.countsIntervalMs),
    turnedAway: new DailyCounts(db, 'turned_away', log, limits.submissions.countsIntervalMs),
    spamCheck: new SpamCheck({ altcha, ask: (question) => captchas.ask(question) }, limits),
    submissions: new SubmissionStore({
      db,
      limits,
      storageLimits: config.storageLimits,
      bucket,
      wakeDispatcher: () => dispatcher.wake(),
      countBatch: (size) => metrics.batch(size),
    }),
  };
}
