import { SIZES } from '../../sizes.ts';
import type { DeclaredError } from '../response/errors.ts';
import { invalidField, malformed, notJson } from './json-body.ts';
import { tooLarge, uploadTooSlow } from './receive-body.ts';

const KIB = 1024;
const { smallBytes, paceBytes, paceMs, smallPaceBytes, smallPaceMs } = SIZES.body;

/** The errors that a request with a body can get from any endpoint. */
export const bodyErrors: readonly DeclaredError[] = [
  invalidField,
  {
    id: 'BadBody',
    description:
      'The body is malformed, not UTF-8, or a field is missing or wrong; also for the reasons of any request.',
    example: malformed(),
  },
  {
    id: 'TooSlow',
    description:
      `Less than ${smallPaceBytes / KIB} KiB of a body arrived in ${smallPaceMs / 1_000} seconds, or of one over ` +
      `${smallBytes / KIB} KiB less than ${paceBytes / KIB} KiB in ${paceMs / 1_000} seconds.`,
    example: uploadTooSlow(),
  },
  {
    id: 'TooLarge',
    description: 'The body, or something in it, is too large.',
    example: tooLarge(2 * KIB * KIB),
  },
  {
    id: 'WrongType',
    description:
      'The content type of the body is not supported, its charset is not UTF-8, or its content encoding is not gzip, deflate or br.',
    example: notJson(),
  },
];
