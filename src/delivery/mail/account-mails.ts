import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import type { AccountMail } from '../../lib/events.ts';
import type { Language } from '../../lib/languages.ts';
import { FIRST_OWNER } from '../../lib/mail-address.ts';
import { SIZES } from '../../sizes.ts';
import { fill } from '../../texts/fill.ts';
import { MAIL_TEXTS } from '../../texts/mail-texts.ts';
import { button, compose, type Email, footer, paragraph } from './layout.ts';

/** A length of time in words, such as `15 minutes`. */
const inUnits = (language: Language, count: number, unit: 'minute' | 'hour' | 'day'): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);

/** Writes a mail about an account. `service`: the origin of the API. */
export function accountEmail(mail: AccountMail, service: string): Email {
  if (mail.kind === 'address-changed') return addressChanged(mail.newAddress, service);
  const { language } = mail;
  const texts = MAIL_TEXTS[language];
  switch (mail.kind) {
    case 'sign-in': {
      const { subject, text, button: label, footer: reason } = texts.signIn;
      const time = inUnits(language, SIZES.session.linkMinutes, 'minute');
      return compose(
        subject,
        [paragraph(fill(text, { service, time })), button(label, mail.url), footer(reason)],
        language,
      );
    }
    case 'new-address': {
      const { subject, text, button: label, footer: reason } = texts.newAddress;
      const time = inUnits(language, SIZES.emailChange.linkHours, 'hour');
      return compose(
        subject,
        [paragraph(fill(text, { service, time })), button(label, mail.url), footer(reason)],
        language,
      );
    }
    case 'invitation': {
      const { invitation } = texts;
      const { page } = mail;
      const inviter = mail.inviter === FIRST_OWNER ? fill(invitation.owner, { page }) : mail.inviter;
      const time = inUnits(language, SIZES.guest.linkDays, 'day');
      return compose(
        fill(invitation.subject, { page }),
        [
          paragraph(fill(invitation[mail.role], { inviter, page, service })),
          paragraph(fill(invitation.link, { time })),
          button(invitation.button, mail.url),
          paragraph(invitation.later),
          footer(fill(invitation.footer, { inviter })),
        ],
        language,
      );
    }
  }
}

/** In English: whoever has opened the link, and so chosen a language, may be the one against whom it warns. */
const addressChanged = (newAddress: string, service: string): Email =>
  compose(
    'Your address was changed',
    [
      paragraph(`Mail for your account at ${service} goes to ${newAddress} from now on, and to this address no more.`),
      paragraph('If it was not you, end all sessions and revoke your keys in the dashboard, and tell the operator.'),
      footer('You get this mail because this was the address of the account.', [
        ['Open the dashboard', `${service}${VIEW_PATHS.account}`],
      ]),
    ],
    'en',
  );
