import { asListed, HIDDEN_ORIGIN, toOrigin } from '../../lib/origins.ts';
import { errorKind, HttpError } from '../response/errors.ts';
import type { Fields } from './form-body.ts';
import { FilesRefused } from './multipart.ts';

/** The maximum length of an origin in messages, because a client can send any text. */
const MAX_SHOWN_ORIGIN_CHARS = 300;

/** The form is on a site that its deployment accepts nothing from. */
export class OriginRefused extends HttpError {
  readonly origin: string;
  readonly remedy: Remedy;

  constructor(origin: string) {
    const shown = origin.length > MAX_SHOWN_ORIGIN_CHARS ? `${origin.slice(0, MAX_SHOWN_ORIGIN_CHARS)}…` : origin;
    const remedy = remedyFor(origin);
    super(403, ADVICE[remedy](shown));
    this.origin = shown;
    this.remedy = remedy;
  }
}

/** The remedy: the owner lists the origin, the page shows its origin, or nothing helps, because no page has such an origin. */
type Remedy = 'list' | 'show' | 'none';

function remedyFor(origin: string): Remedy {
  if (origin === HIDDEN_ORIGIN) return 'show';
  return toOrigin(origin) === asListed(origin) ? 'list' : 'none';
}

const ADVICE: Readonly<Record<Remedy, (origin: string) => string>> = {
  list: (origin) => `This form accepts no submissions from ${origin}: its owner must add ${origin} to allowed_origins.`,
  show: () =>
    'This form accepts no submissions from a page that hides its origin (Origin: null): replace the referrer policy no-referrer or ' +
    'same-origin of the page by strict-origin-when-cross-origin, and add allow-same-origin to the sandbox of a frame. To accept all ' +
    'pages that hide their origin, files too, its owner can add "null" to allowed_origins.',
  none: (origin) =>
    `This form accepts no submissions from ${origin || 'an empty origin'}: send it from a page whose origin allowed_origins ` +
    'can have, such as https://example.org.',
};

export const originRefused = errorKind(
  {
    id: 'OriginRefused',
    description:
      'The deployment has `allowed_origins`, and the form is on a page of another origin, or of a hidden one.',
  },
  (origin: string) => new OriginRefused(origin),
  'https://example.com',
);

export const noSuchForm = errorKind(
  { id: 'NoSuchForm', description: 'There is no such deployment, or it was deleted.' },
  () => new HttpError(404, 'No such deployment: check the id in the address that the form posts to.'),
);

export const webhookLoop = errorKind(
  { id: 'WebhookLoop', description: 'The request is a delivery of this service: a webhook leads back to it.' },
  () => new HttpError(508, 'A webhook leads back to this service: give it the address of a receiver of your own.'),
);

/** `fields`: all that was sent; the page that a visitor gets offers to send it without files. */
export const noStorageForFiles = errorKind(
  {
    id: 'NoStorageForFiles',
    description: "The files are more than the plan of the form's owner allows. Without files, the form is accepted.",
  },
  (fields: Fields) =>
    new FilesRefused(
      'The owner of the form has no storage left for these files: send the form without files.',
      { kind: 'files', limit: 0 },
      fields,
    ),
  [],
);
