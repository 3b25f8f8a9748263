import { expect, it } from 'vitest';
import type { NewSubmission, Outcome } from '../src/db/store-submissions.ts';
import type { AloneOutcome, Extras } from '../src/db/submission-files.ts';
import { newDeploymentId, newSubmissionId } from '../src/ids.ts';
import { createIntake } from '../src/intake/intake.ts';

const slug = 'a-page';
const FORM = { honeypot: false, isSentAgain: false };
const SENT_AGAIN = { ...FORM, isSentAgain: true };
const HONEYPOT = { ...FORM, honeypot: true };
const KEY = { hash: Buffer.from('key'), bodyHash: Buffer.from('body') };
const OTHER_BODY = { ...KEY, bodyHash: Buffer.from('other body') };

const newSubmission = (): NewSubmission => ({
  id: newSubmissionId(),
  deploymentId: newDeploymentId(),
  data: '{}',
  ipAddress: '127.0.0.1',
});

type First = { id: string; bodyHash: Buffer; hasFiles: boolean };

/** An intake whose database gives these answers. `first`: the submission that was stored before. */
function startIntake(answers: {
  batch?: () => Outcome;
  alone?: () => AloneOutcome;
  find?: () => { slug: string; first: First | undefined } | undefined;
}) {
  const { batch = () => accepted, alone = () => accepted, find = () => ({ slug, first: undefined }) } = answers;
  const counted: string[] = [];
  const stored: string[] = [];
  const storedAlone: [NewSubmission, Extras][] = [];
  const startDeliveries = (): void => undefined;
  const intake = createIntake({
    store: {
      async batch(submissions) {
        stored.push(...submissions.map(({ id }) => id));
        return { outcomes: submissions.map(batch), startDeliveries };
      },
      async alone(...given) {
        storedAlone.push(given);
        return { outcome: alone(), startDeliveries };
      },
    },
    findStored: async () => find(),
    findByKey: async () => find(),
    findSlug: async () => find()?.slug,
    isInvalidationLive: () => true,
    count: (outcome) => counted.push(outcome),
  });
  return { submit: intake.submit, counted, stored, alone: storedAlone };
}

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
  expect(await submit(newSubmission(), SENT_AGAIN, undefined)).toEqual({ kind: 'stored', id: first.id, slug });
  expect(await submit(newSubmission(), FORM, KEY)).toEqual({ kind: 'stored', id: first.id, slug });
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
    const { submit, counted } = startIntake({ find, alone });
    expect(await submit(newSubmission(), FORM, KEY)).toEqual({ kind: 'stored', id: first.id, slug });
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
  expect(alone).toEqual([[{ ...submission, id: outcome.id, data }, { files }]]);
  expect(outcome.id).not.toBe(submission.id);
});

it('answers a honeypot like a success and stores nothing, the same under the same key', async () => {
  const { submit, counted, stored } = startIntake({});
  const submission = newSubmission();
  const answer = { kind: 'stored', id: submission.id, slug };
  expect(await submit(submission, HONEYPOT, undefined)).toEqual(answer);
  expect(await submit(submission, HONEYPOT, KEY)).toEqual(answer);
  expect(await submit({ ...submission, id: newSubmissionId() }, HONEYPOT, KEY)).toEqual(answer);
  expect((await submit(submission, HONEYPOT, OTHER_BODY)).kind).toBe('key-reused');
  expect((await submit(submission, FORM, KEY)).kind).toBe('key-reused');
  expect([counted, stored]).toEqual([Array(4).fill('honeypot'), []]);
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
