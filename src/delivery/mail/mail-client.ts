import type { NodemailerError, SendMailOptions } from 'nodemailer';
import { TEST_HEADER } from '../../lib/events.ts';
import type { Limits } from '../../limits.ts';
import { FAILURES, failure } from '../../problems/delivery-failures.ts';
import type { Attempt } from '../attempt.ts';
import type { Email } from './layout.ts';
import { MailLine } from './mail-line.ts';

/** One mail to one recipient; the addresses are ASCII. */
export type Message = Omit<Email, 'visitor'> & {
  /** The delivery's id: it makes the Message-ID, the same on every attempt. */
  id: string;
  to: string;
  /** True if the mail answers a visitor. */
  isReply?: boolean;
  /** True if it is about a test of the owner. */
  isTest?: boolean;
};

/** `status` is an SMTP reply code, `response` the server's text in one line, without the password of SMTP_URL. */
type EmailAttempt = Attempt & { response?: string };

/** The codes are of the system or of nodemailer. */
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, FAILURES['mail-connection-refused']],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$)/, FAILURES['mail-unreachable']],
  [/^EDNS$/, FAILURES['mail-unresolved']],
  [/^(?:ECONNRESET|EPIPE|ECONNECTION)$/, FAILURES['mail-cut-off']],
  [/^(?:EABORT|ETIMEDOUT)$/, FAILURES['mail-slow']],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, FAILURES['mail-invalid-certificate']],
  [/^(?:ERR_SSL_|EPROTO$|ETLS$)/, FAILURES['mail-no-secure-connection']],
  [/^EPROTOCOL$/, FAILURES['mail-not-smtp']],
  [/^EAUTH$/, FAILURES['mail-login']],
  [/^EENVELOPE$/, FAILURES['mail-address']],
  [/^EMESSAGE$/, FAILURES['mail-too-large']],
];

/** Answers that say nothing of the recipient: bad sequence of commands, authentication required. */
const OF_THE_SESSION: readonly number[] = [503, 530];
/**
 * Enhanced status codes (RFC 3463) that say nothing of the recipient: they are about the mail system, the content or
 * policies.
 */
const OF_OTHERS = /^\d{3}[ -]5\.[367]\./;

/** Returns whether an answer refuses this mail for good (RFC 5321, 4.2.1). */
const isPermanent = (code: number, command: string | undefined): boolean =>
  code >= 500 && !OF_THE_SESSION.includes(code) && (command === 'RCPT TO' || command === 'DATA');

type MailAccount = {
  /** smtp:// or smtps://. Options in its query, which nodemailer reads, override those that are set here. */
  smtpUrl: string;
  /** `name` may be empty. */
  from: { name: string; address: string };
  limits: Limits;
};

/** The option of SMTP_URL that sets the number of connections. */
const CONNECTIONS = 'maxConnections';
const LATE = Object.assign(new Error('No connection was free in time.'), { code: 'EABORT' });

/** Sends mail over SMTP (RFC 5321). */
export class MailClient {
  readonly #options: MailAccount;
  /** The lines of all connections that SMTP_URL allows. */
  readonly #lines: readonly [MailLine, ...MailLine[]];
  /** Lines that send nothing. The last one is the next: its connection is likely to be open. */
  readonly #free: MailLine[];
  readonly #waiting = new Set<(line: MailLine) => void>();
  /** Texts that an answer of the server must not show. */
  readonly #secrets: readonly string[];

  constructor(options: MailAccount) {
    this.#options = options;
    const url = new URL(options.smtpUrl);
    const concurrent = Number(url.searchParams.get(CONNECTIONS)) || options.limits.mail.concurrent;
    url.searchParams.delete(CONNECTIONS);
    const place = { smtpUrl: url.href, limits: options.limits.mail };
    const line = new MailLine(place);
    this.#lines = [line, ...Array.from({ length: concurrent - 1 }, () => new MailLine(place))];
    this.#free = [...this.#lines];
    const { user = '', pass = '' } = line.login;
    this.#secrets = pass === '' ? [] : [base64(`\0${user}\0${pass}`), base64(pass), pass];
  }

  /** Never rejects. Settles at the latest when `signal` fires, which also closes the connection. */
  send(
    { id, to, subject, text, html, replyTo, unsubscribe, language, isReply = false, isTest = false }: Message,
    signal: AbortSignal,
  ): Promise<EmailAttempt> {
    const { from } = this.#options;
    const mail = {
      // Objects, because a string could be parsed as several addresses; new ones, because nodemailer changes them.
      // Without an envelope here, nodemailer makes one for each connection: a given one would take an error 421 to
      // the next connection.
      from: { ...from },
      to: { name: '', address: to },
      ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
      subject,
      text,
      html,
      messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      headers: {
        // RFC 3834, 5: auto-replies are not sent to such mail.
        'Auto-Submitted': isReply ? 'auto-replied' : 'auto-generated',
        // RFC 3282.
        ...(language !== undefined && { 'Content-Language': language }),
        ...(isTest && { [TEST_HEADER]: 'true' }),
        // RFC 8058, 3.1. Mail software uses it when the URL is https, and a DKIM signature covers both headers.
        ...(unsubscribe === undefined
          ? {}
          : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      },
    };
    return this.#send(mail, signal).then(
      ({ response }) => ({ status: Number(response.slice(0, 3)), response: this.#plainResponse(response) }),
      (error) => this.#failed(error, isReply),
    );
  }

  /** Connects and logs in, without sending mail. Never rejects. */
  verify(): Promise<EmailAttempt> {
    return this.#lines[0].verify().then(
      () => ({}),
      (error) => this.#failed(error),
    );
  }

  /** Closes all connections, including those in use. */
  close(): void {
    for (const line of this.#lines) line.close();
  }

  async #send(mail: SendMailOptions, signal: AbortSignal) {
    const line = await this.#freeLine(signal);
    try {
      return await line.send(mail, signal);
    } finally {
      const [next] = this.#waiting;
      if (next) next(line);
      else this.#free.push(line);
    }
  }

  /** Waits for a line that sends nothing. */
  async #freeLine(signal: AbortSignal): Promise<MailLine> {
    if (signal.aborted) throw LATE;
    const line = this.#free.pop();
    if (line) return line;
    const { promise, resolve, reject } = Promise.withResolvers<MailLine>();
    const end = (): void => {
      this.#waiting.delete(take);
      signal.removeEventListener('abort', abort);
    };
    const take = (freed: MailLine): void => {
      end();
      resolve(freed);
    };
    const abort = (): void => {
      end();
      reject(LATE);
    };
    this.#waiting.add(take);
    signal.addEventListener('abort', abort);
    return promise;
  }

  #failed({ code, originalCode, responseCode, response, command }: NodemailerError, isReply = false): EmailAttempt {
    if (responseCode === undefined || response === undefined) {
      const [, reason] = REASONS.find(([known]) => known.test(originalCode ?? '') || known.test(code ?? '')) ?? [];
      return { error: reason ?? failure('mail-unknown', { reason: originalCode ?? code ?? '' }) };
    }
    const isLogin = code === 'EAUTH' && responseCode >= 500;
    const isLast = isPermanent(responseCode, command);
    return {
      status: responseCode,
      error: isLogin ? FAILURES['mail-login'] : failure('mail-status', { status: responseCode }),
      response: this.#plainResponse(response),
      // A visitor's text must not switch a recipient off, and neither may a blocklist that has the mail server.
      ...(isLast && !OF_OTHERS.test(response) && { isRefused: true }),
      // Anybody may have typed the address of a visitor: after a refusal there is no second try.
      ...(isLast && isReply && { isFinal: true }),
    };
  }

  /** In one line, without secrets: some servers repeat what they received. */
  #plainResponse(response: string): string {
    return this.#secrets
      .reduce((line, secret) => line.replaceAll(secret, '…'), response)
      .replaceAll(/[\s\p{Cc}]+/gu, ' ');
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
