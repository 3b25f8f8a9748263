import { sentenceReader, sentenceWith } from './coded-sentences.ts';

/* The reasons why attempts to deliver fail. */

/** The sentences of the API, by their codes. The texts of the dashboard have the value of the one place as `{value}`. */
export const FAILURES = {
  'receiver-status': 'the receiver answered {status}',
  'receiver-refused': 'the receiver answered a success, and says that the message was not delivered',
  'receiver-slow': 'the receiver did not answer completely within the time limit',
  'cut-off': 'the connection was closed before the answer was complete',
  'invalid-url': 'the URL is not valid',
  'fenced-address': 'webhooks may not reach this address',
  'leads-here': 'the URL leads back to this service',
  unresolved: 'the name could not be resolved',
  'connection-refused': 'the connection was refused',
  unreachable: 'the receiver could not be reached',
  'no-secure-connection': 'no secure connection could be made',
  'invalid-certificate': 'the certificate is not valid',
  'not-http': 'the answer is not HTTP',
  'long-headers': 'the answer has more than {limit} bytes of headers',
  'long-interim': 'the receiver sent more than {limit} bytes with a status of 1xx',
  unknown: 'the attempt failed',
  'mail-off': 'mail is off: SMTP_URL is not set',
  'mail-status': 'the mail server answered {status}',
  'mail-login': 'the mail server refused the user name or password',
  'mail-connection-refused': 'the connection to the mail server was refused',
  'mail-unreachable': 'the mail server could not be reached',
  'mail-unresolved': 'the name of the mail server could not be resolved',
  'mail-cut-off': 'the mail server closed the connection',
  'mail-slow': 'the mail server did not answer in time',
  'mail-no-secure-connection': 'no secure connection to the mail server could be made',
  'mail-invalid-certificate': 'the certificate of the mail server is not valid',
  'mail-not-smtp': 'the mail server did not speak SMTP',
  'mail-address': 'the address is not one that mail can be sent to',
  'mail-too-large': 'the mail is larger than the mail server accepts',
  'mail-unknown': 'the mail could not be sent ({reason})',
  'mail-refused-before': 'the mail server has refused other mails to the address',
  'visitor-address': 'the field {field} of the submission is not one plain mail address',
  'visitor-refused-before': 'the mail server has refused the address before',
  'visitor-limit': 'the address gets one confirmation of this page a day',
  'confirmation-limit': 'the confirmations of this day are used up (CONFIRMATIONS_PER_DAY)',
  'service-stopped': 'the service stopped during the last attempt',
  'service-failed': 'an internal error of the service',
  unreadable: 'the delivery cannot be read: {reason}',
} as const;

export type FailureCode = keyof typeof FAILURES;

/** Returns the sentence of a failure with values in its places. */
export const failure = <Code extends FailureCode>(
  code: Code,
  values: Parameters<typeof sentenceWith<(typeof FAILURES)[Code]>>[1],
): string => sentenceWith<(typeof FAILURES)[Code]>(FAILURES[code], values);

/** Finds the reason that a stored sentence tells. */
export const failureOf = sentenceReader<FailureCode>(FAILURES);
