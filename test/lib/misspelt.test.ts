import { describe, expect, it } from 'vitest';
import { hintedName, misspeltName } from '../../src/lib/misspelt.ts';

describe('a name that is refused', () => {
  const known = ['PORT', 'WORKERS', 'WORKERS_FILE', 'MAX_SITE_FILES', 'MAX_SITE_BYTES'];

  it.each([
    ['PROT', 'PORT'],
    ['POTR', 'PORT'],
    ['PORTS', undefined],
    ['SORT', undefined],
    ['WORKER', 'WORKERS'],
    ['WOKER', undefined],
    ['WORKERSFIL', 'WORKERS_FILE'],
    ['MAX_SITE_BILES', 'MAX_SITE_FILES'],
    ['MAX_SITE_FYTES', 'MAX_SITE_BYTES'],
    ['PORT', undefined],
    ['X'.repeat(99), undefined],
  ])('%s means %s', (name, meant) => expect(misspeltName(name, known)).toBe(meant));
});

describe('a name for which a hint is given', () => {
  const known = ['to', 'slug', 'site_key', 'redirect_url'];

  it.each([
    ['slugs', 'slug'],
    ['Slug', 'slug'],
    ['sulg', 'slug'],
    ['plan', undefined],
    ['SiteKeys', 'site_key'],
    ['redirectTo_URL', 'redirect_url'],
    ['redirect_to_the_url', undefined],
    ['t', 'to'],
    ['', undefined],
  ])('%s means %s', (name, meant) => expect(hintedName(name, known)).toBe(meant));
});
