import { setImmediate as nextTurn } from 'node:timers/promises';
import { isIgnoredPath, WELL_KNOWN } from './ignored-names.ts';
import { checkedPath, type FileFault, SiteError } from './sent-files.ts';
import { INDEX } from './site-paths.ts';

/*
 * The names of files that come together: in a zip, or as the files of a form. Some are no files of the site, and all may be in one
 * folder.
 */

/** Files that are sent for each one that a site may have: folders, and those that macOS adds. */
export const ENTRIES_PER_FILE = 10;
/** A longer name is no path of a site, even in another folder and before NFC makes it shorter. */
export const MAX_NAME_BYTES = 4_096;
/** Names that are read before other work has a turn. */
const NAMES_PER_TURN = 64;
/** The folder in which the only name with a dot may be, where that is not at the root. */
const IN_FOLDER = new RegExp(`^[^/]+/(?=\\${WELL_KNOWN}/)`);

/** The name without the `./` that some programs begin it with. */
export const withoutDotSlash = (name: string): string => name.replace(/^(?:\.\/)+/, '');

/** Returns whether a name is that of a folder, or of what is not a file of a site. */
export const isIgnored = (name: string): boolean => name === '' || name.endsWith('/') || isIgnoredPath(name, 1);

/** Reads names in turns with other work: a site may have thousands of long paths. */
export async function forEachName<T>(items: Iterable<T>, read: (item: T) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    read(item);
    count += 1;
    if (count % NAMES_PER_TURN === 0) await nextTurn();
  }
}

/**
 * The folder that contains everything, with its slash; nothing where index.html is at the root. Throws SiteError. `what`: what the
 * names are in.
 */
export async function rootOf(names: readonly string[], what: string): Promise<string> {
  if (names.includes(INDEX)) return '';
  const [root = ''] = /^[^/]+\//.exec(names[0] ?? '') ?? [];
  if (names.includes(root + INDEX) && names.every((name) => name.startsWith(root))) {
    checkedPath(root + INDEX);
    return root;
  }
  // A path that leads out of the folder is the reason why that does not contain everything.
  await forEachName(names, (name) => void checkedPath(name.replace(IN_FOLDER, '')));
  const message = `${what} has no ${INDEX} at its root, or in the one folder that contains everything: add it.`;
  throw new SiteError(400, message, [{ path: INDEX, fault: { code: 'missing' }, message } satisfies FileFault]);
}
