import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const THEME = new URL('src/dashboard/theme.js', import.meta.url);

/** Puts the script of the theme into the head of the shell, as a file that the browser waits for: modules run too late for it. */
const themeScript: Plugin = {
  name: 'theme-script',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'asset', name: 'theme.js', source: readFileSync(THEME, 'utf8') });
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => name.startsWith('assets/theme-'));
      return [{ tag: 'script', attrs: { src: `/dashboard/${file}` }, injectTo: 'head-prepend' }];
    },
  },
};

/** The dashboard: its HTML, which every view starts from, and what that loads. `scripts/build.ts` writes the files. */
export default defineConfig({
  root: 'src/dashboard',
  base: '/dashboard/',
  publicDir: false,
  logLevel: 'warn',
  plugins: [themeScript],
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
