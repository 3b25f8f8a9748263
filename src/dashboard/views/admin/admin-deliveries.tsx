import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { FailureReason } from '../../ui/failure-reason.tsx';
import { Listed } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

/** The receiver of mails, in place of a host. */
const MAIL = '@mail';

/** Whose delivery it is, and when it was tried. */
function Attempts({
  delivery: { slug: page, owner_email: owner, attempts, last_status: status, created_at, updated_at },
}: {
  delivery: Schemas['FailingDelivery'];
}): JSX.Element {
  const shown = {
    page,
    owner,
    made: <Time at={created_at} />,
    attempts: <>{counted(t.shared.counts.attempts, attempts)}</>,
    last: <Time at={updated_at} />,
  };
  return status === null ? (
    <Rich text={t.admin.deliveries.line} with={shown} />
  ) : (
    <Rich text={t.admin.deliveries.lineWithAnswer} with={{ ...shown, status: <>{status}</> }} />
  );
}

/** The deliveries of all owners whose last attempt has failed. */
export function FailingDeliveries(): JSX.Element {
  const loaded = usePages('admin-deliveries', DASHBOARD_LIMITS.admin.listSize, async (query, signal) => {
    const { deliveries, total } = await answer(api.GET('/admin/deliveries', { params: { query }, signal }));
    return { items: deliveries, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <section class="card stack" aria-label={t.admin.deliveries.title}>
      {loaded.data?.total === 0 && <p class="muted">{t.admin.deliveries.none}</p>}
      <Listed loaded={loaded} label={t.admin.deliveries.loading} of={t.shared.counts.deliveries}>
        {(delivery) => (
          <li key={delivery.id} class="row">
            <div class="row-text">
              <p>
                <strong>{delivery.receiver === MAIL ? t.admin.deliveries.mail : <bdi>{delivery.receiver}</bdi>}</strong>{' '}
                {delivery.status === 'failed' ? (
                  <span class="badge bad">{t.admin.deliveries.failed}</span>
                ) : (
                  <span class="badge warn">{t.admin.deliveries.triedAgain}</span>
                )}
              </p>
              <p class="muted">
                <Attempts delivery={delivery} />
              </p>
              {delivery.last_error !== null && (
                <p class="error">
                  <FailureReason sentence={delivery.last_error} />
                </p>
              )}
            </div>
          </li>
        )}
      </Listed>
    </section>
  );
}
