/** The timeouts of a backup and of a restore. */
export const BACKUP_LIMITS = {
  connectTimeoutMs: 10_000,
  /** A piece of a file is read from the bucket. */
  readTimeoutMs: 30_000,
  /** Another transaction has locked a table that is restored. */
  lockTimeoutMs: 10_000,
  /** A process of the service asks the database at least twice a second: then none has asked. */
  quietMs: 3_000,
} as const;
