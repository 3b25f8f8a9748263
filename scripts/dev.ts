import { buildDashboard } from './build.ts';
import { makeClientTypes } from './client-types.ts';

/*
 * `npm run dev`: builds the dashboard and starts the service from its sources, again after each change of a file. Reload the page in
 * the browser to see a change of the dashboard.
 */

await buildDashboard();
// Editors show them.
await makeClientTypes();
await import('../src/main.ts');
