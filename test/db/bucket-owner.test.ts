import { expect, it, onTestFinished } from 'vitest';
import { newObjectId } from '../../src/lib/ids.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { startS3 } from '../support/s3.ts';
import { testService } from '../support/test-service.ts';

const DAYS_2 = 2 * 24 * 60 * 60 * 1_000;

it('sweeps nothing once another installation has claimed the prefix', async () => {
  const s3 = await startS3();
  onTestFinished(s3.close);
  const limits = { files: { deletionsIntervalMs: 20, deletionsRetryMs: 20 } };
  const database = await cloneDatabase();
  // No sweep is due yet.
  await runSql(database.url, "INSERT INTO bucket_use (next_sweep_at) VALUES (now() + interval '1 day')");
  const service = await testService(s3.settings(), database, { limits });
  const { id } = await (await service.owner()).deploy();
  const form = new Uint8Array(multipartBody(['name="cv"; filename="cv.pdf"', 'Dear Ada']));
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  expect((await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: form, headers })).status).toBe(200);

  const theirs = `a/files/${newObjectId()}`;
  s3.objects.set(theirs, { content: Buffer.from('x'), modifiedAt: new Date(Date.now() - DAYS_2) });
  const mark = [...s3.objects.keys()].find((key) => key.endsWith('/installation')) ?? '';
  s3.objects.set(mark, { content: Buffer.from('another installation'), modifiedAt: new Date() });
  const looks = () => s3.requests.filter(({ method, key }) => method === 'GET' && key === mark).length;
  const before = looks();
  await service.db.raw("UPDATE bucket_use SET next_sweep_at = now() - interval '1 s'");
  // It looks again before it sweeps, and then each time: by the second look, a sweep would have been over.
  await expect.poll(looks).toBeGreaterThan(before + 1);
  expect(s3.objects.has(theirs)).toBe(true);
  expect(s3.requests.some(({ method }) => method === 'DELETE')).toBe(false);
});
