/** The folder of RFC 8615: the only name of a site that begins with a dot. */
export const WELL_KNOWN = '.well-known';

/** Whether programs write a name like this for themselves, such as `.git`, `._a.css` and the icon of a folder of macOS. */
const isIgnoredName = (name: string): boolean =>
  name === '__MACOSX' || name === 'Icon\r' || (name.startsWith('.') && name !== '.' && name !== '..');

/**
 * Whether a file in a folder or a zip is left out of the site that is made of it. `depth`: how many folders at the beginning
 * of the path may turn out to be outside the site.
 */
export const isIgnoredPath = (path: string, depth = 0): boolean =>
  path
    .split('/')
    .some((name, at, { length }) => isIgnoredName(name) && !(name === WELL_KNOWN && at <= depth && at < length - 1));
