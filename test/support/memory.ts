import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import type { ServiceProcess } from './process.ts';
import { readMetrics } from './read-metrics.ts';

/** Settings of a process whose memory is to be measured. */
export const measurable = (metricsPort: number): Record<string, string> => ({
  METRICS_PORT: String(metricsPort),
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('garbage.ts', import.meta.url))}`,
});

export type Footprint = { heapMiB: number; residentMiB: number; descriptors: number };

const MIB = 1024 * 1024;

/**
 * A process's use of memory after garbage collection: V8's heap with external memory, all resident memory, and files and
 * sockets.
 */
export async function footprint({ child }: ServiceProcess, metricsPort: number): Promise<Footprint> {
  child.kill('SIGUSR2');
  // It answers after it has collected: signals come first.
  await vi.waitFor(() => readMetrics(metricsPort), { timeout: 60_000 });
  const metrics = await readMetrics(metricsPort);
  const value = (name: string): number => metrics.get(name) ?? Number.NaN;
  return {
    heapMiB: Math.round((value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes')) / MIB),
    residentMiB: Math.round(value('process_resident_memory_bytes') / MIB),
    descriptors: value('process_open_fds'),
  };
}
