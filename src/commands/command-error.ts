/** A mistake that a person can correct, in one line: exit code 1. */
export class CommandError extends Error {}

/** The command was not used as its help says: exit code 2. */
export class UsageError extends Error {}

/** Ctrl-C: exit code 130. */
export class Interrupted extends Error {}

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a file cannot be used, and what to do about it, by the codes of Node. */
const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission; change that of the file, or of its folder',
  EPERM: 'the system does not permit it; change the permissions of the file, or of its folder',
  ENOENT: 'there is no such file or folder; check the name',
  EISDIR: 'a folder has this name; move it away, or choose another name',
  ENOTDIR: 'a file has the name of one of its folders; move that away, or choose another folder',
  EEXIST: 'something else has this name; move it away, or choose another name',
  ENOTEMPTY: 'a folder has this name; move it away, or choose another name',
  ENAMETOOLONG: 'its name or its path is too long for this system; choose a shorter one',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'your share of the disk is full; free some space',
  EROFS: 'the disk is read-only; choose a folder elsewhere',
  ELOOP: 'links lead in a circle; remove them',
  EMFILE: 'too many files are open; close other programs',
  ENFILE: 'too many files are open; close other programs',
  EBUSY: 'another program uses it; close that',
  ETXTBSY: 'another program uses it; close that',
  EIO: 'the disk has an error; copy the file elsewhere',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than a service accepts; send a smaller one',
  ERR_INVALID_ARG_VALUE: 'its name has a character that no file may have; correct the name',
};

/** Connections to sockets have some of these codes, too. */
const isOfConnection = (error: Error): boolean => 'syscall' in error && error.syscall === 'connect';

const causeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && !isOfConnection(error) ? CAUSES[String(error.code)] : undefined;

/** An error of the file system in words. `what`: `a.css cannot be read`. */
export const fileError = (what: string, error: unknown): CommandError =>
  error instanceof CommandError ? error : new CommandError(`${what}: ${causeOf(error) ?? messageOf(error)}`);

/** Returns `fileError` for an error of the file system, and any other error unchanged. */
export const orFileError = (what: string, error: unknown): unknown =>
  causeOf(error) === undefined ? error : fileError(what, error);
