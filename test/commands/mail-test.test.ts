import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../support/command.ts';
import { freePort, startProgram } from '../support/process.ts';
import { readMail, startSmtpServer } from '../support/smtp.ts';

const LOGIN = { user: 'forms', password: 'p@ss-w0rd' };
const TO = 'you@example.com';

const mailTest = (args: string[], settings: Record<string, string>) => runCommand('mail-test', args, { settings });

async function startServer(settings?: Parameters<typeof startSmtpServer>[0]) {
  const server = await startSmtpServer(settings);
  onTestFinished(() => server.close());
  return server;
}

const failed = (line: string) => ({ code: 1, stdout: '', stderr: `formhost: ${line}\n` });

describe('mail:test', () => {
  it('sends one mail from MAIL_FROM, and prints what the server answered', async () => {
    const server = await startServer({ login: LOGIN });
    const settings = { SMTP_URL: server.url, MAIL_FROM: 'Forms <forms@pages.example>' };
    expect(await mailTest([TO], settings)).toEqual({
      code: 0,
      stdout: 'the mail server accepted the mail: 250 kept as number 7\n',
      stderr: '',
    });
    expect(server.received.map(({ from, to, user }) => ({ from, to, user }))).toEqual([
      { from: 'forms@pages.example', to: [TO], user: 'forms' },
    ]);
    const headers = server.received.flatMap(({ raw }) => readMail(raw).headers);
    expect(headers.filter(([name]) => ['From', 'To', 'Subject'].includes(name))).toEqual([
      ['From', 'Forms <forms@pages.example>'],
      ['To', TO],
      ['Subject', 'Test mail from formhost'],
    ]);
  });

  it('prints JSON with --json', async () => {
    const server = await startServer();
    const { stdout, ...rest } = await mailTest(['--json', TO], { SMTP_URL: server.url });
    expect(rest).toEqual({ code: 0, stderr: '' });
    const response = '250 kept as number 7';
    expect(JSON.parse(stdout)).toEqual({
      message: `the mail server accepted the mail: ${response}`,
      to: TO,
      response,
    });
  });

  it('does so through npm', async () => {
    const server = await startServer();
    const args = ['run', '--silent', 'mail:test', '--', TO];
    const { result } = startProgram('npm', args, { SMTP_URL: server.url });
    expect(await result).toEqual(expect.objectContaining({ code: 0, stderr: '' }));
    expect(server.received.map(({ to }) => to)).toEqual([[TO]]);
  });

  it('prints why the server refused, in its own words', async () => {
    const server = await startServer();
    server.makeTrouble({ at: 'rcpt', does: { code: 550, text: 'No such user here' } });
    const result = await mailTest([TO], { SMTP_URL: server.url });
    expect(result).toEqual(failed('the mail server answered 550: 550 No such user here'));
  });

  it('prints that the login was refused, and never the password', async () => {
    const server = await startServer({ login: LOGIN });
    server.makeTrouble({ at: 'auth', does: { code: 535, text: `You said ${LOGIN.password}` } });
    const result = await mailTest([TO], { SMTP_URL: server.url });
    expect(result).toEqual(failed('the mail server refused the user name or password: 535 You said …'));
  });

  it('prints that nobody listens', async () => {
    const settings = { SMTP_URL: `smtp://forms:secret@127.0.0.1:${await freePort()}` };
    expect(await mailTest([TO], settings)).toEqual(failed('the connection to the mail server was refused'));
  });

  it.each(['greeting', 'message'] as const)('ends by itself when the server hangs (%s)', async (at) => {
    const server = await startServer();
    server.makeTrouble({ at, does: 'hang' });
    const result = await mailTest([TO], { SMTP_URL: server.url, DELIVERY_TIMEOUT_MS: '500' });
    expect(result).toEqual(failed('the mail server did not answer in time'));
  });

  it('says that mail is off without SMTP_URL', async () => {
    expect(await mailTest([TO], {})).toEqual(failed('mail is off because SMTP_URL is not set'));
  });

  it('says in a line what is wrong with a setting, and no password', async () => {
    const { stderr, ...result } = await mailTest([TO], { SMTP_URL: 'imap://forms:secret@mail.example' });
    expect(result).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^(?!.*secret)formhost: SMTP_URL .*\n$/);
  });

  it.each(['nobody', 'a@b.example,c@d.example', 'a@b.example\nBcc: c@d.example', 'Ada <ada@b.example>', ''])(
    'refuses what is no address, in a line: %j',
    async (address) => {
      const server = await startServer();
      const result = await mailTest([address], { SMTP_URL: server.url });
      expect(result).toEqual(failed('the address of the recipient is needed, such as you@example.com'));
      expect(server.received).toEqual([]);
    },
  );
});
