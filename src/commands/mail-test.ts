import { randomUUID } from 'node:crypto';
import { MailClient } from '../delivery/mail/mail-client.ts';
import { isMailAddress } from '../lib/mail-address.ts';
import { LIMITS } from '../limits.ts';
import { CommandError } from './command-error.ts';
import { operate } from './operator.ts';
import { type Output, printResult } from './output.ts';

/** Sends one mail, and prints what the mail server answered. */
export const sendTestMail = (to: string, output: Output): Promise<void> =>
  operate(async ({ config: { smtpUrl, mailFrom, baseUrl, deliveryTimeoutMs } }) => {
    if (!isMailAddress(to)) throw new CommandError('the address of the recipient is needed, such as you@example.com');
    if (smtpUrl === undefined) throw new CommandError('mail is off because SMTP_URL is not set');
    const sentence = `This mail shows that the service at ${baseUrl} can send mail.`;
    const mail = new MailClient({ smtpUrl, from: mailFrom, limits: LIMITS });
    const { error, response = '' } = await mail.send(
      {
        id: `test_${randomUUID()}`,
        to,
        subject: 'Test mail from formhost',
        text: `${sentence}\n`,
        html: `<!doctype html>\n<p>${sentence}</p>\n`,
      },
      AbortSignal.timeout(deliveryTimeoutMs),
    );
    mail.close();
    if (error !== undefined) throw new CommandError(response === '' ? error : `${error}: ${response}`);
    await printResult({ message: `the mail server accepted the mail: ${response}`, to, response }, output);
  });
