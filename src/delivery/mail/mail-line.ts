import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Limits } from '../../limits.ts';

/** The mails that one connection sends. */
const MAX_MESSAGES = 50;
/** Postfix keeps an idle connection as long, which helps with bursts. An idle connection keeps the process alive. */
const IDLE_MS = 2_000;

type MailServer = { smtpUrl: string; limits: Limits['mail'] };

const connect = ({ smtpUrl, limits }: MailServer, note: (entry: { tnx?: string }) => void) =>
  createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 1,
    maxMessages: MAX_MESSAGES,
    // A second try, in case the server has closed an idle connection.
    maxRequeues: 1,
    idleTimeout: IDLE_MS,
    // Its own time-outs are for all steps together.
    connectionTimeout: limits.connectTimeoutMs,
    greetingTimeout: limits.attemptTimeoutMs,
    socketTimeout: limits.attemptTimeoutMs,
    // Otherwise a server that hangs would keep the connection, and a mail that has failed here could still be sent over it.
    socketCloseTimeout: 0,
    dnsTimeout: limits.dnsTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
    logger: { debug: note, info: note },
  });

/**
 * Sends one mail after the other over one connection. Connecting, the greeting, each command and the end of the content have
 * their own time (RFC 5321, 4.5.3.2): a server may take minutes to accept the content, and one that answers no command
 * should not hold the line as long. nodemailer tells the steps in its log only.
 */
export class MailLine {
  readonly #options: MailServer;
  readonly #note = ({ tnx = '' }: { tnx?: string }): void => this.#follow(tnx);
  #transport;
  /** Ends the mail that is being sent. */
  #late: AbortController | undefined;
  /** True if the server has to answer a command. */
  #isAsked = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MailServer) {
    this.#options = options;
    this.#transport = connect(options, this.#note);
  }

  /** The user name and password of the URL. */
  get login(): { user?: string | undefined; pass?: string | undefined } {
    return this.#transport.options.auth ?? {};
  }

  /** Rejects with a NodemailerError. When `signal` fires, it rejects and closes the connection. */
  async send(mail: SendMailOptions, signal: AbortSignal) {
    // The last mail has left a question, such as RSET or QUIT, which the server need not answer.
    if (this.#isAsked) this.#renew();
    const late = new AbortController();
    this.#late = late;
    this.#wait(this.#options.limits.connectTimeoutMs);
    try {
      return await this.#transport.sendMail({ ...mail, signal: AbortSignal.any([signal, late.signal]) });
    } finally {
      this.#late = undefined;
      if (!this.#isAsked) clearTimeout(this.#timer);
    }
  }

  /** Connects and logs in. */
  verify(): Promise<true> {
    return this.#transport.verify();
  }

  /** Closes the connection, also in the middle of a mail. */
  close(): void {
    clearTimeout(this.#timer);
    this.#transport.close({ force: true });
  }

  /** `tnx`: the kind of an entry of nodemailer's log. */
  #follow(tnx: string): void {
    const { commandTimeoutMs, contentTimeoutMs } = this.#options.limits;
    if (tnx === 'message') this.#wait(contentTimeoutMs);
    if (!['network', 'client', 'server'].includes(tnx)) return;
    this.#isAsked = tnx === 'client';
    if (this.#late || this.#isAsked) this.#wait(commandTimeoutMs);
    else clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#late ? this.#late.abort() : this.#renew()), ms).unref();
  }

  #renew(): void {
    this.close();
    this.#isAsked = false;
    this.#transport = connect(this.#options, this.#note);
  }
}
