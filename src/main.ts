import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { firstRunMessage } from './first-run-message.ts';
import { onLauncherLost } from './lib/launcher.ts';
import { createLog, type Log } from './lib/log.ts';
import { openMetrics, openWorkerMetrics } from './metrics/open-metrics.ts';
import { StartError } from './prepare-database.ts';
import { readableLines } from './readable-log.ts';
import { startService } from './service.ts';
import { type OnLoss, reportReady, runWorkers, WorkerStartError } from './workers.ts';

/** A process that is told to stop has this long after SHUTDOWN_DELAY_MS, then it ends at once. */
const STOP_TIMEOUT_MS = 10_000;
/** Two signals within this time count as one: npm passes on what the terminal has sent to the process too. */
const SAME_SIGNAL_MS = 250;

/**
 * Settles at the first signal to stop. A second signal, or STOP_TIMEOUT_MS after SHUTDOWN_DELAY_MS, ends the process at once.
 */
function untilSignalled({ shutdownDelayMs }: Config): Promise<void> {
  let firstAt: number | undefined;
  return new Promise((resolve) => {
    const stop = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        setTimeout(() => process.exit(1), shutdownDelayMs + STOP_TIMEOUT_MS).unref();
        resolve();
      } else if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    // A worker ends with its primary process.
    if (cluster.isPrimary) onLauncherLost(() => firstAt ?? stop(), process.env.FORMHOST_PARENT);
  });
}

function readConfig(): Config {
  try {
    if (existsSync('.env')) process.loadEnvFile();
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`formhost: ${error.message}\n`);
    process.exit(1);
  }
}

/** The message for an error that a person can correct; undefined for any other. */
function startupErrorMessage(error: unknown, { host, port, metricsPort }: Config): string | undefined {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error && 'syscall' in error && /^(listen|bind|getaddrinfo)$/.test(`${error.syscall}`)))
    return undefined;
  const name = 'port' in error && error.port === metricsPort ? `METRICS_PORT ${metricsPort}` : `PORT ${port}`;
  return error.message.includes('EADDRINUSE')
    ? `${name} is in use: choose another port, or stop the program that listens on it`
    : `cannot listen on HOST ${host}, ${name}: ${error.message}`;
}

/** Tells a person on the terminal how to begin, on standard output: the message has a key, which must not be in a log. */
function announce(message: string | undefined): void {
  if (message !== undefined) process.stdout.write(message);
}

/** Runs the service in several processes. */
async function runAll(config: Config, log: Log): Promise<void> {
  const closeMetrics = await openWorkerMetrics(config);
  try {
    const onLoss: OnLoss = (lost) => log.error(lost, 'a worker ended');
    await runWorkers(config.workers, signalled, { onLoss, onServing: announce });
  } finally {
    await closeMetrics?.();
  }
}

async function run(config: Config, log: Log): Promise<void> {
  const service = await startService(config, log);
  let closeMetrics: (() => Promise<void>) | undefined;
  try {
    closeMetrics = await openMetrics(service.exposeMetrics, config);
    log.info({ url: service.url }, 'listening');
    const announced = service.ready.then(({ firstOwner }) => {
      log.info('ready');
      const message = firstOwner && firstRunMessage(config, firstOwner);
      if (cluster.isWorker) reportReady(message);
      else announce(message);
    });
    await Promise.race([signalled, announced.then(() => signalled)]);
    log.info('stopping');
  } finally {
    await closeMetrics?.();
    await service.close();
  }
  log.info('stopped');
}

const config = readConfig();
const signalled = untilSignalled(config);
// NO_COLOR is respected.
const style = isatty(2) && { hasColors: process.stderr.hasColors(), hasPid: config.workers > 1 };
const log = createLog(config.logLevel, style ? await readableLines(style) : undefined);
// After an unexpected exception the state is unknown: the process ends, and its supervisor starts another.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'the process ended');
  process.exit(1);
});
try {
  await (cluster.isPrimary && config.workers > 1 ? runAll(config, log) : run(config, log));
} catch (error) {
  const message = startupErrorMessage(error, config);
  if (message !== undefined) process.stderr.write(`formhost: ${message}\n`);
  else if (!(error instanceof WorkerStartError)) log.fatal({ err: error }, 'the service ended');
  process.exitCode = 1;
}
// The channel to the primary keeps this process running, and closing it would end the process with exit code 0.
if (cluster.isWorker) process.exit();
