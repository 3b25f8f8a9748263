import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort, startServiceProcess } from '../support/process.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { backedUp, formhost } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';

const METRIC = 'formhost_backup_missing';

it('the metrics say whether the embedded database has no backup at all', async () => {
  const folder = await emptyFolder();
  const metricsPort = await freePort();
  const settings = { DATA_DIR: join(folder, 'data'), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'error' };
  const start = async () => {
    const service = await startServiceProcess({ DATABASE_URL: '', ...settings }, [], {
      command: [process.execPath, 'src/main.ts'],
    });
    onTestFinished(() => void service.child.kill());
    await service.ready();
    return service;
  };
  const missing = async () => (await readMetrics(metricsPort)).get(METRIC);

  const first = await start();
  await expect.poll(missing).toBe(1);
  expect(await formhost(['admin', 'backup', join(folder, 'first.backup')], { settings })).toEqual(backedUp);
  expect((await first.stop()).code).toBe(0);
  const second = await start();
  await expect.poll(missing).toBe(0);
  expect((await second.stop()).code).toBe(0);
});
