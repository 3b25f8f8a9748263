import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { readAllPages } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { t } from '../../texts/chosen-texts.ts';
import { AuditRow, withIds } from '../../ui/audit-row.tsx';
import { Section } from '../../ui/section.tsx';
import { Listed } from '../../ui/states.tsx';

/** Names what was changed: a page that is still there leads to its view. `pages`: the live ones, by their ids. */
const Target = ({ id, pages }: { id: string; pages: ReadonlyMap<string, string> | undefined }): JSX.Element => {
  const name = pages?.get(id);
  return name === undefined ? (
    <code>{id}</code>
  ) : (
    <a href={pageLinks(id).inbox}>
      <bdi>{name}</bdi>
    </a>
  );
};

/** The entries of the audit about this account and its pages. */
export function Audit(): JSX.Element {
  const loaded = usePages('audit', DASHBOARD_LIMITS.account.auditSize, async (query, signal) => {
    const { entries, total } = await answer(api.GET('/audit', { params: { query }, signal }));
    return { items: withIds(entries, query.page), total };
  });
  const { data: pages } = useData('audit-pages', async (signal) => {
    const all = await readAllPages(signal);
    return new Map(all.map(({ id, title, slug }) => [id, title ?? slug]));
  });
  useOtherTabs(loaded.reload);
  return (
    <Section title={t.account.audit.title} hint={t.account.audit.hint} isSplit>
      {loaded.data?.total === 0 && <p class="muted">{t.account.audit.none}</p>}
      <Listed loaded={loaded} label={t.account.audit.loading} of={t.shared.counts.entries}>
        {(entry) => (
          <AuditRow key={entry.id} entry={entry}>
            <Target id={entry.target} pages={pages} />
          </AuditRow>
        )}
      </Listed>
    </Section>
  );
}
