import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { RETRIES, SLOW } from './vitest.config.ts';

const IDLE = 'test/kept-connections.test.ts';
const slow = globSync('test/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes("tags: 'slow'"));

// What takes minutes. First the slow tests of the contract, three files at a time, because they mostly wait. Then killed
// processes, floods, a stopped Postgres: one at a time, because each needs the whole machine.
const slowly = { testTimeout: 60_000, isolate: false, maxWorkers: 3, sequence: { groupOrder: 0 } };
export default defineConfig({
  test: {
    globalSetup: ['test/support/database.ts', 'test/support/dashboard.ts'],
    setupFiles: ['test/support/documented-answers.ts'],
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    retry: RETRIES,
    tags: SLOW,
    projects: [
      // Projects of a group begin in the order of their names: what does nothing for a minute is first.
      { extends: true, test: { ...slowly, name: 'idle', include: [IDLE] } },
      { extends: true, test: { ...slowly, name: 'slow', include: slow.filter((file) => file !== IDLE) } },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 180_000,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
