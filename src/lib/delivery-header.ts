/**
 * The header of every request to a webhook, with the delivery's id. A submission that has it is from a webhook that
 * leads back here.
 */
export const DELIVERY_HEADER = 'formhost-delivery';
