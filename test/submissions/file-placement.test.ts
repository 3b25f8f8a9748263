import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageFull } from '../../src/db/account/storage.ts';
import { FilePlacement } from '../../src/submissions/file-placement.ts';
import { testLimits } from '../support/limits.ts';
import { startTestService, type TestService } from '../support/service.ts';

const FILE = { id: 'file_1', filename: 'cv.txt', contentType: 'text/plain', content: Buffer.from('Ada') };
const PAGE = '<p>';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A file is placed in a bucket where an owner may store `limit` bytes; what became of its object. */
async function place(limit: number, store: () => Promise<string>): Promise<{ outcome: unknown; objects: string[] }> {
  const objects: string[] = [];
  const bucket = {
    async put() {
      objects.push('put');
      return { id: 'obj_1', sha256: Buffer.alloc(32), putAt: 0 };
    },
    discard: (discarded: readonly { id: string }[]) => objects.push(...discarded.map(({ id }) => `discarded ${id}`)),
  };
  const owner = await service.owner({ plan: 'free' });
  const { id } = await owner.deploy({ html: PAGE });
  const storageLimits = new Map([['free', limit]]);
  const placement = new FilePlacement(bucket, { db: service.db, storageLimits, limits: testLimits() });
  const work = { store, refuse: async () => undefined, isStored: (outcome: string) => outcome === 'stored' };
  const outcome = await placement.run(id, [FILE], work).catch((error: unknown) => error);
  return { outcome, objects };
}

describe('FilePlacement, with a bucket', () => {
  it('puts nothing into it when the owner’s storage is full', async () => {
    const all = PAGE.length + FILE.content.length;
    expect(await place(all, async () => 'stored')).toEqual({ outcome: 'stored', objects: ['put'] });
    expect(await place(all - 1, async () => 'stored')).toEqual({ outcome: expect.any(StorageFull), objects: [] });
  });

  it('discards what is there when the storage has become full meanwhile', async () => {
    const full = new StorageFull({ plan: 'free', limit: 5 });
    expect(await place(100, () => Promise.reject(full))).toEqual({
      outcome: full,
      objects: ['put', 'discarded obj_1'],
    });
  });
});
