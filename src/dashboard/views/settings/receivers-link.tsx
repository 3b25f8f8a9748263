import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import type { Settings } from '../../setting-fields.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { READS_WEBHOOKS } from '../../ui/page-layout.tsx';

/** How many people get mail about submissions: the owner does while nobody else has confirmed. */
function countRecipients({ email_notifications: isOn, notify_owner: hasOwner, recipients }: Settings): number {
  const confirmed = recipients.filter((one) => one.confirmed).length;
  return isOn ? confirmed + (hasOwner || confirmed === 0 ? 1 : 0) : 0;
}

/** Leads to the receivers of submissions, and says how many of them the person may see. */
export function ReceiversLink({ id, settings }: { id: string; settings: Settings }): JSX.Element {
  const seesAll = may(READS_WEBHOOKS);
  const { data: webhooks } = useData(`webhooks:${id}`, async (signal) => {
    if (!seesAll) return 0;
    const read = await answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal }));
    return read.webhooks.filter(({ active }) => active).length;
  });
  const count = countRecipients(settings) + (webhooks ?? 0);
  return (
    <section class="panel">
      <h2>
        <a class="panel-head" href={pageLinks(id).notifications}>
          <span>{t.settings.receivers.title}</span>
          {(seesAll || count > 0) && (
            <span class="panel-state">
              {count === 0 ? t.settings.receivers.nobody : counted(t.settings.receivers.count, count)}
            </span>
          )}
          <Icon name="next" />
        </a>
      </h2>
    </section>
  );
}
