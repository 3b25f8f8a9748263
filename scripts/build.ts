import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';
import { build } from 'vite';

/*
 * `npm run build`: bundles the service and the program `formhost` into dist/service, and the dashboard's browser code into
 * dist/dashboard. The service reads shell.html there, and assets/ with a hash in each name.
 */

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE = join(PROJECT, 'dist/service');
const DASHBOARD = join(PROJECT, 'dist/dashboard');
const SOURCES = join(PROJECT, 'src/dashboard');

/** Writes a file that another process may be reading, or building too. */
async function put(file: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(unfinished, content);
  await rename(unfinished, file);
}

/** In a process of its own: tests build the dashboard where Node does not load the sources itself. */
async function neededRoles(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(PROJECT, 'scripts/needed-roles.ts')]);
  return stdout;
}

/** Assets of earlier builds stay: a process that is running may still serve them. */
export async function buildDashboard(): Promise<void> {
  const built = await build({
    configFile: join(PROJECT, 'vite.config.ts'),
    root: SOURCES,
    define: { NEEDED_BY_OPERATION: await neededRoles() },
    build: { write: false },
  });
  if (!('output' in built)) throw new Error('One build was expected.');
  // The HTML is the last, because it names the others.
  const files = built.output.toSorted((one) => (one.fileName.endsWith('shell.html') ? 1 : -1));
  for (const file of files) await put(join(DASHBOARD, file.fileName), file.type === 'chunk' ? file.code : file.source);
}

/** Node keeps a source in twice the memory when it has a character beyond ASCII. */
const inAscii = (code: string): string =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const HTTP = '\0http';

/**
 * Takes node:http for libraries without importing it: an import would also load node:http's own fetch, which takes 50 ms and 13 MB at
 * every start.
 */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: (source, _importer, { kind }) =>
    kind === 'import-statement' && /^(?:node:)?http$/.test(source) ? HTTP : null,
  load: (id) => (id === HTTP ? "export default process.getBuiltinModule('node:http');" : null),
};

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
    plugins: [httpWithoutFetch],
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
    others.map((part) => put(join(SERVICE, part.fileName), part.type === 'chunk' ? inAscii(part.code) : part.source)),
  );
  // The service would run the migrations of another branch.
  const names = new Set(output.map(({ fileName }) => fileName));
  for (const file of await readdir(join(SERVICE, 'migrations'))) {
    if (file.endsWith('.js') && !names.has(`migrations/${file}`)) await rm(join(SERVICE, 'migrations', file));
  }
  // Last, because scripts/is-built.js compares its time.
  await put(join(SERVICE, main.fileName), inAscii(main.code));
}

if (import.meta.main) {
  await buildDashboard();
  await buildService();
}
