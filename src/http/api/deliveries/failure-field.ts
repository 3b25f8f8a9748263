import { z } from 'zod';
import { FAILURE_CODES } from '../../../db/deliveries/delivery-failures.ts';
import { answerObject, textOrNull } from '../../request/shared-fields.ts';

const Failure = answerObject('DeliveryFailure', {
  code: z
    .enum(FAILURE_CODES)
    .meta({ description: 'It stays as it is where the sentence changes.', example: 'receiver-status' }),
  value: textOrNull('The status, the number or the name in the sentence; null where it has none.', '503'),
});

/** The reason of a failed attempt for programs. */
export const failureField = Failure.nullable().meta({
  description: 'The same for programs; null where there is no such sentence, or an earlier version has written it.',
});
