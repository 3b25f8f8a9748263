import { CommandError } from '../command-error.ts';

/** Characters, ends and names of devices that no file can have there. `a:b` would write into another file. */
const NOT_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** Each path with the paths of its folders. */
const withFolders = (path: string): string[] => path.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'));

/**
 * Throws a CommandError where files of a site can't be stored on this system: Windows has forbidden names, and two names that differ in
 * case only are one file on Windows and macOS.
 */
export function checkNames(paths: readonly string[], platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'win32' && platform !== 'darwin') return;
  const seen = new Map<string, string>();
  for (const path of paths) {
    const name = path.split('/').find((part) => NOT_ON_WINDOWS.test(part));
    if (platform === 'win32' && name !== undefined) {
      throw new CommandError(
        `${path} cannot be stored on Windows, which has no file named ${name}: pull it on another system`,
      );
    }
    for (const each of withFolders(path)) {
      const other = seen.get(each.toLowerCase()) ?? each;
      if (other !== each) {
        throw new CommandError(
          `${each} and ${other} would be one here: pull the page on a system that tells cases apart`,
        );
      }
      seen.set(each.toLowerCase(), each);
    }
  }
}
