import { compose, type Email, footer, paragraph } from './emails.ts';

/** The mail with a link that signs in. `minutes`: for how long the link works. */
export const signInEmail = ({ url, baseUrl, minutes }: { url: string; baseUrl: string; minutes: number }): Email =>
  compose('Sign in to formhost', [
    paragraph(`This link signs you in to ${baseUrl}. It works once, for ${minutes} minutes:`),
    paragraph(url),
    footer('You get this mail because somebody asked for it with your address. If it was not you, do nothing.', [
      ['Sign in', url],
    ]),
  ]);
