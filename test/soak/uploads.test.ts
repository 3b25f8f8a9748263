import { randomBytes } from 'node:crypto';
import { afterAll, expect, it, vi } from 'vitest';
import { inParallel, record } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { multipartBody } from '../support/multipart.ts';
import { freePort } from '../support/process.ts';
import { testProcess } from '../support/test-process.ts';

const MIB = 1024 * 1024;
const UPLOADS = 200;
const AT_ONCE = 12;
const PER_DEPLOYMENT = 10;
/** So many times as much memory as before. */
const HEAP_RATIO = 1.4;
const RESIDENT_RATIO = 4;

const metricsPort = await freePort();
const { service, newOwner } = await testProcess({ LOG_LEVEL: 'error', ...measurable(metricsPort) });
const owner = await newOwner('owner');
afterAll(async () => expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' }));

it('keeps memory level through 200 uploads and as many downloads, a third of them left in the middle', async () => {
  const ids = await Promise.all(
    Array.from({ length: UPLOADS / PER_DEPLOYMENT }, async () => (await owner.deploy()).id),
  );
  const before = await footprint(service, metricsPort);
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  let mostResident = 0;
  await inParallel([...Array(UPLOADS).keys()], AT_ONCE, async (n) => {
    const content = randomBytes((n % 20 === 0 ? 10 : 1) * MIB);
    const body = new Uint8Array(multipartBody(['name="a"; filename="a"', content]));
    const path = `/submit/${ids[n % ids.length]}`;
    const { status } = await fetch(service.url + path, { method: 'POST', body, headers });
    expect(status).toBe(200);
    const list = await owner.get(`/submissions/${ids[n % ids.length]}`);
    const file = list.body.submissions[0].data.a;
    const gone = new AbortController();
    const response = await fetch(service.url + file.url, {
      headers: { Authorization: `Bearer ${owner.key}` },
      signal: gone.signal,
    });
    if (n % 3 === 0) gone.abort();
    else expect((await response.arrayBuffer()).byteLength).toBe(file.size);
    if (n % 20 === 0) mostResident = Math.max(mostResident, (await footprint(service, metricsPort)).residentMiB);
  });
  const isLevel = async (): Promise<void> => {
    const { heapMiB, residentMiB } = await footprint(service, metricsPort);
    expect(heapMiB).toBeLessThan(HEAP_RATIO * before.heapMiB);
    expect(residentMiB).toBeLessThan(RESIDENT_RATIO * before.residentMiB);
  };
  await vi.waitFor(isLevel, { timeout: 30_000, interval: 500 }).catch(() => undefined);
  const after = await footprint(service, metricsPort);
  record(`uploads: ${UPLOADS} of 1 and 10 MiB, ${AT_ONCE} at once`, {
    'heap, MiB': `${before.heapMiB} to ${after.heapMiB}`,
    'resident, MiB': `${before.residentMiB} to ${after.residentMiB}, at most ${mostResident}`,
  });
  await isLevel();
});
