import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import type { AccountMail } from '../../lib/events.ts';
import { FIRST_OWNER } from '../../lib/mail-address.ts';
import { SIZES } from '../../sizes.ts';
import { button, compose, type Email, footer, paragraph } from './layout.ts';

const MAY = {
  reader: 'lets you read the submissions of',
  editor: 'lets you read the submissions of, and change,',
} as const;

/** Writes a mail about an account. `baseUrl`: the origin of the API. */
export function accountEmail(mail: AccountMail, baseUrl: string): Email {
  switch (mail.kind) {
    case 'sign-in':
      return compose('Sign in to formhost', [
        paragraph(`This link signs you in to ${baseUrl}. It works once, for ${SIZES.session.linkMinutes} minutes:`),
        button('Sign in', mail.url),
        footer('You get this mail because somebody asked for it with your address. If it was not you, do nothing.'),
      ]);
    case 'new-address':
      return compose('Confirm your new address', [
        paragraph(
          `You want to use this address for your account at ${baseUrl}. To confirm it, open this link within ${SIZES.emailChange.linkHours} hours, and press the button on the page:`,
        ),
        button('Confirm', mail.url),
        footer('You get this mail because somebody with an account gave your address. If it was not you, do nothing.'),
      ]);
    case 'invitation': {
      const inviter = mail.inviter === FIRST_OWNER ? `The owner of ${mail.page}` : mail.inviter;
      return compose(`${mail.page} is shared with you`, [
        paragraph(`${inviter} ${MAY[mail.role]} ${mail.page} at ${baseUrl}.`),
        paragraph(`This link signs you in. It works once, for ${SIZES.guest.linkDays} days:`),
        button('Open', mail.url),
        paragraph('Later, ask for a link with this address where you sign in.'),
        footer(`You get this mail because ${inviter} gave your address. If you do not want it, do nothing.`),
      ]);
    }
    case 'address-changed':
      return compose('Your address was changed', [
        paragraph(
          `Mail for your account at ${baseUrl} goes to ${mail.newAddress} from now on, and to this address no more.`,
        ),
        paragraph('If it was not you, end all sessions and revoke your keys in the dashboard, and tell the operator.'),
        footer('You get this mail because this was the address of the account.', [
          ['Open the dashboard', `${baseUrl}${VIEW_PATHS.account}`],
        ]),
      ]);
  }
}
