import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDashboard } from '../../scripts/build.ts';
import { PROJECT } from './process.ts';

/** Builds the dashboard for services that tests start from the sources, without the assets of earlier builds. */
export default async function build(): Promise<void> {
  await rm(join(PROJECT, 'dist/dashboard'), { recursive: true, force: true });
  await buildDashboard();
}
