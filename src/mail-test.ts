import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig } from './config.ts';
import { createSendEmail } from './delivery/send-email.ts';

const USAGE = 'usage: npm run --silent mail:test -- you@example.com';

function recipient(args: string[]): string {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  if (positionals.length !== 1) throw new Error(USAGE);
  const address = z.email({ pattern: z.regexes.html5Email }).max(254).safeParse(positionals[0]);
  if (!address.success) throw new Error('the address of the recipient is needed, such as you@example.com');
  return address.data;
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile();
  const { smtpUrl, mailFrom, baseUrl, deliveryTimeoutMs } = loadConfig(process.env);
  const to = recipient(process.argv.slice(2));
  if (smtpUrl === undefined) throw new Error('mail is off because SMTP_URL is not set');

  const sentence = `This mail shows that the service at ${baseUrl} can send mail.`;
  const mail = createSendEmail({ smtpUrl, from: mailFrom });
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
  if (error !== undefined) throw new Error(response === '' ? error : `${error}, saying: ${response}`);
  process.stdout.write(`the mail server took the mail, saying: ${response}\n`);
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`formhost: ${error instanceof Error ? error.message : error}\n${isUsage ? `${USAGE}\n` : ''}`);
  process.exitCode = 1;
}
