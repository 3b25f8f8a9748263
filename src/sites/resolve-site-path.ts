import { decodePath, INDEX } from './site-paths.ts';

/** Where a path of a site leads; 'no-slash': to a folder, whose address ends in a slash. */
export type Resolved = { file: string } | 'no-slash' | undefined;

/** The page of a folder. */
const INDEXES = [INDEX, 'index.htm'];

/**
 * Finds the file of a site at the path of a URL: the file itself, the HTML file without its extension, or a folder's
 * index.html. `has`: whether the site has a file.
 */
export function resolveSitePath(has: (file: string) => boolean, pathname: string): Resolved {
  const path = decodePath(pathname.slice(1));
  if (path === undefined) return undefined;
  const isFolder = path === '' || path.endsWith('/');
  const indexes = INDEXES.map((name) => (isFolder ? path : `${path}/`) + name);
  const candidates = isFolder ? indexes : [path, `${path}.html`, `${path}.htm`];
  const file = candidates.find(has);
  if (file !== undefined) return { file };
  return !isFolder && indexes.some(has) ? 'no-slash' : undefined;
}
