import type { Knex } from 'knex';
import { type Altcha, createAltcha } from '../../forms/altcha.ts';
import { SignedLinks } from '../../lib/signed-links.ts';
import type { Limits } from '../../limits.ts';
import { queryOne } from '../postgres/query.ts';

/**
 * Makes something of the database's secret, which is the same for all processes and is kept in backups. It is read once:
 * it never changes.
 */
export function fromSecret<T>(db: Knex, make: (secret: Buffer) => T): () => Promise<T> {
  let made: T | undefined;
  return async () => {
    if (made) return made;
    const { secret } = await queryOne<{ secret: Buffer }>(db, 'find-link-secret', 'SELECT secret FROM link_secret');
    made = make(secret);
    return made;
  };
}

/** Answers the links that are signed with the database's secret. */
export const createLinks = (db: Knex, baseUrl: string): (() => Promise<SignedLinks>) =>
  fromSecret(db, (secret) => new SignedLinks(baseUrl, secret));

/** Answers what makes and checks ALTCHA's challenges, with keys that are derived from the database's secret. */
export const createChallenges = (db: Knex, limits: Limits): (() => Promise<Altcha>) =>
  fromSecret(db, (secret) => createAltcha(secret, limits));
