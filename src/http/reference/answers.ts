import { z } from 'zod';
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject } from 'zod-openapi';

const Refusal = z
  .strictObject({ error: z.string().meta({ description: 'A sentence that says what to do.' }) })
  .meta({ id: 'Error' });

const retryAfter: ZodOpenApiHeadersObject = {
  'Retry-After': { description: 'In how many seconds to try again.', schema: { type: 'integer' } },
};
const HEADERS: Readonly<Record<string, ZodOpenApiHeadersObject>> = {
  Unauthorized: { 'WWW-Authenticate': { description: 'The scheme.', schema: { type: 'string', const: 'Bearer' } } },
  UnknownKeys: retryAfter,
  TooManySubmissions: retryAfter,
  Unavailable: retryAfter,
};

/** A success: `example` is one that a service could give. */
export const answer = (description: string, schema: z.ZodType, example: unknown): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema, example } },
});

/** An error, named once for all operations that answer it; `sentence` is one that it may hold. */
const refusal = (id: string, description: string, sentence: string): ZodOpenApiResponseObject => ({
  id,
  description,
  ...(HEADERS[id] ? { headers: HEADERS[id] } : {}),
  content: { 'application/json': { schema: Refusal, example: { error: sentence } } },
});

const badPath = refusal(
  'BadRequest',
  "The request can't be read: its path can't be decoded, or it has not exactly one Host header.",
  'The path cannot be decoded: percent-encode it as UTF-8.',
);
export const badQuery = refusal(
  'BadQuery',
  '`page` or `limit` is no whole number from 1, or given twice; or as for any request.',
  'limit is invalid: send a whole number from 1 to 2147483647, once.',
);
const badBody = refusal(
  'BadBody',
  'The body is malformed, not UTF-8, or a field of it is missing or wrong; or as for any request.',
  'html is required: send the page as a string.',
);
const failed = refusal('Failed', 'Something unforeseen; the cause is in the log only.', 'Internal server error');
const unavailable = refusal(
  'Unavailable',
  'The database is out of reach, the service is starting, or too much is waiting.',
  'The service cannot reach its database just now: try again shortly.',
);
const unauthorized = refusal(
  'Unauthorized',
  'The API key is missing, malformed, unknown or revoked.',
  'An API key is needed: send Authorization: Bearer <API_KEY>.',
);
const unknownKeys = refusal(
  'UnknownKeys',
  'More than 300 unknown API keys in a minute from one address. A valid key is never refused for it.',
  'Too many unknown API keys: wait a minute, then use a valid one.',
);

/** What every request may be answered. */
export const anyone = { 400: badPath, 500: failed, 503: unavailable };
/** What every request that needs a key may be answered. */
export const keyed = { ...anyone, 401: unauthorized, 429: unknownKeys };

export const noDeployment = refusal(
  'NoSuchDeployment',
  "There is no such deployment, it was deleted, or it is another owner's.",
  'No such deployment: check the id, and that it belongs to the owner of the API key.',
);
export const noWebhook = refusal(
  'NoSuchWebhook',
  "There is no such deployment of the key's owner, or no such webhook of it.",
  'No such webhook: check the id.',
);
export const noDelivery = refusal(
  'NoSuchDelivery',
  "There is no such deployment of the key's owner, no such webhook of it, or no such delivery.",
  'No such delivery: check the id.',
);
export const noFile = refusal(
  'NoSuchFile',
  "There is no such deployment of the key's owner, no such submission of it, or no such file.",
  'No such file: check the ids.',
);
const tooSlow = refusal(
  'TooSlow',
  'Of a body over 64 KiB less than 256 KiB came in 30 seconds.',
  'The upload is too slow: try again on a faster connection.',
);
export const noSubmission = refusal(
  'NoSuchSubmission',
  "There is no such deployment of the key's owner, or no such submission of it.",
  'No such submission: check the ids, and that they belong to the owner of the API key.',
);
export const noForm = refusal(
  'NoSuchForm',
  'There is no such deployment, or it was deleted.',
  'No such deployment: check the id in the address that the form posts to.',
);
export const noContact = refusal(
  'NoContact',
  'ABUSE_CONTACT is not set.',
  'There is nothing at this path: check it against the API reference.',
);
export const planLimit = refusal(
  'PlanLimit',
  "The plan's limit of live deployments is reached.",
  "The plan's deployment limit is reached: delete a deployment, or change the plan.",
);
export const slugTaken = refusal(
  'SlugTaken',
  'Another live deployment has the slug.',
  'slug is taken: choose another, or leave it out.',
);
export const webhookLimit = refusal(
  'WebhookLimit',
  'The deployment has 50 webhooks.',
  'The deployment has 50 webhooks: delete one first.',
);
const tooLarge = refusal(
  'TooLarge',
  'The body, or what it holds, is too large.',
  'html is too large: send at most 2097152 bytes.',
);
const wrongType = refusal(
  'WrongType',
  "The body's content type isn't taken, its charset isn't UTF-8, or its content encoding is none of gzip, deflate and br.",
  'The content type is not supported: send JSON, with Content-Type: application/json.',
);
export const tooManySubmissions = refusal(
  'TooManySubmissions',
  'The deployment has taken 10 submissions in the last 60 seconds.',
  'Too many submissions: try again in 17 seconds.',
);

/** What a request that has a body may be answered. */
export const withBody = { 400: badBody, 408: tooSlow, 413: tooLarge, 415: wrongType };
