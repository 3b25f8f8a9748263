import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createLog, type Log } from './lib/log.ts';
import { startService } from './service.ts';
import { firstRunMessage } from './start/first-run-message.ts';
import { openMetrics, openWorkerMetrics } from './start/metrics.ts';
import { StartError } from './start/prepare-database.ts';
import { reportReady, runWorkers, WorkerStartError } from './start/workers.ts';

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
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = performance.now();
          setTimeout(() => process.exit(1), shutdownDelayMs + STOP_TIMEOUT_MS).unref();
          resolve();
        } else if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1);
      });
    }
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

/** Runs the service in several processes. */
async function runAll(config: Config, log: Log): Promise<void> {
  const closeMetrics = await openWorkerMetrics(config);
  try {
    await runWorkers(config.workers, signalled, (lost) => log.error(lost, 'a worker ended'));
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
      reportReady();
      if (firstOwner !== undefined) process.stdout.write(firstRunMessage(config, firstOwner));
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
const log = createLog(config.logLevel);
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
