import type { Closing } from '../../db/submissions/store-submissions.ts';
import { literal } from '../../problems/sentence.ts';
import { errorKind, HttpError } from './errors.ts';

function sentenceOf(closing: Closing): string {
  switch (closing.reason) {
    case 'not-open':
      return `This form opens at ${closing.opensAt.toISOString()}: send it then.`;
    case 'closed':
      return 'This form is closed: ask its owner.';
    case 'full':
      return 'This form is full: ask its owner.';
    case 'too-few-places':
      return `This form has only ${closing.left} ${closing.left === 1 ? 'place' : 'places'} left: send it for no more than that.`;
  }
}

/** The owner's message is about times: a form that is full says so itself. */
export const messageFor = ({ reason }: Closing, closedMessage: string | null): string | null =>
  reason === 'full' || reason === 'too-few-places' ? null : closedMessage;

/** The form accepts nothing now. `closedMessage`: what its owner wants to be said instead. */
export class FormClosed extends HttpError {
  readonly closing: Closing;
  readonly closedMessage: string | null;

  constructor(closing: Closing, closedMessage: string | null) {
    super(403, closedMessage === null ? sentenceOf(closing) : literal(closedMessage));
    this.closing = closing;
    this.closedMessage = closedMessage;
  }
}

const HAS_MESSAGE = 'The `error` is `closed_message`, if the deployment has one.';
const kind = (id: string, description: string, example: Closing) =>
  errorKind(
    { id, description: messageFor(example, '') === null ? description : `${description} ${HAS_MESSAGE}` },
    (closing: Closing, closedMessage: string | null) => new FormClosed(closing, closedMessage),
    example,
    null,
  );

const KINDS = {
  'not-open': kind('FormNotOpen', 'The form opens later, at `opens_at`.', {
    reason: 'not-open',
    opensAt: new Date('2027-03-01T09:00:00.000Z'),
    timeZone: 'UTC',
  }),
  closed: kind('FormClosed', 'The form has closed, at `closes_at`.', { reason: 'closed' }),
  full: kind('FormFull', 'All places of `max_submissions` are taken.', { reason: 'full' }),
  'too-few-places': kind('TooFewPlaces', 'The submission takes more places, as `places_field` says, than are left.', {
    reason: 'too-few-places',
    left: 2,
  }),
};

export const formClosed = (closing: Closing, closedMessage: string | null): HttpError =>
  KINDS[closing.reason](closing, messageFor(closing, closedMessage));

/** The errors that endpoints which submit declare. */
export const FORM_CLOSED = Object.values(KINDS);
