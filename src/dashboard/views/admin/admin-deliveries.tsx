import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Listed } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';

/** The receiver of mails, in place of a host. */
const MAIL = '@mail';

/** The deliveries of all owners whose last attempt has failed. */
export function FailingDeliveries(): JSX.Element {
  const loaded = usePages('admin-deliveries', DASHBOARD_LIMITS.admin.listSize, async (query, signal) => {
    const { deliveries, total } = await answer(api.GET('/admin/deliveries', { params: { query }, signal }));
    return { items: deliveries, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <section class="card stack" aria-label="Deliveries that fail">
      {loaded.data?.total === 0 && <p class="muted">No delivery fails.</p>}
      <Listed loaded={loaded} label="Loading the deliveries" of={t.shared.counts.deliveries}>
        {({ id, slug, owner_email, receiver, status, attempts, last_status, last_error, created_at, updated_at }) => (
          <li key={id} class="row">
            <div class="row-text">
              <p>
                <strong>{receiver === MAIL ? 'Mail' : <bdi>{receiver}</bdi>}</strong>{' '}
                {status === 'failed' ? (
                  <span class="badge bad">Failed</span>
                ) : (
                  <span class="badge warn">Tried again</span>
                )}
              </p>
              <p class="muted">
                <bdi>{slug}</bdi> of <bdi>{owner_email}</bdi>, made <Time at={created_at} />,{' '}
                {counted(attempts, 'attempt')}, the last <Time at={updated_at} />
                {last_status !== null && `, answer: ${last_status}`}
              </p>
              {last_error !== null && (
                <p class="error">
                  <bdi>{last_error}</bdi>
                </p>
              )}
            </div>
          </li>
        )}
      </Listed>
    </section>
  );
}
