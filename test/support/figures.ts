import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file that gathers the figures of a run; only the project "soak" has one (summary.ts). */
    figures?: string;
  }
}

/** Prints what was measured, and adds it to the summary of the run. */
export function record(name: string, figures: Readonly<Record<string, string | number>>): void {
  const all = Object.entries(figures);
  console.log(`${name}: ${all.map(([what, value]) => `${what} ${value}`).join(', ')}`);
  const file = inject('figures');
  if (file !== undefined) appendFileSync(file, all.map((figure) => `${JSON.stringify([name, ...figure])}\n`).join(''));
}

/**
 * A request that waits so many times as long beside somebody else's load as without it stands in the queue of that load. How long exactly it waits
 * depends on the machine and on who shares it, and is printed.
 */
export const QUEUED_RATIO = 200;

/** A percentile: 0.99 for the value that 99 % of all do not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
  if (value === undefined) throw new Error('Nothing was measured');
  return value;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How long something takes, in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

/** Milliseconds of the processor that something takes: who else uses the machine does not count, nor how long it pauses. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Milliseconds as they are printed. */
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** Does work for each item, a limited number at a time. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
