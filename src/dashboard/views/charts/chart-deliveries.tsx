import type { JSX } from 'preact';
import { MAX_LIMIT } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { readLogs } from '../../logs.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { READS_WEBHOOKS } from '../../ui/page-layout.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

const { deliveries: texts } = t.statistics;

const RESULTS = ['succeeded', 'pending', 'failed'] as const;

/** A row for each log: how many of its last deliveries have each result. */
async function countDeliveries(id: string, signal: AbortSignal) {
  const logs = await readLogs(id, signal);
  return Promise.all(
    logs.map(async (log) => {
      const { items } = await log.read({ page: 1, limit: MAX_LIMIT }, signal);
      const counts = RESULTS.map((status) => items.filter((delivery) => delivery.status === status).length);
      return { key: log.id, name: <bdi>{log.name}</bdi>, counts };
    }),
  );
}

/** The outcomes of the last deliveries to each webhook, and by mail. */
export function Deliveries({ id }: { id: string }): JSX.Element {
  const loaded = useData(`results:${id}`, (signal) => countDeliveries(id, signal));
  return (
    <Section title={texts.heading} hint={fill(texts.hint, { limit: MAX_LIMIT })}>
      <Shown loaded={loaded} label={texts.counting}>
        {(rows) => (
          <>
            <Table
              label={texts.table}
              heads={[texts.to, ...RESULTS.map((status) => texts.results[status])]}
              rows={rows}
            />
            {may(READS_WEBHOOKS) && (
              <p>
                <a href={pageLinks(id).notifications}>{texts.logs}</a>
              </p>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
}
