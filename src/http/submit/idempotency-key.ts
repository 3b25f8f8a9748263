import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../db/submissions/find-stored.ts';
import { normalizeJson } from '../../lib/json-text.ts';
import { SIZES } from '../../sizes.ts';
import { INVALID_KEY } from '../request/idempotency-key.ts';
import { HttpError } from '../response/errors.ts';
import type { Submitted } from './form-body.ts';

/*
 * The header Idempotency-Key of submissions, each of which belongs to a deployment. src/http/request/idempotency-key.ts has
 * that of owners.
 */

export const KEY_HEADER = 'idempotency-key';

/** The SHA-256 of a request's Idempotency-Key, which is taken literally; undefined when it has none. Throws 400. */
export function keyHashOf({ headers }: IncomingMessage): Buffer | undefined {
  const key = headers[KEY_HEADER];
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > SIZES.idempotencyKey.maxKeyChars) throw new HttpError(400, INVALID_KEY);
  return createHash('sha256').update(`${key}`).digest();
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
