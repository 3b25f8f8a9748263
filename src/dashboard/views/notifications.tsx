import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { PageView } from '../ui/page-view.tsx';
import { Shown } from '../ui/states.tsx';
import { AddWebhook } from './notifications/add-webhook.tsx';
import { MailSection } from './notifications/mail.tsx';
import { type Webhook, WebhookCard } from './notifications/webhook-card.tsx';

/** The webhooks of a page, and how each works. */
async function readWebhooks(id: string, signal: AbortSignal): Promise<Webhook[]> {
  const params = { path: { deployId: id } };
  const [{ webhooks }, health] = await Promise.all([
    answer(api.GET('/webhooks/{deployId}', { params, signal })),
    answer(api.GET('/webhooks/{deployId}/health', { params, signal })),
  ]);
  return webhooks.map((webhook) => ({ ...webhook, health: health.webhooks.find((one) => one.id === webhook.id) }));
}

function Webhooks({ id }: { id: string }): JSX.Element {
  const loaded = useData(`webhooks:${id}`, (signal) => readWebhooks(id, signal));
  return (
    <Shown loaded={loaded} label="Loading the webhooks">
      {(webhooks) => (
        <>
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.id} deployId={id} webhook={webhook} onChanged={loaded.reload} />
          ))}
          <AddWebhook deployId={id} onAdded={loaded.reload} />
        </>
      )}
    </Shown>
  );
}

function Parts({ id }: { id: string }): JSX.Element {
  const loaded = useData(`mail:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  return (
    <>
      <Shown loaded={loaded} label="Loading the notifications">
        {(settings) => <MailSection id={id} settings={settings} />}
      </Shown>
      {/* Nothing that is shown moves when the rest comes. */}
      {(loaded.data ?? loaded.error) && <Webhooks id={id} />}
    </>
  );
}

/** The receivers of submissions: people by mail, programs and Slack by webhooks. */
const Notifications = (): JSX.Element => (
  <PageView title="Notifications">{({ id }) => <Parts key={id} id={id} />}</PageView>
);

export default Notifications;
