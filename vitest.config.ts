import { defineConfig } from 'vitest/config';

const BROWSER = ['test/browser/**/*.test.ts', 'test/dashboard/**/*.test.ts'];
const FAULTS = ['test/faults/**/*.test.ts'];
/** The service as it is installed: processes, images, units, poolers, and databases of their own. */
const INSTALL = ['test/install/**/*.test.ts'];
const SOAK = ['test/soak/**/*.test.ts'];

/** One file at a time: each kills processes, stops a Postgres or needs the whole machine. */
const ONE_BY_ONE = { maxWorkers: 1, fileParallelism: false, testTimeout: 180_000 };

export default defineConfig({
  test: {
    // One more than there are cores: some wait while others work.
    maxWorkers: 3,
    // Waits end with what they wait for. A minute and two are for a machine that stands still, and for a wrong implementation.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxConcurrency: 10,
    expect: { poll: { timeout: 60_000 } },
    // A few processes run all files: to load the modules again for each would take a third of the time.
    isolate: false,
    // A second try where changes land, until several runs in a row have needed none: vitest names each test that had one.
    retry: process.env.CI ? 1 : 0,
    restoreMocks: true,
    unstubEnvs: true,
    globalSetup: ['test/support/database.ts', 'test/support/dashboard.ts'],
    setupFiles: ['test/support/documented-answers.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...BROWSER, ...FAULTS, ...INSTALL, ...SOAK] },
      },
      { extends: true, test: { name: 'browser', include: BROWSER } },
      { extends: true, test: { name: 'install', include: INSTALL, testTimeout: 180_000, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: { ...ONE_BY_ONE, name: 'faults', include: FAULTS, isolate: true, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          ...{ ...ONE_BY_ONE, name: 'soak', include: SOAK, isolate: true, testTimeout: 600_000 },
          globalSetup: ['test/support/summary.ts'],
        },
      },
    ],
  },
});
