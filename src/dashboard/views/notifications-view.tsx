import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { useUndeleted } from '../deletions.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { may } from '../permissions.ts';
import { useEditedSettings } from '../settings/edited-settings.ts';
import { t } from '../texts/chosen-texts.ts';
import { type Page, PageView, READS_SETTINGS, READS_WEBHOOKS } from '../ui/page-layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Section } from '../ui/section.tsx';
import { Shown } from '../ui/states.tsx';
import { AddWebhook } from './notifications/add-webhook.tsx';
import { MailSection } from './notifications/mail-section.tsx';
import { READS_FEEDS, type Receivers, readReceivers, type Webhook } from './notifications/read-receivers.ts';
import { SpreadsheetSection } from './notifications/spreadsheet-section.tsx';
import { WebhookPanel, webhookPath } from './notifications/webhook-panel.tsx';
import './notifications-view.css';

const FORM = 'notifications';

function Loaded({ page: { id }, read, reload }: { page: Page; read: Receivers; reload(): void }): JSX.Element {
  const { found, mails } = read;
  const pathOf = ({ id: webhookId }: Webhook): string => webhookPath({ deployId: id, webhookId });
  const webhooks = useUndeleted(read.webhooks, pathOf, reload);
  const edited = useEditedSettings(FORM, id, found);
  return (
    <div class="view notified">
      <MailSection id={id} form={FORM} edited={edited} mails={mails} />
      {may(READS_WEBHOOKS) && (
        <Section title={t.notifications.webhooks.title} hint={t.notifications.webhooks.about}>
          {webhooks.length > 0 && (
            <div class="panels">
              {webhooks.map((webhook) => (
                <WebhookPanel key={webhook.id} deployId={id} webhook={webhook} onChanged={reload} />
              ))}
            </div>
          )}
          <AddWebhook deployId={id} onAdded={reload} />
        </Section>
      )}
      {may(READS_FEEDS) && <SpreadsheetSection id={id} feeds={read.feeds} onChanged={reload} />}
      <SaveBar form={FORM} count={edited.count} change={edited.change} onDiscard={edited.discard} />
    </div>
  );
}

function Notified({ page }: { page: Page }): JSX.Element {
  const loaded = useData(`receivers:${page.id}`, (signal) => readReceivers(page.id, signal));
  useOtherTabs(loaded.reload);
  return (
    <Shown loaded={loaded} label={t.notifications.loading}>
      {(read) => <Loaded page={page} read={read} reload={loaded.reload} />}
    </Shown>
  );
}

/** The receivers of submissions: people by mail, programs and chats by webhooks. */
const Notifications = (): JSX.Element => (
  <PageView needs={READS_SETTINGS} title={t.notifications.title}>
    {(page) => <Notified key={page.id} page={page} />}
  </PageView>
);

export default Notifications;
