import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ComputePool } from '../../src/compute/pool.ts';
import { OverLimitError } from '../../src/compute/thread.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import type { LimitOverrides } from '../../src/limits.ts';
import { startProgram } from '../support/process.ts';
import { testLimits } from '../support/test-limits.ts';

const ACTION = 'http://api.test/submit/d_0';
const PATIENCE_MS = 60_000;

function startPool(limits: LimitOverrides['compute'] = {}) {
  const pool = new ComputePool({ maxHtmlBytes: 0 }, testLimits({ compute: limits }));
  onTestFinished(() => pool.close());
  return pool;
}
type Pool = ReturnType<typeof startPool>;

const render = (pool: Pool, owner: number, html = '<form action="{{FORM_ACTION}}">', maxWaitMs = PATIENCE_MS) =>
  pool.run(owner, maxWaitMs, (thread) => thread.run('renderPage', { html: Buffer.from(html), action: ACTION }));
const read = (pool: Pool, body: string, names: readonly string[], owner: number) =>
  pool.run(owner, PATIENCE_MS, (thread) => thread.run('readMembers', { body: Buffer.from(body), names }));

/** Work for minutes: each member's name is looked for among half a million. */
const hang = (pool: Pool, owner = 1) => {
  const members = Array.from({ length: 10_000 }, (_, index) => `"${index}":0`);
  const names = Array.from({ length: 500_000 }, (_, index) => `name ${index}`);
  return read(pool, `{${members.join(',')}}`, names, owner);
};
/** A page with so many placeholders that the list of their places is larger than the heap of a small thread. */
const overflow = (pool: Pool) => render(pool, 1, '{{FORM_ACTION}}'.repeat(4_000_000));

describe('a page that is rendered in the thread', () => {
  it('is compressed, with the hash and the length of its bytes', async () => {
    const html = '{{FORM_ACTION}}{{{FORM_ACTION}}} \0é😀$& {{FORM_ACTION}'.repeat(5_000);
    const { br, ...rest } = await render(startPool(), 1, html);
    const expected = Buffer.from(html.replaceAll('{{FORM_ACTION}}', () => ACTION));
    expect(expected.equals(brotliDecompressSync(br))).toBe(true);
    const hash = createHash('sha256').update(expected).digest('base64url').slice(0, 27);
    expect(rest).toEqual({ hash, bytes: expected.length });
  });
});

describe('owners', () => {
  it('wait for no more than one piece of each other owner’s work', async () => {
    const pool = startPool();
    const done: number[] = [];
    const work = (owner: number) => render(pool, owner, '{{FORM_ACTION}}'.repeat(1_000)).then(() => done.push(owner));
    const busy = [1, 2, 3, 4, 5, 6];
    const backlog = busy.flatMap((owner) => Array.from({ length: 5 }, () => work(owner)));
    await Promise.all([...backlog, work(7)]);
    expect(done.length).toBe(31);
    // One was under way when it came.
    expect(done.indexOf(7)).toBeLessThanOrEqual(1 + busy.length);
  });

  it('are refused what could not be started in time, and that alone', async () => {
    const pool = startPool();
    const release = Promise.withResolvers<void>();
    const first = pool.run(1, PATIENCE_MS, () => release.promise);
    await expect(render(pool, 1, 'x', 20)).rejects.toThrow(BusyError);
    const [third, others] = [render(pool, 1), render(pool, 2)];
    release.resolve();
    await first;
    expect([(await third).br, (await others).br].map((br) => brotliDecompressSync(br).toString())).toEqual([
      `<form action="${ACTION}">`,
      `<form action="${ACTION}">`,
    ]);
  });
});

describe('a thread that breaks down', () => {
  it('fails the job that takes too long, and does others', async () => {
    const pool = startPool({ jobTimeoutMs: 1_000 });
    await expect(hang(pool)).rejects.toThrow('readMembers took longer than 1000 ms.');
    // On a busy machine a new thread may not be ready in a second.
    const next = () => render(pool, 2).catch(() => undefined);
    await expect.poll(async () => (await next())?.bytes).toBe(`<form action="${ACTION}">`.length);
  });

  it('fails the job that needs more memory than it has, and does the next', async () => {
    const pool = startPool({ threadHeapMib: 16 });
    const [first, next] = [overflow(pool), render(pool, 2)];
    await expect(first).rejects.toThrow(new OverLimitError('renderPage needed more than 16 MB.'));
    expect(brotliDecompressSync((await next).br).toString()).toBe(`<form action="${ACTION}">`);
  });
});

describe('a check', () => {
  const addresses = { baseUrl: 'https://forms.test', pagesDomain: 'pages.test', page: undefined };
  const check = (pool: Pool, owner: number, html: string) =>
    pool.run(owner, PATIENCE_MS, (thread) =>
      thread.run('checkPage', { html: Buffer.from(html), addresses, maxFields: 50 }),
    );
  const FORM = '<form method="post"><input name="a"><button>Send</button></form>';

  it('is ended when it has used its time of the processor, whatever its owner sends next', async () => {
    // No other deadline is near: a check of this page takes many times as long as this.
    const pool = startPool({ checkCpuTimeoutMs: 20, jobTimeoutMs: 10 * PATIENCE_MS });
    const heavy = '<i>'.repeat(700_000);
    const [first, second] = [check(pool, 1, heavy), check(pool, 1, heavy)];
    const other = check(pool, 2, '');
    const message = 'checkPage used more than 20 ms of the processor.';
    await expect(first).rejects.toThrow(new OverLimitError(message));
    expect((await other)?.formCount).toBe(0);
    await expect(second).rejects.toThrow(new OverLimitError(message));
  });

  it('is not measured by the time for which its thread waits or starts', async () => {
    const pool = startPool({ checkCpuTimeoutMs: 60_000, jobTimeoutMs: 10 * PATIENCE_MS });
    expect((await check(pool, 1, FORM))?.formCount).toBe(1);
  });
});

describe('closing', () => {
  it('refuses what waits and what comes later, and fails what is under way', async () => {
    const pool = startPool();
    const outcomes = Promise.allSettled([hang(pool), render(pool, 1), render(pool, 1), render(pool, 1)]);
    await pool.close();
    const [underWay, ...waiting] = await outcomes;
    expect(underWay).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/^The thread .* readMembers\.$/) },
    });
    for (const { status, ...rest } of waiting)
      expect([status, rest]).toEqual(['rejected', { reason: expect.any(BusyError) }]);
    await expect(render(pool, 2)).rejects.toThrow(BusyError);
  });

  it('is not needed for the process to end', async () => {
    const program = `
      import { ComputePool } from './src/compute/pool.ts';
      import { withLimits } from './src/limits.ts';
      const limits = withLimits({ compute: { idleThreadMs: 600_000 } });
      const pool = new ComputePool({ maxHtmlBytes: 0 }, limits);
      const waiting = setInterval(() => undefined, 1_000);
      const { members } = await pool.run(1, 60_000, (thread) =>
        thread.run('readMembers', { body: Buffer.from('{"a":"b"}'), names: ['a'] }));
      process.stdout.write(JSON.stringify(members));
      clearInterval(waiting);`;
    const { result } = startProgram(process.execPath, ['--input-type=module', '--eval', program], {});
    expect(await result).toEqual({ code: 0, stdout: '[{"name":"a","value":{"string":"b"}}]', stderr: '' });
  });
});
