import type { JSX } from 'preact';
import { MAX_LIMIT } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { readLogs } from '../../logs.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { READS_RECEIVERS } from '../../ui/page-layout.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

const RESULTS = [
  { status: 'succeeded', label: 'Delivered' },
  { status: 'pending', label: 'Waiting' },
  { status: 'failed', label: 'Failed' },
] as const;

/** A row for each log: how many of its last deliveries have each result. */
async function countDeliveries(id: string, signal: AbortSignal) {
  const logs = await readLogs(id, signal);
  return Promise.all(
    logs.map(async (log) => {
      const { items } = await log.read({ page: 1, limit: MAX_LIMIT }, signal);
      const counts = RESULTS.map(({ status }) => items.filter((delivery) => delivery.status === status).length);
      return { key: log.id, name: <bdi>{log.name}</bdi>, counts };
    }),
  );
}

/** The outcomes of the last deliveries to each webhook, and by mail. */
export function Deliveries({ id }: { id: string }): JSX.Element {
  const loaded = useData(`results:${id}`, (signal) => countDeliveries(id, signal));
  return (
    <Section title="Deliveries by result" hint={`The last ${MAX_LIMIT} to each receiver.`}>
      <Shown loaded={loaded} label="Counting the deliveries">
        {(rows) => (
          <>
            <Table label="Deliveries as a table" heads={['To', ...RESULTS.map(({ label }) => label)]} rows={rows} />
            {may(READS_RECEIVERS) && (
              <p>
                <a href={pageLinks(id).notifications}>Mail, webhooks and their logs</a>
              </p>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
}
