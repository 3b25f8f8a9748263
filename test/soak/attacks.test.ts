import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Task } from '../support/attacker.ts';
import { median, ms, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { freePort, startProgram } from '../support/process.ts';
import { JSON_TYPE } from '../support/service.ts';
import { testProcess } from '../support/test-process.ts';

/*
 * Attacks by one client or owner, and what another owner's visitors see beside them. Each request of the other owner is
 * answered. How long it takes beside an attack, and the memory that is left, depend on the machine, and are printed.
 */

const LOOK_MS = 3_000;
const ATTACK_MS = 10_000;
const FORMS = 100;
const SETTLE_MS = 15_000;

const metricsPort = await freePort();
const { service, newOwner } = await testProcess({
  ...{ STORAGE_LIMITS: 'free:50MB,unlimited:none', PLAN_LIMITS: 'free:16,unlimited:none' },
  ...measurable(metricsPort),
});
const other = await newOwner('other');
const attackers = {
  free: await newOwner('free', 'free'),
  unlimited: await newOwner('attacker'),
  second: await newOwner('second'),
};
const searched = (await attackers.unlimited.deploy()).id;
const large = JSON.stringify({ words: `${'word '.repeat(49_000)}\\` });
for (let i = 0; i < 10; i += 1)
  await fetch(`${service.url}/submit/${searched}`, { method: 'POST', headers: JSON_TYPE, body: large });
const spammed = (await attackers.unlimited.deploy()).id;
await attackers.unlimited.patch(`/deploy/${spammed}`).send({ spam: { blocklist: ['blocked'], captcha: null } });

/** What the other owner's visitors see for a time, requests one after another; and how many were not answered well. */
async function look(
  forMs: number,
): Promise<{ submission: number; compressed: number; health: number; failed: number }> {
  const took: Record<'submission' | 'compressed' | 'health', number[]> = { submission: [], compressed: [], health: [] };
  // Forms of its own, which take turns, so that none comes to its limit.
  const forms: { id: string }[] = [];
  for (let i = 0; i < FORMS; i += 1) forms.push(await other.deploy());
  let failed = 0;
  let turn = 0;
  const ask = async (kind: keyof typeof took, path: string, init: RequestInit = {}): Promise<void> => {
    const { ms: time, result } = await timed(async () => {
      const response = await fetch(service.url + path, init);
      await response.arrayBuffer();
      return response.status;
    });
    took[kind].push(time);
    if (result !== 200) failed += 1;
  };
  for (const start = performance.now(); performance.now() - start < forMs; turn += 1) {
    const form = forms[turn % forms.length];
    if (turn < forms.length * 5) {
      await ask('submission', `/submit/${form?.id}`, { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' });
      const body = gzipSync('{"a":"compressed"}');
      await ask('compressed', `/submit/${form?.id}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
        body,
      });
    }
    await ask('health', '/healthz');
  }
  return {
    submission: median(took.submission),
    compressed: median(took.compressed),
    health: median(took.health),
    failed,
  };
}

const ATTACKS = ['statistics', 'brotli', 'search', 'storage', 'checks', 'cookies', 'keys', 'spam'] as const;

describe.each(ATTACKS)('an attack with %s', (attack) => {
  it('fails nothing of others', async () => {
    const quiet = await look(LOOK_MS);
    const before = await footprint(service, metricsPort);
    const keys = { storage: [attackers.free.key], checks: [attackers.unlimited.key, attackers.second.key] };
    const task: Task = {
      url: service.url,
      attack,
      keys: attack === 'storage' || attack === 'checks' ? keys[attack] : [attackers.unlimited.key],
      deploymentId: attack === 'spam' ? spammed : searched,
    };
    const { child, result } = startProgram(process.execPath, ['test/support/attacker.ts', JSON.stringify(task)], {});
    await delay(ATTACK_MS);
    const loaded = await look(LOOK_MS);
    child.kill();
    const { stdout } = await result;
    // Idle threads have ended by then.
    await delay(SETTLE_MS);
    const after = await footprint(service, metricsPort);
    const told = (kind: 'submission' | 'compressed' | 'health'): string =>
      `${ms(quiet[kind])} to ${ms(loaded[kind])} (${(loaded[kind] / quiet[kind]).toFixed(1)} times)`;
    record(`attacks: ${attack}`, {
      'submissions of others': told('submission'),
      'compressed submissions of others': told('compressed'),
      '/healthz': told('health'),
      memory: `${before.residentMiB} to ${after.residentMiB} MiB, heap ${before.heapMiB} to ${after.heapMiB} MiB`,
      answered: stdout,
    });
    expect({ quiet: quiet.failed, loaded: loaded.failed }).toEqual({ quiet: 0, loaded: 0 });
    expect(after.heapMiB - before.heapMiB).toBeLessThan(50);
  });
});
