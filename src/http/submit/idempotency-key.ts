import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../db/submissions/find-stored.ts';
import type { NewFile } from '../../db/submissions/submission-files.ts';
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

/** The SHA-256 of a submission's data, the same for each encoding of it. The URLs of files are left out: they differ each time. */
export const dataHashOf = ({ dataWith }: Submitted): Buffer =>
  createHash('sha256')
    .update(normalizeJson(dataWith(() => '')))
    .digest();

/** The SHA-256 of what was submitted: of its data, and of the contents of its files. */
export async function bodyHashOf(dataHash: Buffer, files: readonly NewFile[]): Promise<Buffer> {
  const hash = createHash('sha256').update(dataHash);
  for (const { content } of files) hash.update(await sha256(content));
  return hash.digest();
}
