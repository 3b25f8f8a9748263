import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The headless shell first: it takes half the time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of Chromium on this machine, under any of its names; undefined when it has none. */
export const findChromium = (): string | undefined =>
  NAMES.flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))).find(
    isProgram,
  );

/** Returns whether tests of browsers can run. Without Chromium they are skipped, and in CI they fail. */
export function hasChromium(): boolean {
  if (findChromium() !== undefined) return true;
  const advice = 'Chromium is not on the PATH: install it (apt-get install chromium-headless-shell).';
  if (process.env.CI) throw new Error(advice);
  console.warn(advice);
  return false;
}

let browser: Promise<Browser> | undefined;

/** Chromium, which the files of a worker share: it ends with the worker. A test closes the contexts that it opens. */
export function openBrowser(): Promise<Browser> {
  // Without a sandbox, which root may not have: it sees nothing but what tests serve.
  browser ??= chromium.launch({ executablePath: findChromium() ?? '', chromiumSandbox: false });
  return browser;
}
