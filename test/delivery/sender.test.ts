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
  const sending = new Sender({ ...parts, limits: testLimits({ mail: { attemptTimeoutMs } }), smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  smtp.makeTrouble({ at: 'greeting', does: 'wait' });
  const sent = sending.mailAccount('ada@owner.example', {
    kind: 'sign-in',
    language: 'en',
    url: 'https://api.test/session/mail/t',
  });
  if (attemptTimeoutMs === 50) {
    await expect(sent).rejects.toThrow('the mail server did not answer in time');
    return;
  }
  await expect.poll(() => smtp.met()).toBe(1);
  smtp.makeTrouble();
  await sent;
  expect(smtp.received.map(({ to }) => to)).toEqual([['ada@owner.example']]);
});
