import type { Bucket } from './bucket.ts';
import { BucketError } from './bucket-error.ts';

/** The object that says which installation a prefix belongs to: another would remove its files as orphans. */
const MARKER = 'installation';

/** The errors of a server that has such an object already, or that does not know the condition. */
const EXISTS = /^(?:PreconditionFailed|ConditionalRequestConflict|409|412)$/;
const UNKNOWN_CONDITION = /^(?:NotImplemented|501)$/;

/** The installation that the prefix of a bucket belongs to; undefined when it is nobody's yet. */
export const ownerOfPrefix = async (bucket: Bucket): Promise<string | undefined> =>
  (await bucket.readMarker(MARKER))?.trim();

/** Makes the prefix of a bucket an installation's, whoever had it. */
export const takePrefix = (bucket: Bucket, installation: string): Promise<void> =>
  bucket.writeMarker(MARKER, installation);

/** Makes the prefix of a bucket an installation's if it is nobody's; whether it is then its own. */
export async function claimPrefix(bucket: Bucket, installation: string): Promise<boolean> {
  const owner = await ownerOfPrefix(bucket);
  if (owner !== undefined) return owner === installation;
  try {
    await bucket.writeMarker(MARKER, installation, true);
  } catch (error) {
    const code = error instanceof BucketError ? error.code : '';
    if (UNKNOWN_CONDITION.test(code)) await takePrefix(bucket, installation);
    else if (!EXISTS.test(code)) throw error;
  }
  return (await ownerOfPrefix(bucket)) === installation;
}
