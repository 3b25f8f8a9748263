import type { Language } from './languages.ts';

/**
 * The events that a webhook can receive. A new event also needs a statement that creates its deliveries (src/db), a
 * payload (src/delivery/webhooks/payloads.ts, src/webhooks/signed-message.ts; the compiler reports a missing one) and documentation: see CONTRIBUTING.md.
 */
export const EVENTS = ['submission'] as const;

export type Event = (typeof EVENTS)[number];

/**
 * The events of mails. A mail about a submission has `submission` where it is for the owner, and `submission-mail` where
 * it is for a recipient. A new one also needs its kind in src/delivery/mail/mail-kinds.ts.
 */
const MAIL_EVENTS = [
  ...['submission-mail', 'digest', 'test-mail', 'confirmation', 'webhook-off', 'recipient-off', 'storage'],
  'domain-broken',
  ...['visitor-confirmation', 'confirmation-preview'],
] as const;

export type MailEvent = (typeof MAIL_EVENTS)[number];

/**
 * The header of every request to a webhook, with the delivery's id. A submission that has it is from a webhook that
 * leads back here.
 */
export const DELIVERY_HEADER = 'formhost-delivery';
/** A header of deliveries and mails about a test of the owner. */
export const TEST_HEADER = 'formhost-test';

/** The mails to an owner about the account, apart from its pages. `url`: a link that works once. */
export type AccountMail =
  | ({ language: Language } & (
      | { kind: 'sign-in'; url: string }
      | { kind: 'new-address'; url: string }
      | { kind: 'invitation'; page: string; inviter: string; role: 'reader' | 'editor'; url: string }
    ))
  | { kind: 'address-changed'; newAddress: string };
