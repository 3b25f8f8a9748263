import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../lib/languages.ts';
import { PROJECT } from '../../lib/project.ts';
import { errorKind, HttpError } from '../response/errors.ts';
import { StaticFile } from '../response/static-file.ts';

export const notBuilt = errorKind(
  { id: 'DashboardNotBuilt', description: 'The service runs from its sources, without a build of the dashboard.' },
  () => new HttpError(404, 'The dashboard is not built: start the service with npm start.'),
);

type Dashboard = {
  /** The HTML that every view starts from, with a place for what this service can do. */
  shell: string;
  /** The names of the files with the texts, by their languages. */
  texts: ReadonlyMap<Language, string>;
  /** The files by their names in the URL, which change with their content. */
  assets: ReadonlyMap<string, StaticFile>;
};

/** Where scripts/build.ts writes. */
const FOLDER = fileURLToPath(new URL('dist/dashboard/', PROJECT));

const ASSET_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** For pages that the dashboard shows in frames: they run with an origin of their own, and no other site can frame them. */
const FRAMED = "sandbox allow-scripts; frame-ancestors 'self'";

/** For a page that is edited: its styles and images are loaded, and no script runs except that of the file itself. */
const policyOfEdited = (script: string): string =>
  `${FRAMED}; default-src 'none'; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'; style-src 'unsafe-inline' http: https: data:; img-src http: https: data:; font-src http: https: data:; media-src http: https:; form-action 'none'`;

/** Returns the policy of a file that the dashboard shows in a frame. */
function policyOf(name: string, html: string): string {
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  return name.startsWith('in-place-') ? policyOfEdited(script) : FRAMED;
}

const Manifest = z.record(z.string(), z.object({ file: z.string() }));

/** Returns the files with the texts of the dashboard, which a build names in its manifest. Throws 404 where one is missing. */
const textsIn = (manifest: z.infer<typeof Manifest>): ReadonlyMap<Language, string> =>
  new Map(
    LANGUAGES.map((language) => {
      const { file } = manifest[`texts/${language}.ts`] ?? {};
      if (file === undefined) throw notBuilt();
      return [language, file];
    }),
  );

async function readDashboard(): Promise<Dashboard> {
  const folder = join(FOLDER, 'assets');
  const names = await readdir(folder).catch(() => {
    throw notBuilt();
  });
  const assets = await Promise.all(
    names.map(async (name) => {
      const type = extname(name);
      const file = join(folder, name);
      const headers = {
        ...ASSET_HEADERS,
        ...(type === '.html' && { 'Content-Security-Policy': policyOf(name, await readFile(file, 'utf8')) }),
      };
      return [name, new StaticFile(type, () => readFile(file), headers)] as const;
    }),
  );
  const manifest: unknown = JSON.parse(await readFile(join(FOLDER, '.vite/manifest.json'), 'utf8'));
  return {
    shell: await readFile(join(FOLDER, 'shell.html'), 'utf8'),
    texts: textsIn(Manifest.parse(manifest)),
    assets: new Map(assets),
  };
}

/** The built files, which don't change while the process runs. */
export class DashboardFiles {
  #reading: Promise<Dashboard> | undefined;

  /** Throws 404 when the dashboard was not built; the next request looks again. */
  read(): Promise<Dashboard> {
    this.#reading ??= readDashboard().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }
}
