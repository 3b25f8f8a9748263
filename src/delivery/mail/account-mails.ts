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
    case 'address-changed': {
      const { subject, text, ifNot, footer: reason, dashboard } = texts.addressChanged;
      return compose(
        subject,
        [
          paragraph(fill(text, { service, address: mail.newAddress })),
          paragraph(ifNot),
          footer(reason, [[dashboard, `${service}${VIEW_PATHS.account}`]]),
        ],
        language,
      );
    }
  }
}
