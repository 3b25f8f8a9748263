import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * `npm run build`: bundles the service and the program `formhost` into dist/service, and the dashboard's browser code into
 * dist/dashboard. The service reads shell.html there, and assets/ with a hash in each name.
 */

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE = join(PROJECT, 'dist/service');
const DASHBOARD = join(PROJECT, 'dist/dashboard');
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
  await mkdir(dirname(file), { recursive: true });
  await writeFile(unfinished, content);
  await rename(unfinished, file);
}

export async function buildDashboard(): Promise<void> {
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

  // Assets of earlier builds stay: a process that is running may still serve them.
  await Promise.all(
    [...assets, styles, icon].map(({ name, content }) => put(join(DASHBOARD, 'assets', name), content)),
  );
  await put(join(DASHBOARD, 'shell.html'), shell);
}

/** The programs with their libraries: a start loads a few files in place of a thousand, which saves memory too. */
async function buildService(): Promise<void> {
  const migrations = globSync('migrations/*.ts', { cwd: PROJECT }).map((file) => file.slice(0, -'.ts'.length));
  const bundle = await rolldown({
    cwd: PROJECT,
    input: {
      main: 'src/main.ts',
      formhost: 'src/commands/formhost.ts',
      worker: 'src/compute/worker.ts',
      ...Object.fromEntries(migrations.map((name) => [name, `${name}.ts`])),
    },
    platform: 'node',
    tsconfig: false,
    // knex has code for databases whose drivers are not installed.
    external: /^(?:better-sqlite3|mariadb|mysql2?|oracledb|sqlite3|tedious)(?:\/|$)/,
  });
  // Not minified: stack traces name functions. With NODE_OPTIONS=--enable-source-maps they name lines of the sources.
  const { output } = await bundle.generate({
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  const [main, ...others] = output;
  await Promise.all(
    others.map((part) => put(join(SERVICE, part.fileName), part.type === 'chunk' ? part.code : part.source)),
  );
  // The service would run the migrations of another branch.
  const names = new Set(output.map(({ fileName }) => fileName));
  for (const file of await readdir(join(SERVICE, 'migrations'))) {
    if (file.endsWith('.js') && !names.has(`migrations/${file}`)) await rm(join(SERVICE, 'migrations', file));
  }
  // Last, because scripts/is-built.sh compares its time.
  await put(join(SERVICE, main.fileName), main.code);
}

if (import.meta.main) {
  await buildDashboard();
  await buildService();
}
