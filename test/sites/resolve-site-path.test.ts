import { expect, it } from 'vitest';
import { resolveSitePath } from '../../src/sites/resolve-site-path.ts';

const FILES = new Set([
  ...['index.html', 'about.html', 'about/index.html', 'plain', 'plain.html', 'blog/index.html', 'blog/first.html'],
  ...['only/style.css', 'a b.css', 'caf\u00e9.html', '100%25.txt', 'index/index.html', 'docs.v2/index.html'],
  ...['old.htm', 'old.html', 'older.htm', 'archive/index.htm', 'both/index.htm', 'both/index.html'],
  `${'각'.repeat(85)}.txt`.slice(1),
]);

it.each([
  ['/', { file: 'index.html' }],
  ['/index.html', { file: 'index.html' }],
  ['/index', { file: 'index.html' }],
  ['/about.html', { file: 'about.html' }],
  ['/about', { file: 'about.html' }],
  ['/about/', { file: 'about/index.html' }],
  ['/plain', { file: 'plain' }],
  ['/blog/', { file: 'blog/index.html' }],
  ['/blog/index', { file: 'blog/index.html' }],
  ['/blog/first', { file: 'blog/first.html' }],
  ['/blog', 'no-slash'],
  ['/docs.v2', 'no-slash'],
  ['/only/style.css', { file: 'only/style.css' }],
  // A folder without an index is no page.
  ['/only', undefined],
  ['/only/', undefined],
  ['/About', undefined],
  ['/about.html/', undefined],
  ['/a%20b.css', { file: 'a b.css' }],
  ['/caf%C3%A9', { file: 'caf\u00e9.html' }],
  ['/cafe%CC%81', { file: 'caf\u00e9.html' }],
  ['/only%2Fstyle.css', { file: 'only/style.css' }],
  // Decoded once.
  ['/100%2525.txt', { file: '100%25.txt' }],
  ['/100%25.txt', undefined],
  ['/old', { file: 'old.html' }],
  ['/old.htm', { file: 'old.htm' }],
  ['/older', { file: 'older.htm' }],
  ['/archive', 'no-slash'],
  ['/archive/', { file: 'archive/index.htm' }],
  ['/both/', { file: 'both/index.html' }],
  [`/${encodeURIComponent(`${'각'.repeat(84)}.txt`.normalize('NFD'))}`, { file: `${'각'.repeat(84)}.txt` }],
  [`/${'%CC%81'.repeat(5_000)}`, undefined],
  ['/%ff', undefined],
  ['//about', undefined],
  ['/blog/../about', undefined],
  ['/blog//', undefined],
])('%s leads to %o', (path, expected) => {
  expect(resolveSitePath((file) => FILES.has(file), path)).toEqual(expected);
});
