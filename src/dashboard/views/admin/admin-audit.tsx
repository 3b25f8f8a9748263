import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { t } from '../../texts/chosen-texts.ts';
import { AuditRow, withIds } from '../../ui/audit-row.tsx';
import { Listed } from '../../ui/states.tsx';

/** All entries of the audit. Views of pages are their owners' alone: nothing leads to them. */
export function WholeAudit(): JSX.Element {
  const loaded = usePages('admin-audit', DASHBOARD_LIMITS.admin.listSize, async (query, signal) => {
    const { entries, total } = await answer(api.GET('/admin/audit', { params: { query }, signal }));
    return { items: withIds(entries, query.page), total };
  });
  return (
    <section class="card stack" aria-label={t.admin.parts.audit}>
      {loaded.data?.total === 0 && <p class="muted">{t.account.audit.none}</p>}
      <Listed loaded={loaded} label={t.account.audit.loading} of={t.shared.counts.entries}>
        {(entry) => (
          <AuditRow key={entry.id} entry={entry}>
            <code>{entry.target}</code>
          </AuditRow>
        )}
      </Listed>
    </section>
  );
}
