import { createHash } from 'node:crypto';
import type { SpamReason } from '../db/spam/spam-queries.ts';
import type { Captcha, FormRules } from '../db/submissions/form-queries.ts';
import type { NewSubmission } from '../db/submissions/store-submissions.ts';
import type { Altcha, Solution } from '../forms/altcha.ts';
import { type AskedProvider, CAPTCHA_FIELDS, type TokenQuestion, type TokenState } from '../forms/captcha-fields.ts';
import { isEmptyJson } from '../forms/control-fields.ts';
import { createWordMatcher } from '../forms/submission-search.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { normalizeJson, readJsonList, readJsonObject, unquote } from '../lib/json-text.ts';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';

/** A token counts once at its provider: a form that is sent again after a 429 or 503 must find it genuine here. */
const MAX_GENUINE_TOKENS = 10_000;
const GENUINE_TOKEN_MS = 5 * 60 * 1_000;
/** Longer tokens are no provider's, and are not passed on. */
const MAX_TOKEN_CHARS = 8_192;
/** Longer data is looked through one at a time. */
const SMALL_TEXT_CHARS = 16 * 1024;

/** Asks a provider about a token, within 3 seconds; never rejects. */
export type AskProvider = (question: TokenQuestion) => Promise<TokenState>;

/** The result of the check of a submission. */
export type SpamCheckResult =
  /** `solution`: to be used up with it. `token`: to be given back when it is not stored, so that it can be sent again. */
  { kind: 'passed'; solution?: Solution; token?: string } | { kind: 'spam'; reason: SpamReason };

const REASONS: Readonly<Record<Exclude<TokenState, 'genuine'>, SpamReason>> = {
  wrong: 'captcha-failed',
  reused: 'captcha-reused',
  misconfigured: 'captcha-misconfigured',
  unavailable: 'captcha-unavailable',
};

const PASSED: SpamCheckResult = { kind: 'passed' };
const spam = (reason: SpamReason): SpamCheckResult => ({ kind: 'spam', reason });

/**
 * The text in a field that may be there several times, as in a form with a widget of its own beside the one that the service
 * adds: `""` where nothing is filled in, undefined where it has several texts, or another value.
 */
function textOf(data: string, field: string): string | undefined {
  const given = readJsonObject(data).members.filter(({ name }) => name === field);
  const values = given.flatMap(({ value }) => (value.startsWith('[') ? readJsonList(value) : [value]));
  const [filled = '""', ...others] = new Set(values.filter((value) => !isEmptyJson(value)).map(normalizeJson));
  return filled.startsWith('"') && others.length === 0 ? unquote(filled) : undefined;
}

/** Checks submissions for what the owner of a form counts as spam: blocked words, and a captcha that was not solved. */
export class SpamCheck {
  readonly #altcha: () => Promise<Altcha>;
  readonly #ask: AskProvider;
  readonly #limits: Limits;
  readonly #largeTexts: FairQueue<string>;
  readonly #genuine: ReturnType<typeof createBoundedCache<string, true>>;

  constructor({ altcha, ask }: { altcha(): Promise<Altcha>; ask: AskProvider }, limits: Limits) {
    this.#altcha = altcha;
    this.#ask = ask;
    this.#limits = limits;
    this.#largeTexts = new FairQueue({ slots: 1, maxWaiting: 500 });
    this.#genuine = createBoundedCache(MAX_GENUINE_TOKENS, { ttlMs: GENUINE_TOKEN_MS });
  }

  /** Rejects with BusyError when there is too much to do. */
  async run(submission: NewSubmission, { blocklist, captcha }: FormRules): Promise<SpamCheckResult> {
    const token = captcha ? textOf(submission.data, CAPTCHA_FIELDS[captcha.provider]) : undefined;
    if (captcha && token === '') return spam('captcha-missing');
    if (blocklist.length > 0 && (await this.#isBlocked(submission, blocklist))) return spam('blocklist');
    if (!captcha) return PASSED;
    if (token === undefined || token.length > MAX_TOKEN_CHARS) return spam('captcha-failed');
    const { provider } = captcha;
    return provider === 'altcha'
      ? this.#checkSolution(submission, token)
      : this.#checkToken(submission, provider, captcha, token);
  }

  /** Remembers a token that passed: its provider would accept it only once. */
  giveBack(token: string): void {
    this.#genuine.set(token, true);
  }

  #isBlocked({ data, ipAddress }: NewSubmission, blocklist: readonly string[]): Promise<boolean> {
    const matches = createWordMatcher(blocklist, this.#limits);
    if (data.length <= SMALL_TEXT_CHARS) return matches(data);
    return this.#largeTexts.run(networkOf(ipAddress), this.#limits.spam.largeTextWaitTimeoutMs, () => matches(data));
  }

  async #checkSolution({ deploymentId }: NewSubmission, token: string): Promise<SpamCheckResult> {
    const solution = await (await this.#altcha()).check(deploymentId, token);
    return solution ? { kind: 'passed', solution } : spam('captcha-failed');
  }

  async #checkToken(
    { deploymentId, ipAddress }: NewSubmission,
    provider: AskedProvider,
    { secret = '', site_key: siteKey }: Captcha,
    token: string,
  ): Promise<SpamCheckResult> {
    const hash = createHash('sha256')
      .update(JSON.stringify([deploymentId, provider, token]))
      .digest('base64url');
    const passed: SpamCheckResult = { kind: 'passed', token: hash };
    // Taken out: of two submissions with one token, one passes.
    if (this.#genuine.delete(hash)) return passed;
    const state = await this.#ask({ provider, deploymentId, token, secret, siteKey, ipAddress });
    return state === 'genuine' ? passed : spam(REASONS[state]);
  }
}
