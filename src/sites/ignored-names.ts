/** The folder of RFC 8615: the only name of a site that begins with a dot. */
export const WELL_KNOWN = '.well-known';

/** Returns whether a name is one that programs write for themselves, such as `.git`, `._a.css` and the folder icon of macOS. */
const isIgnoredName = (name: string): boolean =>
  name === '__MACOSX' || name === 'Icon\r' || (name.startsWith('.') && name !== '.' && name !== '..');

/**
 * Returns whether a file in a folder or a zip is left out of the site that is made of it. `depth` is the number of folders
 * at the beginning of the path that may turn out to be outside the site.
 */
export const isIgnoredPath = (path: string, depth = 0): boolean =>
  path
    .split('/')
    .some((name, at, { length }) => isIgnoredName(name) && !(name === WELL_KNOWN && at <= depth && at < length - 1));
