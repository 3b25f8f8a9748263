/** The mails to an owner about the account, apart from its pages. `url`: a link that works once. */
export type AccountMail =
  | { kind: 'sign-in'; url: string }
  | { kind: 'new-address'; url: string }
  | { kind: 'address-changed'; newAddress: string };
