import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../db/submissions/find-stored.ts';
import { normalizeJson } from '../../lib/json-text.ts';
import { readHeaders } from '../request/conditions.ts';
import { idempotencyKeyHeader } from '../request/idempotency-key.ts';
import type { Submitted } from './form-body.ts';

/*
 * The header Idempotency-Key of submissions, each of which belongs to a deployment. src/http/request/idempotency-key.ts has
 * that of owners.
 */

export const KEY_HEADER = 'idempotency-key';

export const submissionKey = idempotencyKeyHeader(
  'a submission is stored once, and answered as the first was. Make a new key for each submission, such as a UUID. Only accepted ' +
    'submissions are remembered: after a 429, a 5xx or no answer at all, send it again under the same key.',
);

/** The SHA-256 of a request's Idempotency-Key, which is taken literally; undefined when it has none. Throws 400. */
export function keyHashOf(request: IncomingMessage): Buffer | undefined {
  // Most submissions have none.
  if (request.headers[KEY_HEADER] === undefined) return undefined;
  const { 'Idempotency-Key': key } = readHeaders(request, submissionKey);
  return key === undefined ? undefined : createHash('sha256').update(key).digest();
}

/**
 * The SHA-256 of what was submitted, the same for each encoding of it: of its data without the URLs of files, which differ each
 * time, and of the contents of its files.
 */
export async function bodyHashOf({ dataWith, files }: Submitted): Promise<Buffer> {
  const data = normalizeJson(dataWith(() => ''));
  const hash = createHash('sha256').update(createHash('sha256').update(data).digest());
  for (const { content } of files) hash.update(await sha256(content));
  return hash.digest();
}
