import { createHash } from 'node:crypto';
import type { Altcha, Solution } from '../altcha.ts';
import { createBoundedCache } from '../bounded-cache.ts';
import { CAPTCHA_FIELDS, type CaptchaProvider } from '../captcha-fields.ts';
import type { Captcha, FormRules } from '../db/form-rules.ts';
import type { SpamReason } from '../db/spam-submissions.ts';
import type { NewSubmission, Outcome } from '../db/store-submissions.ts';
import { createFairQueue } from '../fair-queue.ts';
import { readJsonObject, unquote } from '../json-text.ts';
import type { Limits } from '../limits.ts';
import { networkOf } from '../public-address.ts';
import { createWordMatcher } from '../submission-search.ts';
import type { LookUp } from './look-ups.ts';

/** What a provider says about a token. */
type TokenState = 'genuine' | 'wrong' | 'reused' | 'misconfigured' | 'unavailable';

/** Asks a provider, within 3 seconds; never rejects. */
export type AskProvider = (question: {
  provider: Exclude<CaptchaProvider, 'altcha'>;
  deploymentId: string;
  token: string;
  secret: string;
  siteKey: string | undefined;
  ipAddress: string;
}) => Promise<TokenState>;

/** What a submission has that the owner's rules want of people. */
export type Screening =
  /** `solution`: to be used up with it. `giveBack`: to be called when it is not stored, so that it can be sent again. */
  | { kind: 'passed'; solution?: Solution; giveBack?(): void }
  | { kind: 'spam'; reason: SpamReason }
  /** The provider was not asked: it would not be stored now. */
  | { kind: 'refused'; outcome: Refusal };

type Refusal = Exclude<Outcome, { kind: 'accepted' | 'busy' }>;

/** Rejects with BusyError when there is too much to do. */
export type Screen = (submission: NewSubmission, rules: FormRules) => Promise<Screening>;

/** Whether a form's rules say anything about spam. */
export const hasScreening = ({ blocklist, captcha }: FormRules): boolean => blocklist.length > 0 || captcha !== null;

const REASONS: Readonly<Record<Exclude<TokenState, 'genuine'>, SpamReason>> = {
  wrong: 'captcha-failed',
  reused: 'captcha-reused',
  misconfigured: 'captcha-misconfigured',
  unavailable: 'captcha-unavailable',
};

const PASSED: Screening = { kind: 'passed' };
const spam = (reason: SpamReason): Screening => ({ kind: 'spam', reason });

/** The text in a field: `""` where there is none, undefined where it has another value than one text. */
function textOf(data: string, field: string): string | undefined {
  const member = readJsonObject(data).members.find(({ name }) => name === field);
  if (!member) return '';
  return member.value.startsWith('"') ? unquote(member.value) : undefined;
}

export type ScreenParts = {
  altcha(): Promise<Altcha>;
  ask: AskProvider;
  /** What would become of a submission if it were stored now. */
  checkRate(submission: NewSubmission): Promise<Outcome>;
};

export function createScreen(lookUp: LookUp, { altcha, ask, checkRate }: ScreenParts, limits: Limits): Screen {
  const largeTexts = createFairQueue<string>({ slots: 1, maxWaiting: limits.spam.maxWaitingLargeTexts });
  const genuine = createBoundedCache<string, true>(limits.spam.maxGenuineTokens, { ttlMs: limits.spam.genuineTokenMs });

  function isBlocked({ data, ipAddress }: NewSubmission, blocklist: readonly string[]): Promise<boolean> {
    const matches = createWordMatcher(blocklist, limits);
    if (data.length <= limits.spam.smallTextChars) return matches(data);
    return largeTexts.run(networkOf(ipAddress), limits.spam.largeTextWaitTimeoutMs, () => matches(data));
  }

  async function checkSolution({ deploymentId }: NewSubmission, token: string): Promise<Screening> {
    const solution = await (await altcha()).check(deploymentId, token);
    return solution ? { kind: 'passed', solution } : spam('captcha-failed');
  }

  async function checkToken(
    submission: NewSubmission,
    provider: Exclude<CaptchaProvider, 'altcha'>,
    { secret = '', site_key: siteKey }: Captcha,
    token: string,
  ): Promise<Screening> {
    const { deploymentId, ipAddress } = submission;
    const hash = createHash('sha256')
      .update(JSON.stringify([deploymentId, provider, token]))
      .digest('base64url');
    const passed: Screening = { kind: 'passed', giveBack: () => void genuine.set(hash, true) };
    // Taken out: of two submissions with one token, one passes.
    if (genuine.delete(hash)) return passed;
    const outcome = await lookUp(ipAddress, () => checkRate(submission));
    if (outcome.kind !== 'accepted' && outcome.kind !== 'busy') return { kind: 'refused', outcome };
    const state = await ask({ provider, deploymentId, token, secret, siteKey, ipAddress });
    return state === 'genuine' ? passed : spam(REASONS[state]);
  }

  return async (submission, { blocklist, captcha }) => {
    const token = captcha ? textOf(submission.data, CAPTCHA_FIELDS[captcha.provider]) : undefined;
    if (captcha && token === '') return spam('captcha-missing');
    if (blocklist.length > 0 && (await isBlocked(submission, blocklist))) return spam('blocklist');
    if (!captcha) return PASSED;
    if (token === undefined || token.length > limits.spam.maxTokenChars) return spam('captcha-failed');
    const { provider } = captcha;
    return provider === 'altcha' ? checkSolution(submission, token) : checkToken(submission, provider, captcha, token);
  };
}
