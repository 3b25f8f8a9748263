import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isMailAddress, loadConfig } from '../config.ts';
import { createSendEmail } from '../delivery/send-email.ts';
import { CommandError, runProgram } from './command.ts';

const USAGE = 'usage: npm run --silent mail:test -- you@example.com';

function recipient(args: string[]): string {
  const [to, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (to === undefined || more.length > 0) throw new CommandError(USAGE);
  if (!isMailAddress(to)) throw new CommandError('the address of the recipient is needed, such as you@example.com');
  return to;
}

await runProgram(USAGE, async (args) => {
  const { smtpUrl, mailFrom, baseUrl, deliveryTimeoutMs } = loadConfig(process.env);
  const to = recipient(args);
  if (smtpUrl === undefined) throw new CommandError('mail is off because SMTP_URL is not set');

  const sentence = `This mail shows that the service at ${baseUrl} can send mail.`;
  const mail = createSendEmail({ smtpUrl, from: mailFrom, maxConnections: 1 });
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
  process.stdout.write(`the mail server accepted the mail: ${response}\n`);
});
