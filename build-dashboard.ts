import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * Builds the dashboard's browser code into the folder in the first argument: shell.html, and assets/ with a hash in each
 * name. start.sh and the tests run it; the service only serves what it has written.
 */

const PROJECT = fileURLToPath(new URL('.', import.meta.url));
const SOURCES = join(PROJECT, 'src/dashboard');

type Asset = { name: string; content: string | Uint8Array };

const hashed = (name: string, extension: string, content: string): Asset => {
  const hash = createHash('sha256').update(content).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 8);
  return { name: `${name}-${hash}.${extension}`, content };
};

/** The scripts, and the files that they name by `new URL`. The first script is loaded first, with those that it needs at once. */
async function buildScripts(): Promise<{ entry: string; preloads: readonly string[]; assets: Asset[] }> {
  const bundle = await rolldown({
    input: { main: join(SOURCES, 'main.tsx') },
    platform: 'browser',
    // An image has no tsconfig.json.
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    experimental: { resolveNewUrlToAsset: true },
  });
  const { output } = await bundle.generate({
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    assetFileNames: '[name]-[hash][extname]',
  });
  await bundle.close();
  const [entry] = output;
  return {
    entry: entry.fileName,
    preloads: entry.imports,
    assets: output.map((part) => ({
      name: part.fileName,
      content: part.type === 'chunk' ? part.code : part.source,
    })),
  };
}

/** One style sheet: the tokens and what all views share, then what single views add. */
async function buildStyles(): Promise<Asset> {
  const files = [
    join(SOURCES, 'styles.css'),
    ...globSync('{editor,ui,views}/*.css', { cwd: SOURCES })
      .toSorted()
      .map((file) => join(SOURCES, file)),
  ];
  const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  const content = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s+/gm, '')
    .replaceAll(/\n+/g, '\n');
  return hashed('styles', 'css', content);
}

/** Writes a file that another process may be reading, or building too. */
async function put(file: string, content: Asset['content']): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, content);
  await rename(unfinished, file);
}

export async function buildDashboard(folder: string): Promise<void> {
  const { entry, preloads, assets } = await buildScripts();
  const styles = await buildStyles();
  const icon = hashed('icon', 'svg', await readFile(join(SOURCES, 'icon.svg'), 'utf8'));
  const shell = (await readFile(join(SOURCES, 'shell.html'), 'utf8'))
    .replace('{{STYLES}}', styles.name)
    .replace('{{ICON}}', icon.name)
    .replace('{{ENTRY}}', entry)
    .replace(
      '{{PRELOADS}}',
      preloads.map((name) => `<link rel="modulepreload" href="/dashboard/assets/${name}">`).join('\n'),
    );

  await mkdir(join(folder, 'assets'), { recursive: true });
  // Assets of earlier builds stay: a process that is running may still serve them.
  await Promise.all([...assets, styles, icon].map(({ name, content }) => put(join(folder, 'assets', name), content)));
  await put(join(folder, 'shell.html'), shell);
}

if (import.meta.main) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('Name the folder to build into: node build-dashboard.ts FOLDER');
  await buildDashboard(folder);
}
