import type { LeasedDelivery } from '../../src/db/deliveries/delivery-queue.ts';
import type { Email } from '../../src/delivery/mail/layout.ts';
import { MAIL_KINDS, type MailSources } from '../../src/delivery/mail/mail-kinds.ts';

const nothing = () => Promise.reject(new Error('Nothing is looked up.'));

const SOURCES: MailSources = {
  urlOf: (slug) => `https://${slug}.pages.test`,
  baseUrl: 'https://api.test',
  links: nothing,
  formsOf: nothing,
  readDigest: nothing,
  reserveConfirmation: nothing,
};

/** The mail of a row in `deliveries`. */
export async function writeMail(
  row: Partial<LeasedDelivery> & { event: string },
  sources: Partial<MailSources> = {},
): Promise<Email> {
  const email = await MAIL_KINDS.get(row.event)?.({
    ...{ id: 'dl_1', attempts: 1, receiver: '@mail', ownerId: 1, deploymentId: 'd_1', slug: 'my-page', title: null },
    ...{ webhook: null, to: 'owner@test.example', timeZone: 'UTC', recipientId: null, notice: null },
    confirmation: null,
    ...{ submissionId: null, data: null, form: null, isTest: false, testVersion: null, createdAt: new Date() },
    ...row,
  })({ ...SOURCES, ...sources });
  if (!email) throw new Error('No mail was written.');
  return email;
}
