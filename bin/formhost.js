#!/usr/bin/env node
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { becomeProgram, endAs, runProgram } from './program.js';

/*
 * Runs formhost, wherever this file is linked from: a clone in its own folder, an installed package in the current one. It is plain
 * JavaScript, because the first Node of the PATH may be too old for the rest.
 */

const OLDEST_NODE = 24;
const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
const IS_PACKAGE = import.meta.url.includes('/node_modules/');
/** Young objects would take up to 130 MB under load. Deprecation warnings are for authors: Node hides them in node_modules only. */
const SERVICE_FLAGS = ['--max-semi-space-size=8', '--disable-warning=DeprecationWarning'];
const PROXY_SETTINGS = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`formhost: ${message}\n`);
  process.exit(1);
}

/** @param {string} version */
const isNew = (version) => Number.parseInt(version, 10) >= OLDEST_NODE;

/** Returns the path of a Node that is new enough: the one that runs this file, or the one that npm has installed with it. */
function findNode() {
  if (isNew(process.versions.node)) return process.execPath;
  try {
    const file = module.createRequire(import.meta.url).resolve(`node-linux-${process.arch}/package.json`);
    if (isNew(JSON.parse(readFileSync(file, 'utf8')).version)) return join(dirname(file), 'bin', 'node');
  } catch {
    // It is not installed, or not for this system.
  }
  return fail(`this needs Node ${OLDEST_NODE} or later, and runs on ${process.version}: install Node ${OLDEST_NODE}`);
}

/** @param {string} path */
function canWrite(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the command: the first word that is neither an option nor the value of one. @param {readonly string[]} words */
const commandOf = (words) => words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--profile');

/** Builds the service, where the bundler is there. @param {string} node */
async function build(node) {
  // An image has neither the bundler nor a folder that can be written: it starts what its Dockerfile has built.
  if (!canWrite(FOLDER) || !existsSync(join(FOLDER, 'node_modules/rolldown'))) return;
  const ended = await runProgram(node, [join(FOLDER, 'scripts/build.ts')]);
  if (ended.code !== 0) endAs(ended);
}

/** Runs the service in place of this process, with what has to be set before a process begins. @param {string} node */
async function startService(node) {
  const main = join(FOLDER, 'dist/service/main.js');
  if (!existsSync(main)) fail(`there is no build: run npm ci and npm run build in ${FOLDER}`);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, MALLOC_MMAP_THRESHOLD_: '131072' };
  // The shell between npm and the service ends at SIGTERM, and passes nothing on: the service looks whether it is still there.
  if (process.env.npm_lifecycle_event !== undefined) env.FORMHOST_PARENT = String(process.ppid);
  await becomeProgram(node, [...SERVICE_FLAGS, main], env);
}

/**
 * Lets Node send the requests of a command through the proxies of the environment, unless it does so already. Returns
 * whether Node has to be started again for that.
 */
function useProxies() {
  const names = PROXY_SETTINGS.filter((name) => process.env[name]);
  if (names.length === 0 || process.env.NODE_USE_ENV_PROXY !== undefined) return false;
  for (const name of names) {
    // Other programs take an address without a scheme too.
    const url = process.env[name]?.replace(/^(?!\w+:\/\/)/, 'http://') ?? '';
    if (!URL.canParse(url))
      fail(`${name} is not the address of a proxy: set one such as http://proxy.example.org:3128`);
    process.env[name] = url;
  }
  process.env.NODE_USE_ENV_PROXY = '1';
  return true;
}

/** Runs a command, in this process where that can be. @param {string} node @param {string} file @param {readonly string[]} words */
async function runCommand(node, file, words) {
  // Commands of operators do the work of the service, which has no proxy.
  const isProxied = commandOf(words) !== 'admin' && useProxies();
  if (isProxied || node !== process.execPath) return await becomeProgram(node, [file, ...words], process.env);
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { main } = await import(pathToFileURL(file).href);
  await main();
}

const words = process.argv.slice(2);
const isStart = words.length === 1 && words[0] === 'start';
if (isStart && process.platform === 'win32') {
  fail('the service needs Linux or macOS: start it there, in WSL or in Docker. All other commands run on Windows');
}
if (!IS_PACKAGE && !existsSync(join(FOLDER, 'node_modules/commander'))) {
  fail(`the libraries are not installed: run npm ci in ${FOLDER}`);
}
const node = findNode();
process.env.NODE_COMPILE_CACHE ||= join(FOLDER, 'node_modules/.cache/formhost');
let commands = 'dist/service/formhost.js';
if (!IS_PACKAGE) {
  // The service and the commands of operators run in this folder.
  process.env.FORMHOST_HOME = FOLDER;
  if (isStart) process.chdir(FOLDER);
  // A package has been built.
  const { isBuilt } = await import('../scripts/is-built.js');
  if (!isBuilt(FOLDER)) {
    commands = 'src/commands/formhost.ts';
    if (isStart) await build(node);
  }
}
if (isStart) await startService(node);
else await runCommand(node, join(FOLDER, commands), words);
