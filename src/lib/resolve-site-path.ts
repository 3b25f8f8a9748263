import { INDEX } from './site-paths.ts';

/** Where a path of a site leads; 'no-slash': to a folder, whose address ends in a slash. */
export type Resolved = { file: string } | 'no-slash' | undefined;

/**
 * Finds the file of a site at the path of a URL: the file itself, the HTML file without its extension, or a folder's
 * index.html. `has`: whether the site has a file.
 */
export function resolveSitePath(has: (file: string) => boolean, pathname: string): Resolved {
  const path = decoded(pathname.slice(1));
  if (path === undefined) return undefined;
  const isFolder = path === '' || path.endsWith('/');
  const candidates = isFolder ? [path + INDEX] : [path, `${path}.html`];
  const file = candidates.find(has);
  if (file !== undefined) return { file };
  return !isFolder && has(`${path}/${INDEX}`) ? 'no-slash' : undefined;
}

/** In NFC, as the paths of sites are stored. undefined: it can't be decoded. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path).normalize('NFC');
  } catch {
    return undefined;
  }
}
