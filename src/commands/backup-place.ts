import type { Config } from '../config.ts';
import { type BucketLocation, parseBackupUrl } from '../environment/files-url.ts';
import { BackupBucket } from '../files/backup-bucket.ts';
import { LIMITS } from '../limits.ts';
import { CommandError, UsageError } from './command-error.ts';
import { fileOf } from './operator.ts';

export const isInBucket = (place: string): boolean => place.startsWith('s3://');

/** A file, `-`, or an address in a bucket, as it is typed. */
export const placeOf = (text: string): string => (isInBucket(text) ? text : fileOf(text));

/** `name`: of the backup, where the address names one. */
type BackupPlace = { bucket: BackupBucket; name: string | undefined; addressOf(name: string): string };

/** The bucket of an address. Parameters that it lacks are those of FILES_URL. */
export function openBackupPlace(address: string, { bucket: files, awsCredentials }: Config): BackupPlace {
  const location = locationOf(address, files);
  if (!awsCredentials) throw new CommandError('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: a bucket needs them');
  const folders = location.prefix.split('/').slice(0, -1);
  const name = folders.at(-1)?.endsWith('.backup') ? folders.pop() : undefined;
  const prefix = folders.map((folder) => `${folder}/`).join('');
  return {
    bucket: new BackupBucket({ ...location, ...awsCredentials, prefix }, LIMITS),
    name,
    addressOf: (of) => `s3://${location.bucket}/${prefix}${of}${new URL(address).search}`,
  };
}

function locationOf(address: string, files: BucketLocation | undefined): ReturnType<typeof parseBackupUrl> {
  try {
    return parseBackupUrl(address, files);
  } catch {
    const example = 's3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1';
    throw new UsageError(`${address} is no address such as ${example}`);
  }
}
