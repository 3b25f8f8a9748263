import { createHash } from 'node:crypto';

/** The strong entity tag of a content (RFC 9110, 8.8.3). src/db/deployments/page-versions.ts has the same in SQL. */
export const etagOf = (content: string | Buffer): string => `"${createHash('sha256').update(content).digest('hex')}"`;
