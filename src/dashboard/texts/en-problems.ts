/**
 * What languages other than English say in place of the sentences of the service, which are English and name more: the number that a
 * plan allows, or the field that is wrong.
 */
export const problems = {
  /** By the codes of errors. */
  byCode: {
    'changed-meanwhile': 'Somebody has changed it meanwhile: load the view again, and make your change anew.',
    'domain-taken': 'The domain is live at another page: remove it there first.',
    'draft-limit': 'You have drafts of too many files of this page: publish or discard some first.',
    'down-already': 'The page is taken down already.',
    'email-taken': 'Another account has this address: choose another.',
    'feed-limit': 'There are as many addresses for spreadsheets as a page can have: delete one first.',
    'guest-limit': 'The page has as many guests as it can have: remove one first.',
    'guest-refused': 'You are a guest of this page, and may not do this: ask its owner.',
    'idempotency-key-reused': 'It was sent before with other contents: load the view again.',
    'import-running': 'An import is running already: wait until it has ended.',
    'internal-error': 'The service has failed. Try again; if it fails again, tell its operator.',
    'invalid-authorization': 'The program asks in a way that is not understood: begin again there.',
    'key-for-pages': 'This key is for some pages only: sign in with another one.',
    'known-guest': 'This address is a guest already.',
    'last-key': 'This is your last key for everything: make another one first.',
    'narrow-scope': 'You may only read: sign in with a key for everything.',
    'never-accepted': 'This submission came as spam: choose *Not spam* to accept it.',
    'no-account': 'Guests have no pages of their own: ask the operator for an account.',
    'no-free-place':
      'The form has no free place for it: raise the number of places, or delete another submission first.',
    'no-invitations': 'This service sends no mail, which invitations need: ask its operator.',
    'no-mail': 'This service sends no mail: sign in with a key.',
    'no-mail-server': 'This service sends no mail: ask its operator.',
    'nobody-gets-mail': 'Nobody would get this mail: have a recipient confirm, and try again.',
    'not-allowable': 'Your key may not do what the program asks for: sign in with another key.',
    'not-down': 'The page is not taken down.',
    'not-enough-places':
      'The form has fewer free places than the rows take: raise the number of places, or import fewer.',
    'not-found': 'There is nothing at this address.',
    'not-in-trash': 'It is not in the trash any more: load the view again.',
    'not-older':
      'The page has submissions, and a row is not older than the oldest of them: import only rows from before it.',
    'other-site': 'Another site may not sign in here: open the service itself.',
    'plan-limit': 'Your plan allows no more pages: delete one, or ask the operator for a larger plan.',
    'share-limit': 'The page has as many links as it can have: end one first.',
    'slug-taken': 'This address is taken: choose another one.',
    'storage-full':
      'Your plan allows no more storage: delete pages for good, or submissions with files, or ask the operator for a larger plan.',
    'too-complex': 'The page is too complex to be checked: close its elements in the order in which they are opened.',
    'too-few-places': 'The form has not so many places left.',
    'too-large': 'It is too large.',
    'too-many-grants': 'As many programs are allowed as there can be: end one first, in Account.',
    'too-many-keys': 'There are as many keys as there can be: revoke one first.',
    'too-many-recipients': 'There are as many recipients as there can be: remove one first.',
    'too-many-renames': 'Too many former addresses lead to this page. Give it one of them again, or wait.',
    'too-many-tries': 'Too many links were asked for: use the last one, or try again later.',
    'too-slow': 'The upload is too slow: try again on a faster connection.',
    unauthorized: 'You are not signed in, or the key is wrong: sign in with a key that is valid.',
    unavailable: 'The service is busy or starting: try again shortly.',
    'unknown-program': 'The address to which the program wants to be sent is not one that it has named.',
    'webhook-limit': 'The page has as many webhooks as it can have: remove one first.',
    'webhook-loop': 'The webhook leads back to this service: enter the address of a receiver of your own.',
    'wrong-type': 'The service does not take this kind of file.',
    yourself: 'This is your own account: another operator can do it.',
  },
  /** Something is not there: it was deleted, or the link is wrong. */
  gone: 'It is not there any more: load the view again.',
  /** Something was done too often. */
  tooMany: 'That was too often: wait for a while, and try again.',
  /** How the value of a field is wrong. `{limit}`: the last number, or the number of characters or items, that would be right. */
  values: {
    missing: 'Enter something here.',
    'wrong-type': 'This is not right: enter something else.',
    'wrong-format': 'This is not written as it has to be.',
    'too-long': 'This is too long: at most {limit}.',
    'too-short': 'This is too short: at least {limit}.',
    'too-high': 'At most {limit}.',
    'too-low': 'At least {limit}.',
    'unknown-value': 'There is no such value: choose another one.',
    'not-allowed': 'This is not allowed here: enter something else.',
    conflict: 'This does not go together with another field.',
  },
  /** An answer without a sentence. `{status}`: a number, such as 502. */
  answered: 'The service answered {status}: try again.',
  noConnection: 'There is no connection to the service.',
  busy: 'The service is busy or starting.',
  /** The beginning of the sentence in which the name of a field precedes what is wrong. */
  atField: '{field}: {sentence}',
} as const;
