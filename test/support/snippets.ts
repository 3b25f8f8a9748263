import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './process.ts';

/** The first block of HTML in a guide: what a reader pastes. */
export function snippetOf(guide: string): string {
  const [, snippet] = /^```html\n([\s\S]*?)^```$/m.exec(readFileSync(join(PROJECT, guide), 'utf8')) ?? [];
  if (snippet === undefined) throw new Error(`${guide} has no block of HTML`);
  return snippet;
}
