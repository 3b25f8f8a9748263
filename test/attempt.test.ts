import { expect, it } from 'vitest';
import type { LeasedDelivery } from '../src/db/delivery-target.ts';
import { createAttempt } from '../src/delivery/attempt.ts';
import { createLog } from '../src/log.ts';

const { attempt } = createAttempt({
  allowedNetworks: [],
  own: { isIn: () => false, isAt: () => false },
  urlOf: (slug) => `https://${slug}.pages.test`,
  baseUrl: 'https://api.test',
  links: () => Promise.reject(new Error('No link is made.')),
  labelsOf: () => Promise.reject(new Error('No mail is written.')),
  readDigest: () => Promise.reject(new Error('No mail is written.')),
  smtpUrl: undefined,
  mailFrom: { name: '', address: 'formhost@test.example' },
  log: createLog('silent'),
});

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
  expect(await attempt(delivery(target), AbortSignal.timeout(5_000))).toEqual({
    error: 'mail is off: SMTP_URL is not set',
  });
});
