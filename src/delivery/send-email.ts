import { createTransport, type NodemailerError } from 'nodemailer';
import type { Attempt } from './send-webhook.ts';

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

/** `status` is an SMTP reply code, `response` what the server said, in one line and without the password of SMTP_URL. */
export type EmailAttempt = Attempt & { response?: string };

export type SendEmail = {
  /** Never rejects, and settles no later than `signal` fires; the connection in use is gone then. */
  send(message: Message, signal: AbortSignal): Promise<EmailAttempt>;
  /** Connects and logs in, sending nothing. Never rejects. */
  verify(): Promise<EmailAttempt>;
  /** Ends all connections, those in use too. */
  close(): void;
};

const REFUSED_LOGIN = 'the mail server refused the user name or password';
/** The code is the system's or nodemailer's. */
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'the connection to the mail server was refused'],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$)/, 'the mail server could not be reached'],
  [/^EDNS$/, 'the name of the mail server could not be resolved'],
  [/^(?:ECONNRESET|EPIPE|ECONNECTION)$/, 'the mail server closed the connection'],
  [/^(?:EABORT|ETIMEDOUT)$/, 'the mail server did not answer in time'],
  [
    /CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/,
    'the certificate of the mail server is not valid',
  ],
  [/^(?:ERR_SSL_|EPROTO$|ETLS$)/, 'no secure connection to the mail server could be made'],
  [/^EPROTOCOL$/, 'the mail server did not speak SMTP'],
  [/^EAUTH$/, REFUSED_LOGIN],
  [/^EENVELOPE$/, 'the address is not one that mail can be sent to'],
  [/^EMESSAGE$/, 'the mail is larger than the mail server takes'],
];

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
  const secrets = pass === '' ? [] : [base64(`\0${user}\0${pass}`), base64(pass), pass];
  /** Some servers repeat what they were sent. */
  const said = (response: string): string =>
    secrets.reduce((line, secret) => line.replaceAll(secret, '…'), response).replaceAll(/[\s\p{Cc}]+/gu, ' ');

  function failed({ code, originalCode, responseCode, response }: NodemailerError): EmailAttempt {
    if (responseCode === undefined || response === undefined) {
      const [, reason] = REASONS.find(([known]) => known.test(originalCode ?? '') || known.test(code ?? '')) ?? [];
      return { error: reason ?? `the mail could not be sent (${originalCode ?? code})` };
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
        const mail = {
          // Objects, for a string could be read as several addresses; a new one, for nodemailer writes into it. The envelope
          // is made of them anew for each connection: one given here would carry the 421 of one over to the next.
          from: { ...from },
          to: { name: '', address: to },
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          // RFC 3834, 5: nobody's auto-reply comes back.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        };
        transport.sendMail(mail, (error, info) => {
          if (error) resolve(failed(error));
          else resolve({ status: Number(info.response.slice(0, 3)), response: said(info.response) });
        });
      }),
    verify: () => transport.verify().then(() => ({}), failed),
    close: () => transport.close({ force: true }),
  };
}
