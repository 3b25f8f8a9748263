import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const packageJson = findPackageJSON(import.meta.url);
if (packageJson === undefined) throw new Error('The project has no package.json.');

/** The project's folder, whether this runs from src or from a build. */
export const PROJECT = new URL('.', pathToFileURL(packageJson));
