import { describe, expect, it } from 'vitest';
import { formhost } from '../support/run-command.ts';
import { readMail, testSmtpServer } from '../support/smtp.ts';

const LOGIN = { user: 'forms', password: 'p@ss-w0rd' };
const TO = 'you@example.com';

const mailTest = (args: string[], settings: Record<string, string>) =>
  formhost(['admin', 'mail-test', ...args], { settings });

const failed = (line: string) => ({ code: 1, stdout: '', stderr: `formhost: ${line}\n` });

describe('formhost admin mail-test', () => {
  it('sends one mail from MAIL_FROM, and prints what the server answered', async () => {
    const server = await testSmtpServer({ login: LOGIN });
    const settings = { SMTP_URL: server.url, MAIL_FROM: 'Forms <forms@pages.example>' };
    const response = '250 kept as number 7';
    const message = `the mail server accepted the mail: ${response}`;
    expect(await mailTest([TO], settings)).toEqual({ code: 0, stdout: `${message}\n`, stderr: '' });
    expect(server.received.map(({ from, to, user }) => ({ from, to, user }))).toEqual([
      { from: 'forms@pages.example', to: [TO], user: 'forms' },
    ]);
    const headers = server.received.flatMap(({ raw }) => readMail(raw).headers);
    expect(headers.filter(([name]) => ['From', 'To', 'Subject'].includes(name))).toEqual([
      ['From', 'Forms <forms@pages.example>'],
      ['To', TO],
      ['Subject', 'Test mail from formhost'],
    ]);
    const { stdout } = await mailTest([TO, '--json'], settings);
    expect(JSON.parse(stdout)).toEqual({ message, to: TO, response });
  });

  it('has the time of a mail, whatever that of a webhook is', async () => {
    const server = await testSmtpServer();
    const settings = { SMTP_URL: server.url, DELIVERY_TIMEOUT_MS: '1' };
    expect(await mailTest([TO], settings)).toMatchObject({ code: 0, stderr: '' });
    expect(server.received.length).toBe(1);
  });

  it('prints why the server refused, in its own words', async () => {
    const server = await testSmtpServer();
    server.makeTrouble({ at: 'rcpt', does: { code: 550, text: 'No such user here' } });
    const result = await mailTest([TO], { SMTP_URL: server.url });
    expect(result).toEqual(failed('the mail server answered 550: 550 No such user here'));
  });

  it('says that mail is off without SMTP_URL', async () => {
    expect(await mailTest([TO], {})).toEqual(failed('mail is off because SMTP_URL is not set'));
  });

  it('says in a line what is wrong with a setting, and no password', async () => {
    const { stderr, ...result } = await mailTest([TO], { SMTP_URL: 'imap://forms:secret@mail.example' });
    expect(result).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^(?!.*secret)formhost: SMTP_URL .*\n$/);
  });

  it.each(['nobody', 'a@b.example\nBcc: c@d.example'])('refuses what is no address, in a line: %j', async (address) => {
    const server = await testSmtpServer();
    const result = await mailTest([address], { SMTP_URL: server.url });
    const shown = address.replace('\n', '\\u000a');
    expect(result).toEqual(failed(`${shown} is not an e-mail address: give one such as you@example.com`));
    expect(server.received).toEqual([]);
  });
});
