import type { JSX } from 'preact';
import { useData } from '../../data.ts';
import { MAX_LIMIT } from '../../limits.ts';
import { pageLinks } from '../../links.ts';
import { type Log, readLogs } from '../../logs.ts';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { counted } from '../../ui/time.tsx';
import type { Range } from './range.ts';

/** The deliveries that are read of each log: more would take long. */
const MAX_ENTRIES = 500;

const RESULTS = [
  { status: 'succeeded', label: 'Delivered' },
  { status: 'pending', label: 'Waiting' },
  { status: 'failed', label: 'Failed' },
] as const;

type Status = (typeof RESULTS)[number]['status'];
type Counts = Record<Status, number>;
type Receiver = { id: string; name: string; counts: Counts; isCut: boolean; isMail: boolean };

/** Counts what was made in the range, newest first, up to MAX_ENTRIES. */
async function countLog(log: Log, range: Range, signal: AbortSignal): Promise<Receiver> {
  const counts: Counts = { succeeded: 0, pending: 0, failed: 0 };
  const receiver = { id: log.id, name: log.name, counts, isCut: false, isMail: log.protocol === 'SMTP' };
  for (let page = 1; (page - 1) * MAX_LIMIT < MAX_ENTRIES; page += 1) {
    const { items, total } = await log.read({ page, limit: MAX_LIMIT }, signal);
    for (const { status, created_at } of items) {
      const at = Date.parse(created_at);
      if (at >= range.starts && at < range.ends) counts[status] += 1;
      if (at < range.starts) return receiver;
    }
    if (page * MAX_LIMIT >= total) return receiver;
  }
  return { ...receiver, isCut: true };
}

async function countDeliveries(id: string, range: Range, signal: AbortSignal): Promise<Receiver[]> {
  const logs = await readLogs(id, signal);
  const receivers = await Promise.all(logs.map((log) => countLog(log, range, signal)));
  return receivers.filter(({ isMail, counts }) => !isMail || sum(counts) > 0);
}

const sum = (counts: Counts): number => counts.succeeded + counts.pending + counts.failed;

/** The outcomes of the deliveries of each webhook. */
export function Deliveries({ id, range }: { id: string; range: Range }): JSX.Element {
  const loaded = useData(`results:${id}:${range.from}:${range.to}`, (signal) => countDeliveries(id, range, signal));
  return (
    <Section title="Deliveries by result">
      <Shown loaded={loaded} label="Counting the deliveries">
        {(receivers) => {
          const total = receivers.reduce((all, { counts }) => all + sum(counts), 0);
          if (receivers.length === 0) {
            return (
              <p class="muted">
                Nothing is delivered yet: <a href={pageLinks(id).notifications}>add a webhook or a mail</a>.
              </p>
            );
          }
          return (
            <>
              <p class="muted">{counted(total, 'delivery', 'deliveries')} in this time.</p>
              <Table
                label="Deliveries as a table"
                heads={['To', ...RESULTS.map(({ label }) => label)]}
                rows={receivers.map(({ id: key, name, counts }) => ({
                  key,
                  name: <bdi>{name}</bdi>,
                  counts: RESULTS.map(({ status }) => counts[status]),
                }))}
              />
              <p class="muted">
                {receivers.some(({ isCut }) => isCut) && `Only the last ${MAX_ENTRIES} of each are counted. `}
                Finished deliveries are kept for a limited time.
              </p>
            </>
          );
        }}
      </Shown>
    </Section>
  );
}
