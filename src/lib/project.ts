import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const packageJson = findPackageJSON(import.meta.url);
if (packageJson === undefined) throw new Error('The project has no package.json.');

/** The project's folder, whether this runs from src or from a build. */
export const PROJECT = new URL('.', pathToFileURL(packageJson));

export const { version: VERSION, license: LICENSE } = z
  .object({ version: z.string(), license: z.string() })
  .parse(JSON.parse(readFileSync(packageJson, 'utf8')));
