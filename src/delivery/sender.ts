import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { LeasedDelivery } from '../db/deliveries/delivery-queue.ts';
import { labelsOf, type PageForm } from '../forms/forms-of-page.ts';
import type { AccountMail } from '../lib/events.ts';
import { EVENTS, type Event } from '../lib/events.ts';
import { newSessionId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { FAILURES, failure } from '../problems/delivery-failures.ts';
import type { Attempt } from './attempt.ts';
import { accountEmail } from './mail/account-mails.ts';
import type { Email } from './mail/layout.ts';
import { MailClient } from './mail/mail-client.ts';
import { MAIL_KINDS, type MailSources, NotSent } from './mail/mail-kinds.ts';
import type { Fence } from './webhooks/fenced-agent.ts';
import { WebhookClient } from './webhooks/webhook-client.ts';
import { webhookMessage } from './webhooks/webhook-message.ts';

export type SenderSettings = Fence &
  MailSources & {
    limits: Limits;
    /** undefined: mail is off. */
    smtpUrl: string | undefined;
    mailFrom: { name: string; address: string };
    log: Log;
  };

/** Sends each kind of delivery. */
export class Sender {
  readonly #options: SenderSettings;
  readonly #webhooks: WebhookClient;
  readonly #mail: MailClient | undefined;
  readonly #closing = new AbortController();
  /** Mails about accounts that wait for another attempt. */
  #accountMails = 0;

  constructor(options: SenderSettings) {
    const { smtpUrl, mailFrom: from, limits } = options;
    this.#options = options;
    this.#webhooks = new WebhookClient(options);
    this.#mail = smtpUrl === undefined ? undefined : new MailClient({ smtpUrl, from, limits });
  }

  /** Sends a delivery once; settles soon after `signal` has fired. */
  async attempt(delivery: LeasedDelivery, signal: AbortSignal): Promise<Attempt> {
    const { event, webhook } = delivery;
    const webhookEvent = EVENTS.find((known) => known === event);
    const readMail = MAIL_KINDS.get(event);
    // During an update a newer version may make deliveries of events that this one does not know, and sends them later.
    if (!webhookEvent && !readMail) return this.#unreadable(delivery, `this version does not know the event ${event}`);
    if (webhook && webhookEvent) return this.#post(delivery, webhook, webhookEvent, signal);
    if (webhook || !readMail) return this.#unreadable(delivery, `${event} is not for its receiver`, true);
    try {
      const write = readMail(delivery);
      const formsOf = (): Promise<readonly PageForm[]> => this.#formsOrNone(delivery, signal);
      return await this.#sendEmail(delivery, () => write({ ...this.#options, formsOf }), signal);
    } catch (error) {
      if (error instanceof NotSent) return { error: error.message, isFinal: true, isSkipped: true };
      if (!(error instanceof z.ZodError)) throw error;
      return this.#unreadable(delivery, z.prettifyError(error), true);
    }
  }

  /**
   * Sends a mail about an account, for whose link a person waits. Rejects when the mail server refuses it. If the server only does not take
   * it yet, more attempts follow in the background, for some minutes and until this process ends.
   */
  async mailAccount(to: string, mail: AccountMail): Promise<void> {
    const message = { id: newSessionId(), to };
    const attempt = await this.#attemptAccountMail(message, mail);
    if (attempt.error === undefined) return;
    const pauseMs = this.#pauseAfter(attempt, 1);
    if (pauseMs === 0) throw new Error(attempt.error);
    this.#accountMails += 1;
    void this.#retryAccountMail(message, mail, pauseMs)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, `the mail ${mail.kind} was not sent`))
      .finally(() => {
        this.#accountMails -= 1;
      });
  }

  async #retryAccountMail(
    message: Pick<LeasedDelivery, 'id' | 'to'>,
    mail: AccountMail,
    firstPauseMs: number,
  ): Promise<void> {
    let pauseMs = firstPauseMs;
    for (let attempts = 2; pauseMs > 0; attempts += 1) {
      await delay(pauseMs, undefined, { signal: this.#closing.signal, ref: false });
      const attempt = await this.#attemptAccountMail(message, mail);
      if (attempt.error === undefined) return;
      pauseMs = this.#pauseAfter(attempt, attempts);
      if (pauseMs === 0) throw new Error(attempt.error);
    }
  }

  /** Returns the milliseconds until a mail about an account is tried again; 0: it is not. */
  #pauseAfter({ isFinal, isRefused }: Attempt, attempts: number): number {
    const { accountRetryMs, accountAttempts, maxAccountMails } = this.#options.limits.mail;
    const hasRoom = attempts > 1 || this.#accountMails < maxAccountMails;
    return hasRoom && attempts < accountAttempts && !isFinal && !isRefused ? accountRetryMs * 3 ** (attempts - 1) : 0;
  }

  #attemptAccountMail(message: Pick<LeasedDelivery, 'id' | 'to'>, mail: AccountMail): Promise<Attempt> {
    const { limits, baseUrl } = this.#options;
    const signal = AbortSignal.timeout(limits.mail.attemptTimeoutMs);
    return this.#sendEmail(message, () => accountEmail(mail, baseUrl), signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#mail?.close();
    await this.#webhooks.close();
  }

  #unreadable({ id: delivery }: LeasedDelivery, reason: string, isFinal = false): Attempt {
    this.#options.log.error({ delivery, reason }, 'a delivery cannot be read');
    return { error: failure('unreadable', { reason }), isFinal };
  }

  async #post(
    delivery: LeasedDelivery,
    webhook: NonNullable<LeasedDelivery['webhook']>,
    event: Event,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const sources = {
      ...this.#options,
      labelsOf: async () => labelsOf(await this.#formsOrNone(delivery, signal), delivery.form),
    };
    const { isRefused, ...message } = await webhookMessage(delivery, webhook, event, sources);
    const { url, secrets, headers: ownHeaders } = webhook;
    const attempt = await this.#webhooks.send({ id: delivery.id, url, secrets, ownHeaders, ...message }, signal);
    const isRefusal = attempt.error === undefined && isRefused?.(attempt.response ?? '') === true;
    return isRefusal ? { ...attempt, error: FAILURES['receiver-refused'] } : attempt;
  }

  async #sendEmail(
    { id, to, isTest = false }: Pick<LeasedDelivery, 'id' | 'to'> & { isTest?: boolean },
    write: () => Email | Promise<Email | undefined>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    if (!this.#mail) return { error: FAILURES['mail-off'] };
    const email = await write();
    if (!email) return {};
    const { visitor, ...content } = email;
    const isReply = visitor !== undefined;
    return this.#mail.send({ id, to: visitor ?? to, isReply, isTest, ...content }, signal);
  }

  /** A mail or a message is better with labels, and is sent without them rather than late or not at all. */
  #formsOrNone(
    { deploymentId, testVersion }: Pick<LeasedDelivery, 'deploymentId' | 'testVersion'>,
    signal: AbortSignal,
  ): Promise<readonly PageForm[]> {
    const { limits, formsOf, log } = this.#options;
    const none: readonly PageForm[] = [];
    const late = delay(limits.mail.labelsTimeoutMs, none, { signal, ref: false });
    return Promise.race([formsOf(deploymentId, testVersion ?? undefined), late]).catch((error: unknown) => {
      log.warn({ err: error, deployment: deploymentId }, 'labels could not be read: a message has the names of fields');
      return none;
    });
  }
}
