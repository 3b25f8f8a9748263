import { defineConfig } from 'vite';

/** The dashboard: its HTML, which every view starts from, and what that loads. `scripts/build.ts` writes the files. */
export default defineConfig({
  root: 'src/dashboard',
  base: '/dashboard/',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Tests follow what each view loads.
    manifest: true,
    modulePreload: { polyfill: false },
    // A slow machine is no reason for a warning.
    rolldownOptions: {
      input: 'src/dashboard/shell.html',
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          // One request for the parts that most views have, in place of twenty.
          groups: [{ name: 'shared', minShareCount: 4 }],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
});
