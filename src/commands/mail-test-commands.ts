import { randomUUID } from 'node:crypto';
import type { Command } from '@commander-js/extra-typings';
import { MailClient } from '../delivery/mail/mail-client.ts';
import { LIMITS } from '../limits.ts';
import { CommandError } from './command-error.ts';
import { declare } from './declare.ts';
import { mailAddress, operate } from './operator.ts';
import { printResult } from './output.ts';

/** Sends one mail, and prints what the mail server answered. */
export const declareMailTest = (admin: Command): unknown =>
  declare(admin, 'mail-test', 'Send a test mail', '$ admin mail-test you@example.com')
    .argument('<address>', 'the recipient', mailAddress)
    .action((to, output) =>
      operate(async ({ config: { smtpUrl, mailFrom, baseUrl } }) => {
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
          AbortSignal.timeout(LIMITS.mail.attemptTimeoutMs),
        );
        mail.close();
        if (error !== undefined) throw new CommandError(response === '' ? error : `${error}: ${response}`);
        await printResult({ message: `the mail server accepted the mail: ${response}`, to, response }, output);
      }),
    );
