import type { Knex } from 'knex';
import { createSignedLinks, type SignedLinks } from '../signed-links.ts';
import { queryOne } from './postgres/query.ts';

/**
 * Answers the links that are signed with the database's secret, which is the same for all processes and is kept in
 * backups. It is read once: it never changes.
 */
export function createLinks(db: Knex, baseUrl: string): () => Promise<SignedLinks> {
  let links: SignedLinks | undefined;
  return async () => {
    if (links) return links;
    const { secret } = await queryOne<{ secret: Buffer }>(db, 'find-link-secret', 'SELECT secret FROM link_secret');
    links = createSignedLinks(baseUrl, secret);
    return links;
  };
}
