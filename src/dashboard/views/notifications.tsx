import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { PageView } from '../ui/page-view.tsx';
import { Shown } from '../ui/states.tsx';
import { AddWebhook } from './notifications/add-webhook.tsx';
import { MailCard } from './notifications/mail.tsx';
import { WebhookCard } from './notifications/webhook-card.tsx';

function Webhooks({ id }: { id: string }): JSX.Element {
  const loaded = useData(`webhooks:${id}`, (signal) =>
    answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal })),
  );
  return (
    <section class="sections" aria-labelledby="webhooks">
      <div>
        <h2 id="webhooks">Webhooks</h2>
        <p class="muted">Each submission is posted to their addresses, and tried again until it arrives.</p>
      </div>
      <Shown loaded={loaded} label="Loading the webhooks">
        {({ webhooks }) =>
          webhooks.length > 0 && (
            <ul class="sections">
              {webhooks.map((webhook) => (
                <WebhookCard key={webhook.id} deployId={id} webhook={webhook} onChanged={loaded.reload} />
              ))}
            </ul>
          )
        }
      </Shown>
      <AddWebhook deployId={id} onAdded={loaded.reload} />
    </section>
  );
}

function Loaded({ id }: { id: string }): JSX.Element {
  const settings = useData(`mail:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  return (
    <div class="sections">
      <Shown loaded={settings} label="Loading the mail settings">
        {(found) => <MailCard id={id} settings={found} />}
      </Shown>
      <Webhooks id={id} />
    </div>
  );
}

/** Who is told of a submission: people by mail, programs and Slack by webhooks. */
const Notifications = (): JSX.Element => (
  <PageView title="Notifications" isNarrow>
    {({ id }) => <Loaded key={id} id={id} />}
  </PageView>
);

export default Notifications;
