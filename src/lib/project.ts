import { readFileSync } from 'node:fs';

/** The project's folder: two above src/lib, and above dist/service. */
export const PROJECT = new URL('../../', import.meta.url);

/** True in an installed package, and false in a clone. */
export const IS_PACKAGE = PROJECT.pathname.includes('/node_modules/');

/** A clone is started in its own folder, and an installed package in any, where `data` may be something else. */
export const DEFAULT_DATA_DIR = IS_PACKAGE ? './formhost-data' : './data';

const packageJson: { version: string; license: string } = JSON.parse(
  readFileSync(new URL('package.json', PROJECT), 'utf8'),
);
export const { version: VERSION, license: LICENSE } = packageJson;
