import { expect, it, onTestFinished } from 'vitest';
import type { LeasedDelivery } from '../../src/db/deliveries/delivery-queue.ts';
import { Sender } from '../../src/delivery/sender.ts';
import { createLog } from '../../src/lib/log.ts';
import { SignedLinks } from '../../src/lib/signed-links.ts';
import { readMail, testSmtpServer } from '../support/smtp.ts';
import { testLimits } from '../support/test-limits.ts';

const parts = {
  allowedNetworks: [],
  own: { isIn: () => false, isAt: () => false },
  urlOf: (slug: string) => `https://${slug}.pages.test`,
  baseUrl: 'https://api.test',
  links: () => Promise.reject(new Error('No link is made.')),
  formsOf: () => Promise.reject(new Error('Labels are out of reach.')),
  readDigest: () => Promise.reject(new Error('No digest is written.')),
  reserveConfirmation: () => Promise.reject(new Error('No visitor gets mail.')),
  limits: testLimits(),
  smtpUrl: undefined,
  mailFrom: { name: '', address: 'formhost@test.example' },
  log: createLog('silent'),
};
const sender = new Sender(parts);
const SIGN_IN = { kind: 'sign-in', language: 'en', url: 'https://api.test/session/mail/t' } as const;

const delivery: LeasedDelivery = {
  ...{ id: 'dl_1', attempts: 1, receiver: '@mail', ownerId: 1, deploymentId: 'd_1', slug: 'a-form', title: null },
  ...{
    event: 'submission',
    webhook: null,
    to: 'owner@test.example',
    timeZone: 'UTC',
    recipientId: null,
    notice: null,
  },
  confirmation: null,
  ...{
    submissionId: 'sub_1',
    data: '{"name":"Ada"}',
    form: null,
    isTest: false,
    testVersion: null,
    createdAt: new Date(),
  },
};

it('fails for a mail without SMTP_URL', async () => {
  expect(await sender.attempt(delivery, AbortSignal.timeout(5_000))).toEqual({
    error: 'mail is off: SMTP_URL is not set',
  });
});

it('sends a mail with the names of fields when their labels cannot be read', async () => {
  const smtp = await testSmtpServer();
  const links = async () => new SignedLinks('https://api.test', Buffer.alloc(32));
  const sending = new Sender({ ...parts, links, smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  expect(await sending.attempt(delivery, AbortSignal.timeout(15_000))).toMatchObject({ status: 250 });
  expect(readMail(smtp.received[0]?.raw ?? Buffer.alloc(0)).parts[0]?.text).toContain('\n\nname: Ada\n\n');
});

it.each([
  ['until its time is over', 50],
  ['longer than a webhook has', 600_000],
])('waits for the mail server with a mail about an account, %s', async (_how, attemptTimeoutMs) => {
  const smtp = await testSmtpServer();
  const limits = testLimits({ mail: { attemptTimeoutMs, accountAttempts: 1 } });
  const sending = new Sender({ ...parts, limits, smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  smtp.makeTrouble({ at: 'greeting', does: 'wait' });
  const sent = sending.mailAccount('ada@owner.example', SIGN_IN);
  if (attemptTimeoutMs === 50) {
    await expect(sent).rejects.toThrow('the mail server did not answer in time');
    return;
  }
  await expect.poll(() => smtp.met()).toBe(1);
  smtp.makeTrouble();
  await sent;
  expect(smtp.received.map(({ to }) => to)).toEqual([['ada@owner.example']]);
});

it('tries again with a mail about an account until the mail server takes it', async () => {
  const smtp = await testSmtpServer();
  const limits = testLimits({ mail: { accountRetryMs: 20, maxAccountMails: 1, accountAttempts: 10 } });
  const sending = new Sender({ ...parts, limits, smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  smtp.makeTrouble({ at: 'rcpt', does: { code: 451, text: '4.7.1 Greylisted' } });
  await sending.mailAccount('ada@owner.example', SIGN_IN);
  await expect.poll(() => smtp.met()).toBeGreaterThan(2);
  await expect(sending.mailAccount('grace@owner.example', SIGN_IN)).rejects.toThrow('answered 451');
  smtp.makeTrouble();
  await expect.poll(() => smtp.received.map(({ to }) => to)).toEqual([['ada@owner.example']]);
  // Its place is free again.
  smtp.makeTrouble({ at: 'rcpt', does: { code: 451, text: '4.7.1 Greylisted' } });
  await expect
    .poll(() =>
      sending.mailAccount('grace@owner.example', SIGN_IN).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await sending.close();
  const met = smtp.met();
  smtp.makeTrouble();
  expect(smtp.received).toHaveLength(1);
  expect(smtp.met()).toBe(met);
});

it.each([
  ['for good', { code: 550, text: '5.1.1 No such user' }, 5, 'answered 550'],
  ['too often', { code: 451, text: '4.7.1 Greylisted' }, 1, 'answered 451'],
])('gives a mail about an account up that the mail server refuses %s', async (_how, does, accountAttempts, error) => {
  const smtp = await testSmtpServer();
  const limits = testLimits({ mail: { accountAttempts, accountRetryMs: 1 } });
  const sending = new Sender({ ...parts, limits, smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  smtp.makeTrouble({ at: 'rcpt', does });
  await expect(sending.mailAccount('ada@owner.example', SIGN_IN)).rejects.toThrow(error);
  expect(smtp.met()).toBe(1);
});
