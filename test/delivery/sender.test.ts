import { expect, it, onTestFinished } from 'vitest';
import type { LeasedDelivery } from '../../src/db/deliveries/delivery-target.ts';
import { Sender } from '../../src/delivery/sender.ts';
import { createLog } from '../../src/lib/log.ts';
import { createSignedLinks } from '../../src/lib/signed-links.ts';
import { testLimits } from '../support/limits.ts';
import { readMail, startSmtpServer } from '../support/smtp.ts';

const parts = {
  allowedNetworks: [],
  own: { isIn: () => false, isAt: () => false },
  urlOf: (slug: string) => `https://${slug}.pages.test`,
  baseUrl: 'https://api.test',
  links: () => Promise.reject(new Error('No link is made.')),
  labelsOf: () => Promise.reject(new Error('Labels are out of reach.')),
  readDigest: () => Promise.reject(new Error('No digest is written.')),
  limits: testLimits(),
  smtpUrl: undefined,
  mailFrom: { name: '', address: 'formhost@test.example' },
  log: createLog('silent'),
};
const sender = new Sender(parts);

const delivery = (target: LeasedDelivery['target']): LeasedDelivery => ({
  id: 'dl_1',
  attempts: 1,
  receiver: 'receiver.test:443',
  ownerId: 1,
  deploymentId: 'd_1',
  slug: 'a-form',
  submissionId: undefined,
  target,
  data: undefined,
  createdAt: new Date(),
});

it.each<LeasedDelivery['target']>([
  { kind: 'mail', to: 'owner@test.example', recipientId: undefined },
  { kind: 'notice', to: 'owner@test.example', notice: 'A webhook was switched off.' },
])('fails for a $kind without SMTP_URL', async (target) => {
  expect(await sender.attempt(delivery(target), AbortSignal.timeout(5_000))).toEqual({
    error: 'mail is off: SMTP_URL is not set',
  });
});

it('sends a mail with the names of fields when their labels cannot be read', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(() => smtp.close());
  const links = async () => createSignedLinks('https://api.test', Buffer.alloc(32));
  const sending = new Sender({ ...parts, links, smtpUrl: smtp.url });
  onTestFinished(() => sending.close());
  const mail = { kind: 'mail', to: 'owner@test.example', recipientId: undefined } as const;
  const sent = { ...delivery(mail), submissionId: 'sub_1', data: '{"name":"Ada"}' };
  expect(await sending.attempt(sent, AbortSignal.timeout(15_000))).toMatchObject({ status: 250 });
  expect(readMail(smtp.received[0]?.raw ?? Buffer.alloc(0)).parts[0]?.text).toContain('\n\nname: Ada\n\n');
});
