import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endAs, runProgram } from '../bin/program.js';

/*
 * Installs the libraries where they are missing, or are others than package-lock.json has, such as after `git pull`: the first step of
 * `npm start` and `npm test`. It runs before anything is installed, on Node 20 too.
 */

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** Two commands that are run at once must not install at once. */
const LOCK = join(FOLDER, '.installing');
const LOCK_POLL_MS = 200;
const OLDEST_NODE = 24;

/** @typedef {{ version?: string, integrity?: string, link?: boolean, dev?: boolean, optional?: boolean, devOptional?: boolean }} Library */

/** Returns the libraries of a lock file, by their paths; undefined where it can't be read. */
function librariesOf(/** @type {string} */ file) {
  try {
    /** @type {Record<string, Library>} */
    const { '': _, ...libraries } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).packages;
    return libraries;
  } catch {
    return undefined;
  }
}

/** Returns whether a library is installed as the lock file has it. A linked library is a developer's own. */
const isSame = (/** @type {Library} */ there, /** @type {Library} */ wanted) =>
  there.link || (there.version === wanted.version && there.integrity === wanted.integrity);

/** Returns whether `npm ci` has something to do for a command: `start` or `test`. */
function isNeeded(/** @type {string | undefined} */ command) {
  const wanted = librariesOf('package-lock.json');
  const installed = librariesOf('node_modules/.package-lock.json');
  if (wanted === undefined || installed === undefined) return wanted !== undefined;
  const entries = Object.entries(wanted);
  // Optional ones are for one system each.
  const isMissing = entries.filter(
    ([path, { optional, devOptional }]) => !installed[path] && !optional && !devOptional,
  );
  if (entries.some(([path, library]) => installed[path] && !isSame(installed[path], library))) return true;
  if (isMissing.some(([, { dev }]) => !dev)) return true;
  // A build runs without the libraries for development, as in an image.
  const isForRunning = command === 'start' && existsSync(join(FOLDER, 'dist/service/main.js'));
  return isMissing.length > 0 && !(isForRunning && entries.every(([path, { dev }]) => !dev || !installed[path]));
}

function canWrite() {
  try {
    accessSync(FOLDER, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isRunning(/** @type {number} */ pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Waits while another command installs. Returns whether this one has the lock now. */
async function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(existsSync(LOCK) && readFileSync(LOCK, 'utf8'));
    // It may have been killed. 0: it has not written its number yet, or has just ended.
    if (holder > 0 && !isRunning(holder)) rmSync(LOCK, { force: true });
    else await delay(LOCK_POLL_MS);
    return false;
  }
}

/** Runs `npm ci`, by the npm that runs this script. Its output is shown on standard error: standard output is for results. */
async function install() {
  process.stderr.write('formhost: installing the libraries, as package-lock.json has them (npm ci)\n');
  const npm = process.env.npm_execpath ?? '';
  const [file, ...args] = npm.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const ended = await runProgram(file, [...args, ...options], { stdio: ['ignore', 2, 2] }).finally(() => rmSync(LOCK));
  if (ended.code === 0) return;
  const how = ended.code === null ? `was ended by ${ended.signal}` : `has failed with exit code ${ended.code}`;
  process.stderr.write(`formhost: npm ci ${how}: nothing was started\n`);
  endAs(ended);
}

const [, , command] = process.argv;
if (process.platform === 'win32') {
  process.stderr.write(
    'formhost: the service and its tests need Linux or macOS: run them there, in WSL or in Docker\n',
  );
  process.exit(1);
}
if (isNeeded(command) && canWrite()) {
  while (!(await takeLock()));
  // Another command may have installed them meanwhile.
  if (isNeeded(command)) await install();
  rmSync(LOCK, { force: true });
}
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE && !existsSync(join(FOLDER, 'node_modules/.bin/node'))) {
  process.stderr.write(
    `formhost: this needs Node ${OLDEST_NODE} or later, and runs on ${process.version}: install it\n`,
  );
  process.exit(1);
}
