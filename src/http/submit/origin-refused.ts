import { HttpError } from '../errors.ts';

/** Characters of an origin in messages: a client can send any text. */
const MAX_ORIGIN_CHARS = 300;

const shorten = (origin: string): string =>
  origin.length > MAX_ORIGIN_CHARS ? `${origin.slice(0, MAX_ORIGIN_CHARS)}…` : origin;

/** The form is on a site that its deployment accepts nothing from. */
export class OriginRefused extends HttpError {
  readonly origin: string;

  constructor(origin: string) {
    super(403, `This form accepts no submissions from ${origin}: its owner must add ${origin} to allowed_origins.`);
    this.origin = origin;
  }
}

export const originRefused = (origin: string): HttpError => new OriginRefused(shorten(origin));
