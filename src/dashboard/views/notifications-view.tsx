import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { PageView } from '../ui/page-layout.tsx';
import { Shown } from '../ui/states.tsx';
import { AddWebhook } from './notifications/add-webhook.tsx';
import { MailSection } from './notifications/mail-section.tsx';
import { WebhookCard } from './notifications/webhook-card.tsx';

/** The settings of mail, the webhooks of a page, and how each works. */
async function readReceivers(id: string, signal: AbortSignal) {
  const params = { path: { deployId: id } };
  const [settings, { webhooks }, { webhooks: health }] = await Promise.all([
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
    answer(api.GET('/webhooks/{deployId}', { params, signal })),
    answer(api.GET('/webhooks/{deployId}/health', { params, signal })),
  ]);
  return {
    settings,
    webhooks: webhooks.map((one) => ({ ...one, health: health.find(({ id: of }) => of === one.id) })),
  };
}

function Receivers({ id }: { id: string }): JSX.Element {
  const loaded = useData(`receivers:${id}`, (signal) => readReceivers(id, signal));
  return (
    <Shown loaded={loaded} label="Loading the notifications">
      {({ settings, webhooks }) => (
        <>
          <MailSection id={id} settings={settings} />
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.id} deployId={id} webhook={webhook} onChanged={loaded.reload} />
          ))}
          <AddWebhook deployId={id} onAdded={loaded.reload} />
        </>
      )}
    </Shown>
  );
}

/** The receivers of submissions: people by mail, programs and Slack by webhooks. */
const Notifications = (): JSX.Element => (
  <PageView title="Notifications">{({ id }) => <Receivers key={id} id={id} />}</PageView>
);

export default Notifications;
