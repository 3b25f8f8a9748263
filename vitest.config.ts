import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Real processes are killed and real databases stalled here: on a crowded machine one such case may come too late.
    retry: process.env.CI ? 1 : 0,
  },
});
