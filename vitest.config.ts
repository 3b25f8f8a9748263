import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const FILES = globSync('test/*.test.ts');
/** Files that start no service and need no database: tests of single functions. */
const isOfFunctions = (file: string): boolean =>
  !/\.\/support\/(?:service|fresh-database|dashboard-in-browser)\.ts/.test(readFileSync(file, 'utf8'));

/** What `npm run test:faults` runs in place of `npm test`. */
export const SLOW = [{ name: 'slow', description: 'waits for time-outs, kills processes or has many cases' }];

/** Where a change is judged, on a machine that others share and that may stand still for seconds, a test has a second try. */
export const RETRIES = process.env.CI ? 1 : 0;

export default defineConfig({
  test: {
    // One more than there are cores: some wait while others work.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxConcurrency: 10,
    expect: { poll: { timeout: 10_000 } },
    // A few processes run all files: to load the modules again for each would take a third of the time.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    retry: RETRIES,
    tags: SLOW,
    projects: [
      {
        extends: true,
        test: { name: 'functions', include: FILES.filter(isOfFunctions), sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'services',
          include: FILES.filter((file) => !isOfFunctions(file)),
          globalSetup: ['test/support/database.ts', 'test/support/dashboard.ts'],
          setupFiles: ['test/support/documented-answers.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
