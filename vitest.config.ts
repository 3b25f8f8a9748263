import { defineConfig } from 'vitest/config';

/** What is deeper in test/dashboard needs no browser. */
const BROWSER = ['test/browser/**/*.test.ts', 'test/dashboard/*.test.ts'];
const FAULTS = ['test/faults/**/*.test.ts'];
/** Programs as they are installed: commands, processes, images, units, poolers, and databases of their own. */
const INSTALL = ['test/install/**/*.test.ts', 'test/commands/**/*.test.ts'];
const SOAK = ['test/soak/**/*.test.ts'];

export default defineConfig({
  test: {
    // Two more than there are cores: some wait while others work.
    maxWorkers: 4,
    // Waits end with what they wait for. A minute and two are for a machine that stands still, and for a wrong implementation.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxConcurrency: 10,
    expect: { poll: { timeout: 60_000 } },
    // A few processes run all files: to load the modules again for each would take a third of the time.
    isolate: false,
    // A test calls the garbage collector. A flag that is set while a process runs may crash it later.
    execArgv: ['--expose-gc'],
    restoreMocks: true,
    unstubEnvs: true,
    globalSetup: ['test/support/database.ts', 'test/support/dashboard.ts'],
    setupFiles: ['test/support/documented-answers.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...BROWSER, ...FAULTS, ...INSTALL, ...SOAK] },
      },
      {
        extends: true,
        // Chromium has several processes for each file: more of them would make a service miss its deadlines.
        test: { name: 'browser', include: BROWSER, maxWorkers: 3, sequence: { groupOrder: 2 } },
      },
      { extends: true, test: { name: 'install', include: INSTALL, testTimeout: 300_000, hookTimeout: 300_000 } },
      { extends: true, test: { name: 'faults', include: FAULTS, testTimeout: 300_000, hookTimeout: 300_000 } },
      {
        extends: true,
        test: {
          name: 'soak',
          include: SOAK,
          // One file at a time: each needs the whole machine.
          maxWorkers: 1,
          fileParallelism: false,
          isolate: true,
          testTimeout: 600_000,
          globalSetup: ['test/support/summary.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
