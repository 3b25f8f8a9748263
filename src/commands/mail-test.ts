import { randomUUID } from 'node:crypto';
import { isMailAddress, loadConfig } from '../config.ts';
import { MailClient } from '../delivery/mail/send-email.ts';
import { LIMITS } from '../limits.ts';
import { onlyArgument, runProgram } from './command.ts';
import { CommandError } from './command-error.ts';

const USAGE = 'usage: npm run --silent mail:test -- you@example.com [--json]';

function recipient(args: string[]): string {
  const to = onlyArgument(args);
  if (!isMailAddress(to)) throw new CommandError('the address of the recipient is needed, such as you@example.com');
  return to;
}

export const main = (): Promise<void> =>
  runProgram(USAGE, async ({ args, json }) => {
    const { smtpUrl, mailFrom, baseUrl, deliveryTimeoutMs } = loadConfig(process.env);
    const to = recipient(args);
    if (smtpUrl === undefined) throw new CommandError('mail is off because SMTP_URL is not set');

    const sentence = `This mail shows that the service at ${baseUrl} can send mail.`;
    const mail = new MailClient({ smtpUrl, from: mailFrom, maxConnections: 1, limits: LIMITS });
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
    const message = `the mail server accepted the mail: ${response}`;
    process.stdout.write(`${json ? JSON.stringify({ message, to, response }) : message}\n`);
  });

if (import.meta.main) await main();
