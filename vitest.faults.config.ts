import { defineConfig } from 'vitest/config';

// What takes minutes: processes that are killed, a Postgres that is stopped. One at a time, for each wants the machine.
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/database.ts'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    fileParallelism: false,
  },
});
