import type { Bucket } from './bucket.ts';
import { BucketError } from './bucket-error.ts';

/** The object that says which installation a prefix belongs to: another would remove its files as orphans. */
const MARK = 'installation';

/** What a server answers that has such an object already, or does not know the condition. */
const EXISTS = /^(?:PreconditionFailed|ConditionalRequestConflict|409|412)$/;
const UNKNOWN_CONDITION = /^(?:NotImplemented|501)$/;

type Notes = Pick<Bucket, 'readNote' | 'writeNote'>;

/** The installation that the prefix of a bucket belongs to; undefined when it is nobody's yet. */
export const ownerOfPrefix = async ({ readNote }: Notes): Promise<string | undefined> => (await readNote(MARK))?.trim();

/** Makes the prefix of a bucket an installation's, whoever had it. */
export const takePrefix = ({ writeNote }: Notes, installation: string): Promise<void> => writeNote(MARK, installation);

/** Makes the prefix of a bucket an installation's if it is nobody's; whether it is then its own. */
export async function claimPrefix(bucket: Notes, installation: string): Promise<boolean> {
  const owner = await ownerOfPrefix(bucket);
  if (owner !== undefined) return owner === installation;
  try {
    await bucket.writeNote(MARK, installation, true);
  } catch (error) {
    const code = error instanceof BucketError ? error.code : '';
    if (UNKNOWN_CONDITION.test(code)) await takePrefix(bucket, installation);
    else if (!EXISTS.test(code)) throw error;
  }
  return (await ownerOfPrefix(bucket)) === installation;
}
