import { SIZES } from '../../limits.ts';
import { HttpError } from '../response/errors.ts';

const shorten = (origin: string): string =>
  origin.length > SIZES.errorPage.maxShownOriginChars
    ? `${origin.slice(0, SIZES.errorPage.maxShownOriginChars)}…`
    : origin;

/** The form is on a site that its deployment accepts nothing from. */
export class OriginRefused extends HttpError {
  readonly origin: string;

  constructor(origin: string) {
    super(403, `This form accepts no submissions from ${origin}: its owner must add ${origin} to allowed_origins.`);
    this.origin = origin;
  }
}

export const originRefused = (origin: string): HttpError => new OriginRefused(shorten(origin));
