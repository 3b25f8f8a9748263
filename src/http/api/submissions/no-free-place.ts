import { errorKind, HttpError } from '../../response/errors.ts';

/** A submission that its owner brings into the inbox takes its places, which have to be free. */
export const noFreePlace = errorKind(
  { id: 'NoFreePlace', description: 'Fewer places of `max_submissions` are free than the submission takes.' },
  () =>
    new HttpError(
      403,
      'The form has no free place for it: raise {max_submissions}, or delete another submission first.',
    ),
);
