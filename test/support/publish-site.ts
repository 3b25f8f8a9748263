import type { Owner } from './test-service.ts';

/** Publishes a site with these files, of which index.html is the page itself. */
export function publishSite(
  owner: Owner,
  { 'index.html': html, ...files }: Record<string, string | Buffer>,
): Promise<{ id: string; slug: string }> {
  const contents = Object.entries(files).map(([path, given]) => [
    path,
    { content: Buffer.from(given).toString('base64'), encoding: 'base64' },
  ]);
  return owner.deploy({ html: String(html), files: Object.fromEntries(contents) });
}
