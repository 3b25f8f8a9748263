import { createHash } from 'node:crypto';
import type { Owner, TestService } from './service.ts';

/** Publishes a site with these files, of which index.html is the page itself. */
export async function publishSite(
  { db }: TestService,
  owner: Owner,
  { 'index.html': html, ...files }: Record<string, string | Buffer>,
): Promise<{ id: string; slug: string }> {
  const { id, slug } = await owner.deploy({ html: String(html) });
  const { owner_id: ownerId } = await db('deployments').where({ id }).first('owner_id');
  const list: object[] = [];
  for (const [path, given] of Object.entries(files).toSorted()) {
    const content = Buffer.from(given);
    const sha256 = createHash('sha256').update(content).digest();
    await db('site_contents')
      .insert({ owner_id: ownerId, sha256, bytes: content.length, content })
      .onConflict()
      .ignore();
    list.push({ path, sha256: sha256.toString('hex'), bytes: content.length });
  }
  await db('pages')
    .where({ deployment_id: id })
    .update({ files: JSON.stringify(list) });
  return { id, slug };
}
