import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { type Loaded, useData } from '../data.ts';
import { PageView } from '../ui/page-view.tsx';
import { Shown } from '../ui/states.tsx';
import { AddWebhook } from './notifications/add-webhook.tsx';
import { MailCard } from './notifications/mail.tsx';
import { WebhookCard } from './notifications/webhook-card.tsx';

type Mail = Schemas['Settings'];
type WebhookList = Schemas['Webhooks'];

function Webhooks({ id, loaded }: { id: string; loaded: Loaded<WebhookList> }): JSX.Element {
  return (
    <section class="sections" aria-labelledby="webhooks">
      <div>
        <h2 id="webhooks">Webhooks</h2>
        <p class="muted">Each submission is posted to their addresses, and tried again until it arrives.</p>
      </div>
      <Shown loaded={loaded} label="Loading the webhooks">
        {({ webhooks }) => (
          <>
            {webhooks.length > 0 && (
              <ul class="sections">
                {webhooks.map((webhook) => (
                  <WebhookCard key={webhook.id} deployId={id} webhook={webhook} onChanged={loaded.reload} />
                ))}
              </ul>
            )}
            <AddWebhook deployId={id} onAdded={loaded.reload} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Parts({ id }: { id: string }): JSX.Element {
  const mail = useData<Mail>(`mail:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  const webhooks = useData<WebhookList>(`webhooks:${id}`, (signal) =>
    answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal })),
  );
  return (
    <div class="sections">
      <Shown loaded={mail} label="Loading the notifications">
        {(settings) => <MailCard id={id} settings={settings} />}
      </Shown>
      {/* Nothing that is shown moves when the rest comes. */}
      {(mail.data ?? mail.error) && <Webhooks id={id} loaded={webhooks} />}
    </div>
  );
}

/** Who is told of a submission: people by mail, programs and Slack by webhooks. */
const Notifications = (): JSX.Element => (
  <PageView title="Notifications" isNarrow>
    {({ id }) => <Parts key={id} id={id} />}
  </PageView>
);

export default Notifications;
