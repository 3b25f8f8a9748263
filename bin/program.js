import { spawn } from 'node:child_process';

/*
 * Programs that take the place of this process, or that it waits for. Node 20 runs this file too.
 */

/** Signals that a program would get if it were started without this process. */
const PASSED_ON = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']);
const WATCH_MS = 500;

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null }} Ended */

/**
 * Runs a program, and passes on the signals that this process gets. Settles with how it has ended; rejects where it can't be started.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions }} options
 * @returns {Promise<Ended>}
 */
export function runProgram(file, args, { env = process.env, stdio = 'inherit' } = {}) {
  return new Promise((resolve, reject) => {
    const parent = process.ppid;
    const child = spawn(file, args, { env, stdio });
    // On Windows a console sends Ctrl-C to both, and kill() would end the program at once.
    const pass = (/** @type {NodeJS.Signals} */ signal) => void (process.platform !== 'win32' && child.kill(signal));
    // The shell between npm and this process ends at SIGTERM, and passes nothing on.
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
      clearInterval(watch);
      child.kill();
    }, WATCH_MS);
    const stop = () => {
      clearInterval(watch);
      for (const signal of PASSED_ON) process.off(signal, pass);
    };
    for (const signal of PASSED_ON) process.on(signal, pass);
    child.once('error', (error) => {
      stop();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stop();
      resolve({ code, signal });
    });
  });
}

/** Ends this process as a program has ended: with its exit code, or by its signal. @param {Ended} ended @returns {never} */
export function endAs({ code, signal }) {
  if (signal !== null) process.kill(process.pid, signal);
  // Not every signal that has ended the program ends this process.
  process.exit(code ?? 1);
}

/**
 * Runs a program in place of this process, which costs no memory and leaves signals to it. Where that can't be, on Windows and before
 * Node 22.15, waits for its end; the channel tells the program when this process was killed.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export async function becomeProgram(file, args, env) {
  // Node 20 does not have it.
  if (process.platform !== 'win32') process.execve?.(file, [file, ...args], env);
  endAs(await runProgram(file, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }));
}
