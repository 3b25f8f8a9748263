import { HttpError } from '../../src/http/response/errors.ts';
import type { Submitted } from '../../src/http/submit/form-body.ts';

export const KIB = 1024;
/** The service's own limits. */
export const limits = { maxBytes: 256 * KIB, maxFields: 1000, maxFileBytes: 512 * KIB, maxFilesBytes: 1024 * KIB };
/** Limits that a few characters reach. */
export const small = { maxBytes: 10, maxFields: 3, maxFileBytes: 3, maxFilesBytes: 5 };

/** The status and the message that reading is refused with. */
export function refusal(read: () => unknown): [number, string] | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof HttpError) return [error.status, error.message];
    throw error;
  }
}

export const NOT_UTF8 = [400, 'The body is not valid UTF-8: send it in UTF-8.'];
export const tooLarge = (bytes: number) => [
  413,
  `The submission is too large: send at most ${bytes} bytes of names and values.`,
];
export const tooManyFields = (fields: number) => [413, `The submission has too many fields: send at most ${fields}.`];

/** A submission as it is stored. */
export const stored = ({ honeypot, dataWith }: Submitted) => ({ text: dataWith(() => '/f'), honeypot });
