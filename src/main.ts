import { existsSync } from 'node:fs';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createLog, type Log } from './log.ts';
import { StartError, startService } from './service.ts';
import { greeting } from './tour.ts';

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
function complaint(error: unknown, { host, port }: Config): string | undefined {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error && 'syscall' in error && /^(listen|getaddrinfo)$/.test(`${error.syscall}`)))
    return undefined;
  return error.message.includes('EADDRINUSE')
    ? `PORT ${port} is in use: choose another, or stop what listens there`
    : `HOST ${host} cannot be listened on at PORT ${port}: ${error.message}`;
}

async function run(config: Config, log: Log): Promise<void> {
  const service = await startService(config, log);
  log.info({ url: service.url }, 'listening');
  const greeted = service.ready.then(({ firstKey }) => {
    log.info('ready');
    if (firstKey !== undefined) process.stdout.write(greeting(config.baseUrl, firstKey));
  });
  try {
    await Promise.race([signalled, greeted.then(() => signalled)]);
    log.info('stopping');
  } finally {
    await service.close();
  }
  log.info('stopped');
}

const config = readConfig();
const log = createLog(config.logLevel);
try {
  await run(config, log);
} catch (error) {
  const message = complaint(error, config);
  if (message === undefined) log.fatal({ err: error }, 'the service ended');
  else process.stderr.write(`formhost: ${message}\n`);
  process.exitCode = 1;
}
