import { vi } from 'vitest';
import { decodeWords, headerOf, readMail, type SmtpServer } from './smtp.ts';
import { BASE_URL } from './test-service.ts';

/** A mail as its reader sees it. `unsubscribe`: the path of List-Unsubscribe, if there is one. */
export type SeenMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  id: string;
  unsubscribe: string | undefined;
};

/** The mails that a server has received, in the order in which they came. */
export const seenMails = ({ received }: SmtpServer): SeenMail[] =>
  received.map(({ raw, to }) => {
    const { headers, parts } = readMail(raw);
    const [, url] = /^<([^<>\s]+)>$/.exec(headers.find(([name]) => name === 'List-Unsubscribe')?.[1] ?? '') ?? [];
    return {
      to: to.join(),
      subject: decodeWords(headerOf(headers, 'Subject')),
      text: parts[0]?.text ?? '',
      html: parts[1]?.text ?? '',
      id: headerOf(headers, 'Message-ID'),
      unsubscribe: url?.slice(BASE_URL.length),
    };
  });

/** Waits for so many mails with a subject; answers them by their recipients. */
export const mailsWith = (smtp: SmtpServer, subject: string, count: number): Promise<SeenMail[]> =>
  vi.waitFor(
    () => {
      const found = seenMails(smtp).filter((mail) => mail.subject === subject);
      if (found.length !== count) throw new Error(`${found.length} mails, and not ${count}: ${subject}`);
      return found.sort((one, other) => (one.to < other.to ? -1 : 1));
    },
    { timeout: 60_000, interval: 20 },
  );

/** The path of the link in a mail that asks a recipient. */
export function confirmPath({ text }: SeenMail): string {
  const [, url = ''] = /^(http\S+\/confirm\/\S+)$/m.exec(text) ?? [];
  return url.slice(BASE_URL.length);
}
