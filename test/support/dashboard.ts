import { join } from 'node:path';
import { buildDashboard } from '../../build-dashboard.ts';
import { PROJECT } from './process.ts';

/** Builds the dashboard for services that tests start from the sources. */
export default (): Promise<void> => buildDashboard(join(PROJECT, 'dist/dashboard'));
