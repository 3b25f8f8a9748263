import { describe, expect, it } from 'vitest';
import { NO_RULES, type VersionedRules } from '../../src/db/form-rules.ts';
import type { NewSubmission, Outcome } from '../../src/db/store-submissions.ts';
import type { AloneOutcome, Extras } from '../../src/db/submission-files.ts';
import { BusyError } from '../../src/fair-queue.ts';
import { newDeploymentId, newSubmissionId } from '../../src/ids.ts';
import type { UnjudgedSubmission } from '../../src/intake/form-rules.ts';
import { createIntake } from '../../src/intake/intake.ts';
import type { Judge } from '../../src/intake/judge.ts';
import { testLimits } from '../support/limits.ts';
import { NO_SPAM } from '../support/no-spam.ts';

const slug = 'a-page';
const FORM = { honeypot: false, isSentAgain: false };
const SENT_AGAIN = { ...FORM, isSentAgain: true };
const HONEYPOT = { ...FORM, honeypot: true };
const KEY = { hash: Buffer.from('key'), bodyHash: Buffer.from('body') };
const OTHER_BODY = { ...KEY, bodyHash: Buffer.from('other body') };

const newSubmission = (): UnjudgedSubmission => ({
  id: newSubmissionId(),
  deploymentId: newDeploymentId(),
  data: '{}',
  ipAddress: '127.0.0.1',
  source: { origin: undefined, isSameOrigin: false },
});

type First = { id: string; bodyHash: Buffer; hasFiles: boolean };

/** An intake whose database gives these answers. `first`: the submission that was stored before. */
function startIntake(answers: {
  batch?: () => Outcome;
  alone?: () => AloneOutcome;
  find?: () => { slug: string; first: First | undefined } | undefined;
  rules?: () => VersionedRules | undefined;
  judge?: Judge;
}) {
  const { batch = () => accepted, alone = () => accepted, find = () => ({ slug, first: undefined }) } = answers;
  const { rules = () => find() && { slug, version: 0, rules: NO_RULES }, judge = () => ({ kind: 'accepted' }) } =
    answers;
  const versions: number[] = [];
  const counted: string[] = [];
  const stored: string[] = [];
  const storedAlone: [NewSubmission, Extras][] = [];
  const startDeliveries = (): void => undefined;
  const intake = createIntake({
    store: {
      async batch(submissions) {
        stored.push(...submissions.map(({ id }) => id));
        versions.push(...submissions.map(({ rulesVersion }) => rulesVersion));
        return { outcomes: submissions.map(batch), startDeliveries };
      },
      async alone(...given) {
        storedAlone.push(given);
        return { outcome: alone(), startDeliveries };
      },
    },
    findStored: async () => find(),
    findByKey: async () => find(),
    findRules: async () => rules(),
    judge,
    ...NO_SPAM,
    count: (outcome) => counted.push(outcome),
    countHoneypot: () => undefined,
    limits: testLimits(),
  });
  return { submit: intake.submit, counted, stored, versions, alone: storedAlone };
}

/** The rules are looked up for where its visitor is to be sent. */
const repeated = { kind: 'stored', slug, isRepeated: true, rules: NO_RULES };
const accepted: Outcome = { kind: 'accepted', slug };
const limited: Outcome = { kind: 'rate-limited', slug, retryAfterMs: 1_000 };
const fail = (error: Error) => (): never => {
  throw error;
};
const away = new Error('The database is away.');
const duplicate = Object.assign(new Error('duplicate key value'), { code: '23505' });

it('says under which id a submission is stored, and of which deployment it is', async () => {
  const { submit, counted } = startIntake({});
  const submission = newSubmission();
  expect(await submit(submission, FORM, undefined)).toEqual({ kind: 'stored', id: submission.id, slug });
  expect(counted).toEqual(['accepted']);
});

it('says of a refusal what its answer needs: the id and, where it is known, the slug', async () => {
  const { submit, counted } = startIntake({ batch: () => limited });
  const submission = newSubmission();
  const refused = { id: submission.id, slug, kind: 'rate-limited', retryAfterMs: 1_000 };
  expect(await submit(submission, FORM, undefined)).toEqual(refused);
  expect(counted).toEqual(['rate-limited']);

  const broken = startIntake({ batch: fail(away) });
  const failed = { kind: 'failed', id: submission.id, slug: undefined, error: away };
  expect(await broken.submit(submission, FORM, undefined)).toEqual(failed);
  // The look-up has found the deployment before.
  const brokenLater = startIntake({ alone: fail(away) });
  expect(await brokenLater.submit(submission, SENT_AGAIN, undefined)).toEqual({ ...failed, slug });
  expect([...broken.counted, ...brokenLater.counted]).toEqual(['failed', 'failed']);
});

it('answers a submission that is sent again as the first one was, whatever has become of it', async () => {
  const first = { id: newSubmissionId(), bodyHash: KEY.bodyHash, hasFiles: true };
  const { submit, counted } = startIntake({ find: () => ({ slug, first }), alone: () => limited });
  expect(await submit(newSubmission(), SENT_AGAIN, undefined)).toEqual({ ...repeated, id: first.id });
  expect(await submit(newSubmission(), FORM, KEY)).toEqual({ ...repeated, id: first.id });
  expect((await submit(newSubmission(), FORM, OTHER_BODY)).kind).toBe('key-reused');
  expect(counted).toEqual(['repeated', 'repeated']);
});

it('finds the first one when another process has stored it meanwhile', async () => {
  const first = { id: newSubmissionId(), bodyHash: KEY.bodyHash, hasFiles: true };
  for (const alone of [() => ({ kind: 'repeated' }) as const, () => limited]) {
    let lookUps = 0;
    const find = () => {
      lookUps += 1;
      return { slug, first: lookUps > 1 ? first : undefined };
    };
    const { submit, counted } = startIntake({ find, alone, rules: () => ({ slug, version: 0, rules: NO_RULES }) });
    expect(await submit(newSubmission(), FORM, KEY)).toEqual({ ...repeated, id: first.id });
    expect([counted, lookUps]).toEqual([['repeated'], 2]);
  }
});

it('stores a submission under a new id when its own is in use elsewhere', async () => {
  const { submit, counted, stored } = startIntake({ alone: fail(duplicate) });
  const submission = newSubmission();
  const outcome = await submit(submission, SENT_AGAIN, undefined);
  expect(outcome).toEqual({ kind: 'stored', id: stored[0], slug });
  expect([stored.length, stored.includes(submission.id), counted]).toEqual([1, false, ['accepted']]);
});

it('stores a submission under a new id, with its files, when its own was stored without them', async () => {
  const submission = newSubmission();
  const first = { id: submission.id, bodyHash: KEY.bodyHash, hasFiles: false };
  const { submit, alone } = startIntake({ find: () => ({ slug, first }) });
  const files = [{ id: 'file_x', filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('x') }];
  const sent = { ...SENT_AGAIN, files, textUnder: (id: string) => `{"under":"${id}"}` };
  const outcome = await submit(submission, sent, undefined);
  expect(outcome).toEqual({ kind: 'stored', id: expect.stringMatching(/^sub_/), slug });
  const data = `{"under":"${outcome.id}"}`;
  expect(alone).toEqual([[{ ...submission, id: outcome.id, data, rulesVersion: 0 }, { files }]]);
  expect(outcome.id).not.toBe(submission.id);
});

it('answers a honeypot like a success and stores nothing, also under a key', async () => {
  const { submit, counted, stored } = startIntake({});
  const submission = newSubmission();
  const answer = { kind: 'stored', id: submission.id, slug, rules: NO_RULES };
  expect(await submit(submission, HONEYPOT, undefined)).toEqual(answer);
  expect(await submit(submission, HONEYPOT, KEY)).toEqual(answer);
  expect([counted, stored]).toEqual([Array(2).fill('honeypot'), []]);
});

it('says so where no such deployment is live', async () => {
  const { submit, counted } = startIntake({ find: () => undefined, batch: () => ({ kind: 'no-deployment' }) });
  const submission = newSubmission();
  const none = { kind: 'no-deployment', id: submission.id, slug: undefined };
  expect(await submit(submission, FORM, undefined)).toEqual(none);
  expect(await submit(submission, SENT_AGAIN, undefined)).toEqual(none);
  expect(await submit(submission, FORM, KEY)).toEqual(none);
  expect(await submit(submission, HONEYPOT, undefined)).toEqual(none);
  expect(await submit(submission, HONEYPOT, KEY)).toEqual(none);
  expect(counted).toEqual([...Array(3).fill('no-deployment'), 'honeypot', 'honeypot']);
});

describe('rules of a form', () => {
  const rules = { ...NO_RULES, redirectUrl: 'https://example.org/' };

  it('are looked up when the database has others, and the submission is judged and stored by them', async () => {
    const changed: Outcome[] = [{ kind: 'rules-changed' }, { kind: 'rules-changed' }];
    const judged: number[] = [];
    let version = 3;
    const next = () => {
      version += 1;
      return { slug, version, rules };
    };
    const { submit, counted, versions } = startIntake({
      batch: () => changed.pop() ?? accepted,
      rules: next,
      judge: (_source, form) => {
        judged.push(form.version);
        return { kind: 'accepted' };
      },
    });
    const submission = newSubmission();
    expect(await submit(submission, FORM, undefined)).toEqual({ kind: 'stored', id: submission.id, slug, rules });
    expect([versions, judged, counted]).toEqual([[0, 4, 5], [4, 5], ['accepted']]);
    // The next one knows them.
    await submit({ ...newSubmission(), deploymentId: submission.deploymentId }, FORM, undefined);
    expect([versions, judged]).toEqual([
      [0, 4, 5, 5],
      [4, 5, 5],
    ]);
  });

  it('refuse an origin before anything is stored, a honeypot too', async () => {
    const { submit, counted, versions } = startIntake({
      batch: () => ({ kind: 'rules-changed' }),
      rules: () => ({ slug, version: 1, rules }),
      judge: () => ({ kind: 'origin-refused', origin: 'https://example.org' }),
    });
    const submission = newSubmission();
    const refused = { kind: 'origin-refused', origin: 'https://example.org', id: submission.id, slug };
    expect(await submit(submission, FORM, undefined)).toEqual(refused);
    expect(await submit(submission, FORM, KEY)).toEqual(refused);
    expect(await submit(submission, HONEYPOT, undefined)).toEqual(refused);
    expect([versions, counted]).toEqual([[0], ['origin-refused', 'origin-refused', 'honeypot']]);
  });

  it('that keep changing make the service busy, and so does a database that is away', async () => {
    let version = 0;
    const next = () => {
      version += 1;
      return { slug, version, rules };
    };
    const changing = startIntake({
      batch: () => ({ kind: 'rules-changed' }),
      rules: next,
    });
    const submission = newSubmission();
    const failure = { kind: 'failed', id: submission.id, slug: undefined };
    expect(await changing.submit(submission, FORM, undefined)).toEqual({ ...failure, error: expect.any(BusyError) });
    const gone = startIntake({ batch: () => ({ kind: 'rules-changed' }), rules: fail(away) });
    expect(await gone.submit(submission, FORM, undefined)).toEqual({ ...failure, error: away });
    const deleted = startIntake({ batch: () => ({ kind: 'rules-changed' }), rules: () => undefined });
    expect(await deleted.submit(submission, FORM, undefined)).toEqual({ ...failure, kind: 'no-deployment' });
  });
});
