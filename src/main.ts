import { existsSync } from 'node:fs';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { tour } from './tour.ts';

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

function cannotListen({ message }: Error, { host, port }: Config): string {
  return message.includes('EADDRINUSE')
    ? `PORT ${port} is in use: choose another, or stop what listens there`
    : `HOST ${host} cannot be listened on at PORT ${port}: ${message}`;
}

async function main(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  try {
    const service = await startService(config, log);
    log.info({ url: service.url }, 'listening');
    service.ready.then(
      ({ firstKey }) => {
        log.info('ready');
        if (firstKey === undefined) return;
        process.stdout.write(
          `\nYour API key, shown this once: ${firstKey}\n\nDeploy a page, fill its form in, read the submission back:\n\n${tour(config.baseUrl, firstKey)}\n\n`,
        );
      },
      (error) => {
        log.fatal({ err: error }, 'the database cannot be used');
        process.exit(1);
      },
    );
    await signalled;
    log.info('stopping');
    await service.close();
    log.info('stopped');
  } catch (error) {
    const isListening =
      error instanceof Error && 'syscall' in error && /^(listen|getaddrinfo)$/.test(`${error.syscall}`);
    if (isListening) process.stderr.write(`formhost: ${cannotListen(error, config)}\n`);
    else log.fatal({ err: error }, 'the service ended');
    process.exitCode = 1;
  }
}

await main(readConfig());
