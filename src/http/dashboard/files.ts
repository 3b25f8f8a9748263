import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT } from '../../lib/project.ts';
import type { Encoding } from '../response/accept.ts';
import { errorKind, HttpError } from '../response/errors.ts';

export const notBuilt = errorKind(
  { id: 'DashboardNotBuilt', description: 'The service runs from its sources, without a build of the dashboard.' },
  () => new HttpError(404, 'The dashboard is not built: start the service with npm start.'),
);

/** An asset as it is sent, in each encoding. */
type Asset = { type: string; bodies: Readonly<Record<Encoding, Buffer>> };

type Dashboard = {
  /** The HTML that every view starts from, with a place for what this service can do. */
  shell: string;
  /** By their names in the URL. */
  assets: ReadonlyMap<string, Asset>;
};

/** Where build-dashboard.ts writes: beside the build that runs, or for the sources in a folder of its own. */
const FOLDER = fileURLToPath(
  import.meta.url.startsWith(new URL('src/', PROJECT).href)
    ? new URL('dist/dashboard/', PROJECT)
    : new URL('dashboard/', import.meta.url),
);

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

async function readAsset(name: string): Promise<Asset> {
  const file = join(FOLDER, 'assets', name);
  const [identity, br, gzip] = await Promise.all([readFile(file), readFile(`${file}.br`), readFile(`${file}.gz`)]);
  return { type: TYPES[extensionOf(name)] ?? 'application/octet-stream', bodies: { identity, br, gzip } };
}

/** Reads the built files, some 200 KB, all at once. */
async function readDashboard(): Promise<Dashboard> {
  const names = await readdir(join(FOLDER, 'assets')).catch(() => {
    throw notBuilt();
  });
  const shell = await readFile(join(FOLDER, 'shell.html'), 'utf8');
  const assets = names
    .filter((name) => Object.hasOwn(TYPES, extensionOf(name)))
    .map(async (name) => [name, await readAsset(name)] as const);
  return { shell, assets: new Map(await Promise.all(assets)) };
}

/** The built files, which don't change while the process runs. */
export class DashboardFiles {
  #reading: Promise<Dashboard> | undefined;

  /** They are read at the first request. Throws 404 when the dashboard was not built. */
  async read(): Promise<Dashboard> {
    this.#reading ??= readDashboard();
    try {
      return await this.#reading;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
  }
}
