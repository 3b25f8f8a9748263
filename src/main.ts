import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createLog, type Log } from './log.ts';
import { gatherFromWorkers, offerToPrimary } from './metrics.ts';
import { serveMetrics } from './metrics-server.ts';
import { type Service, StartError, startService } from './service.ts';
import { greeting } from './tour.ts';
import { reportReady, runWorkers, WorkerStartError } from './workers.ts';

// npm hands a signal on that the process has got from the terminal already: two within this time are one.
const SAME_SIGNAL_MS = 250;
const STOP_MS = 10_000;

/** Settles at the first signal to stop; a second one, or stopping that takes too long, ends the process at once. */
const signalled = new Promise<void>((resolve) => {
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        setTimeout(() => process.exit(1), STOP_MS).unref();
        resolve();
      } else if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1);
    });
  }
});

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

/** What a person has to know of an error that ended the service; undefined when it is one that nobody foresaw. */
function complaint(error: unknown, { host, port, metricsPort }: Config): string | undefined {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error && 'syscall' in error && /^(listen|bind|getaddrinfo)$/.test(`${error.syscall}`)))
    return undefined;
  const name = 'port' in error && error.port === metricsPort ? `METRICS_PORT ${metricsPort}` : `PORT ${port}`;
  return error.message.includes('EADDRINUSE')
    ? `${name} is in use: choose another, or stop what listens there`
    : `HOST ${host} cannot be listened on at ${name}: ${error.message}`;
}

/** Serves the metrics of this process, or offers them to the one that serves those of all. */
async function openMetrics(
  service: Service,
  { host, metricsPort: port }: Config,
): Promise<(() => Promise<void>) | undefined> {
  if (port === undefined) return undefined;
  const registry = await service.exposeMetrics();
  if (cluster.isPrimary) return serveMetrics(registry, { host, port });
  await offerToPrimary(registry);
  return undefined;
}

/** Runs the service in several processes. */
async function runAll({ workers, host, metricsPort: port }: Config, log: Log): Promise<void> {
  const closeMetrics = port === undefined ? undefined : await serveMetrics(await gatherFromWorkers(), { host, port });
  try {
    const onLoss = (lost: object): void => log.error(lost, 'a worker ended');
    await runWorkers(workers, { stopping: signalled, onLoss });
  } finally {
    await closeMetrics?.();
  }
}

async function run(config: Config, log: Log): Promise<void> {
  const service = await startService(config, log);
  let closeMetrics: (() => Promise<void>) | undefined;
  try {
    closeMetrics = await openMetrics(service, config);
    log.info({ url: service.url }, 'listening');
    const greeted = service.ready.then(({ firstKey }) => {
      log.info('ready');
      reportReady();
      if (firstKey !== undefined) process.stdout.write(greeting(config.baseUrl, firstKey));
    });
    await Promise.race([signalled, greeted.then(() => signalled)]);
    log.info('stopping');
  } finally {
    await closeMetrics?.();
    await service.close();
  }
  log.info('stopped');
}

const config = readConfig();
const log = createLog(config.logLevel);
// Nothing may go on after what nobody foresaw: the process ends, and whoever runs it starts another.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'the process ended');
  process.exit(1);
});
try {
  await (cluster.isPrimary && config.workers > 1 ? runAll(config, log) : run(config, log));
} catch (error) {
  const message = complaint(error, config);
  if (message !== undefined) process.stderr.write(`formhost: ${message}\n`);
  else if (!(error instanceof WorkerStartError)) log.fatal({ err: error }, 'the service ended');
  process.exitCode = 1;
}
// The channel to the process that forked this one would keep it, and closing that would end it with 0, whatever happened.
if (cluster.isWorker) process.exit();
