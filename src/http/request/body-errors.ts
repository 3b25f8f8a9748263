import { SIZES } from '../../limits.ts';
import { errorKind } from '../response/errors.ts';
import { malformed, notJson, notJsonOrText } from './json-body.ts';
import { tooLarge, uploadTooSlow } from './receive.ts';

const KIB = 1024;
const { smallBytes, paceBytes, paceMs, maxExpansion } = SIZES.body;

const WRONG_TYPE =
  'The content type of the body is not supported, its charset is not UTF-8, or its content encoding is not gzip, deflate or br.';

/** The errors that a request with a body can get from any endpoint. */
export const bodyErrors = [
  errorKind(
    {
      id: 'BadBody',
      description:
        'The body is malformed, not UTF-8, or a field is missing or wrong; also for the reasons of any request.',
    },
    malformed,
  ),
  errorKind(
    {
      id: 'TooSlow',
      description: `Less than ${paceBytes / KIB} KiB of a body over ${smallBytes / KIB} KiB arrived in ${paceMs / 1_000} seconds.`,
    },
    uploadTooSlow,
  ),
  errorKind(
    {
      id: 'TooLarge',
      description: `The body, or something in it, is too large, or it is compressed and has more than ${maxExpansion} times its compressed size.`,
    },
    tooLarge,
    2 * KIB * KIB,
  ),
  errorKind({ id: 'WrongType', description: WRONG_TYPE }, notJson),
] as const;

/** The same error of an endpoint that takes a page as well. */
export const wrongPageType = errorKind({ id: 'WrongPageType', description: WRONG_TYPE }, notJsonOrText, 'text/html');
