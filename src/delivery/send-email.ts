import { createTransport, type NodemailerError } from 'nodemailer';

/** One mail to one recipient; the addresses are ASCII. */
export type Message = {
  /** The delivery's id: it makes the Message-ID, the same on every attempt. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
};

/** What came of one attempt: `status` is the server's reply code, `error` is absent when it took the mail. */
export type Attempt = { status?: number; error?: string };

/** `response` is what the server said, in one line and without the password of SMTP_URL. */
export type EmailAttempt = Attempt & { response?: string };

export type SendEmail = {
  /** Never rejects, and settles no later than `signal` fires; the connection in use is gone then. */
  send(message: Message, signal: AbortSignal): Promise<EmailAttempt>;
  /** Ends all connections, those in use too. */
  close(): void;
};

const NO_ANSWER = 'the mail server did not answer in time';
const CLOSED = 'the mail server closed the connection';
const REFUSED_LOGIN = 'the mail server refused the user name or password';

/** By the code that the system gave the error, or else nodemailer. */
const ERRORS: ReadonlyMap<string | undefined, string> = new Map([
  ['ECONNREFUSED', 'the connection to the mail server was refused'],
  ['ECONNRESET', CLOSED],
  ['EPIPE', CLOSED],
  ['ECONNECTION', CLOSED],
  ['ETIMEDOUT', NO_ANSWER],
  ['EDNS', 'the mail server was not found'],
  ['EAUTH', REFUSED_LOGIN],
  ['EPROTOCOL', 'the mail server did not speak SMTP'],
  ['EENVELOPE', 'the address is none that mail can be sent to'],
  ['EMESSAGE', 'the mail is larger than the mail server takes'],
]);

/**
 * Sends mail over SMTP (RFC 5321). `smtpUrl` is smtp:// or smtps://, with what nodemailer reads from a URL's query, which
 * goes before what is set here. A `from.name` may be empty.
 */
export function createSendEmail({
  smtpUrl,
  from,
}: {
  smtpUrl: string;
  from: { name: string; address: string };
}): SendEmail {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 5,
    maxMessages: 50,
    // Once more, where the server closed a connection that was idle.
    maxRequeues: 1,
    // For bursts, as long as Postfix keeps one: an idle connection keeps the process alive, and the server may drop it.
    idleTimeout: 2_000,
    // No signal watches a connection that says RSET or QUIT: this frees its slot.
    socketTimeout: 60_000,
    // A server that hangs would hold the connection, and a mail that was given up could still go out over it.
    socketCloseTimeout: 0,
    dnsTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  const { user = '', pass = '' } = transport.options.auth ?? {};
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const secrets = pass === '' ? [] : [pass, base64(pass), base64(`\0${user}\0${pass}`)];
  /** Some servers repeat what they were sent. */
  const said = (response: string): string =>
    secrets.reduce((line, secret) => line.replaceAll(secret, '…'), response).replaceAll(/[\s\p{Cc}]+/gu, ' ');

  function failed({ code, originalCode, responseCode, response, name }: NodemailerError): EmailAttempt {
    if (responseCode === undefined || response === undefined) {
      const error = ERRORS.get(originalCode) ?? ERRORS.get(code);
      return { error: error ?? `the mail server could not be used (${originalCode ?? code ?? name})` };
    }
    const isLogin = code === 'EAUTH' && responseCode >= 500;
    return {
      status: responseCode,
      error: isLogin ? REFUSED_LOGIN : `the mail server answered ${responseCode}`,
      response: said(response),
    };
  }

  return {
    send: ({ id, to, subject, text, html, replyTo }, signal) =>
      new Promise((resolve) => {
        // Objects, for a string could be read as several addresses; new ones, for nodemailer writes into them.
        const recipient = { name: '', address: to };
        const mail = {
          from: { ...from },
          to: recipient,
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          envelope: { from: { ...from }, to: { ...recipient } },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          // RFC 3834, 5: nobody's auto-reply comes back.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        };
        transport.sendMail(mail, (error, info) => {
          if (error === null) resolve({ status: Number(info.response.slice(0, 3)), response: said(info.response) });
          else if (error.code !== 'EABORT') resolve(failed(error));
          else resolve({ error: isTimeout(signal.reason) ? NO_ANSWER : 'the attempt was stopped' });
        });
      }),
    close: () => transport.close({ force: true }),
  };
}

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';
