import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const THEME = new URL('src/dashboard/theme.js', import.meta.url);
const MAIN = fileURLToPath(new URL('src/dashboard/main.tsx', import.meta.url));

/**
 * Puts what the browser is to load early into the head of the shell: the script of the theme, as a file that it waits for (modules
 * run too late for it), and the texts.
 */
const earlyFiles: Plugin = {
  name: 'early-files',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'asset', name: 'theme.js', source: readFileSync(THEME, 'utf8') });
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => name.startsWith('assets/theme-'));
      const main = Object.values(bundle).find((one) => one.type === 'chunk' && one.facadeModuleId === MAIN);
      if (main?.type !== 'chunk') throw new Error('The build has no script of main.tsx.');
      const scripts = [main.fileName, ...main.imports].filter((name) => !html.includes(name));
      return [
        { tag: 'script', attrs: { src: `/dashboard/${file}` }, injectTo: 'head-prepend' },
        // The service knows the language. The browser loads its texts, and the scripts that start.ts imports after them, at once.
        ...['{{TEXTS}}', ...scripts.map((name) => `/dashboard/${name}`)].map((href) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href },
          injectTo: 'head' as const,
        })),
      ];
    },
  },
};

/** The dashboard: its HTML, which every view starts from, and what that loads. `scripts/build.ts` writes the files. */
export default defineConfig({
  root: 'src/dashboard',
  base: '/dashboard/',
  publicDir: false,
  logLevel: 'warn',
  plugins: [earlyFiles],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // The service finds the texts of each language in it, and tests follow what each view loads.
    manifest: true,
    modulePreload: { polyfill: false },
    // A slow machine is no reason for a warning.
    rolldownOptions: {
      input: 'src/dashboard/shell.html',
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          // One request for the parts that most views have, in place of twenty.
          groups: [
            // They run before the texts are there. Other modules must not: they use the texts while they are evaluated.
            { name: 'early', test: /chosen-texts\.ts$|lib\/languages\.ts$|preload-helper/, priority: 1 },
            { name: 'shared', minShareCount: 4 },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
});
