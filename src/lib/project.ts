import { readFileSync } from 'node:fs';

/** The project's folder: two above src/lib, and above dist/service. */
export const PROJECT = new URL('../../', import.meta.url);

const packageJson: { version: string; license: string } = JSON.parse(
  readFileSync(new URL('package.json', PROJECT), 'utf8'),
);
export const { version: VERSION, license: LICENSE } = packageJson;
