import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { deleteLater } from '../../deletions.ts';
import { webhookLog } from '../../logs.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FailureReason } from '../../ui/failure-reason.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { TestAndLog } from './delivery-log.tsx';
import type { Webhook } from './read-receivers.ts';
import { signOf } from './receiver-kinds.ts';
import { OFF, ON, type ReceiverState, StateBadge } from './receiver-states.tsx';

const { states, webhooks: texts } = t.notifications;

type Path = { deployId: string; webhookId: string };

/** The key that signs what is sent: shown when asked for, and never kept. */
function Secret({ path, of }: { path: Path; of: string }): JSX.Element {
  const [secret, setSecret] = useState<string>();
  if (secret === undefined) {
    return (
      <ActionButton
        needs="GET /webhooks/{deployId}/{webhookId}/secret"
        kind="quiet"
        icon="key"
        of={of}
        run={async () => {
          const found = await answer(api.GET('/webhooks/{deployId}/{webhookId}/secret', { params: { path } }));
          setSecret(found.secret);
        }}
      >
        {texts.showSecret}
      </ActionButton>
    );
  }
  return (
    <div class="webhook-secret">
      <code class="secret">{secret}</code>
      <div class="buttons actions">
        <CopyButton text={secret} of={of}>
          {texts.copySecret}
        </CopyButton>
        <ActionButton
          needs="POST /webhooks/{deployId}/{webhookId}/secret/rotate"
          kind="quiet"
          icon="replace"
          of={of}
          ask={{
            title: texts.askRotate,
            button: texts.rotate,
            text: texts.rotateText,
          }}
          run={async () => {
            const made = await answer(api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', { params: { path } }));
            setSecret(made.secret);
          }}
          done={texts.rotated}
        >
          {texts.rotateSecret}
        </ActionButton>
      </div>
    </div>
  );
}

/** Switches a webhook on and off. */
const Switch = ({ path, active, of, onDone }: { path: Path; active: boolean; of: string; onDone(): void }) => (
  <ActionButton
    needs="PATCH /webhooks/{deployId}/{webhookId}"
    kind="quiet"
    icon={active ? 'close' : 'done'}
    of={of}
    isRepeatable
    run={() => {
      const body = { active: !active };
      return answer(api.PATCH('/webhooks/{deployId}/{webhookId}', { params: { path }, body }));
    }}
    done={active ? texts.isOff : texts.isOn}
    onDone={onDone}
  >
    {active ? texts.switchOff : texts.switchOn}
  </ActionButton>
);

/** Says since when a webhook fails, and why, and sends again what it has missed. */
function Failures({ path, webhook, onDone }: { path: Path; webhook: Webhook; onDone(): void }): JSX.Element | null {
  const { failing_since: since = null, last_error: error = null, failed = 0 } = webhook.health ?? {};
  if (since === null && failed === 0) return null;
  return (
    <Notice>
      <p>
        {since === null ? (
          counted(texts.failedBefore, failed)
        ) : (
          <Rich
            text={texts.beganToFail}
            with={{ time: <Time at={since} />, error: <FailureReason sentence={error ?? ''} /> }}
          />
        )}
      </p>
      {failed > 0 && (
        <ActionButton
          needs="POST /webhooks/{deployId}/{webhookId}/retry"
          icon="replace"
          of={fill(t.notifications.toReceiver, { receiver: webhook.url })}
          run={() => answer(api.POST('/webhooks/{deployId}/{webhookId}/retry', { params: { path } }))}
          done={texts.replayed}
          onDone={onDone}
        >
          {texts.replay}
        </ActionButton>
      )}
    </Notice>
  );
}

/** The path of a webhook in the API. */
export const webhookPath = ({ deployId, webhookId }: Path): string => `/webhooks/${deployId}/${webhookId}`;

const DeleteWebhook = ({ path, url }: { path: Path; url: string }): JSX.Element => (
  <ActionButton
    needs="DELETE /webhooks/{deployId}/{webhookId}"
    kind="quiet"
    icon="trash"
    of={url}
    run={async () => deleteLater(fill(texts.deleted, { host: new URL(url).host }), [webhookPath(path)])}
    isRemoving
  >
    {texts.delete}
  </ActionButton>
);

const FORMATS: Readonly<Record<string, string>> = {
  standard: texts.gets.standard,
  discord: texts.gets.discord,
  teams: texts.gets.teams,
  'google-chat': texts.gets.googleChat,
};

/** Says what a webhook gets, where that is not the fields alone. */
function Details({ path }: { path: Path }): JSX.Element | null {
  const { data } = useData(`webhook:${path.webhookId}`, (signal) =>
    answer(api.GET('/webhooks/{deployId}/{webhookId}', { params: { path }, signal })),
  );
  const { format = '', chat_id: chat = null, headers = [] } = data ?? {};
  const sentence = FORMATS[format];
  if (sentence === undefined && chat === null && headers.length === 0) return null;
  return (
    <p class="muted">
      {chat === null ? sentence : <Rich text={texts.gets.telegram} with={{ chat }} />}
      {headers.length > 0 && ` ${fill(texts.ownHeaders, { names: headers.join(', ') })}`}
    </p>
  );
}

function stateOf({ active, health, nextAt }: Webhook): ReceiverState {
  if (!active) return OFF;
  if ((health?.failing_since ?? null) !== null) return { kind: 'warn', label: states.failing, nextAt: nextAt ?? null };
  return (health?.failed ?? 0) > 0 ? { kind: 'warn', label: states.missedSome } : ON;
}

/** A webhook in a row with its sign and its state; opened, all that can be done with it. */
export function WebhookPanel({
  deployId,
  webhook,
  onChanged,
}: {
  deployId: string;
  webhook: Webhook;
  onChanged(): void;
}): JSX.Element {
  const { id: webhookId, url, type, active } = webhook;
  const state = stateOf(webhook);
  const [isOpen, setOpen] = useState(false);
  const path = { deployId, webhookId };
  const { icon, label, isProgram } = signOf(url, type);
  return (
    <Panel
      id={webhookId}
      icon={icon}
      title={label}
      state={
        <>
          <bdi>{new URL(url).host}</bdi>
          <StateBadge state={state} />
        </>
      }
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
    >
      <p class="muted">
        <bdi>{url}</bdi>
      </p>
      {isOpen && <Details path={path} />}
      <Failures path={path} webhook={webhook} onDone={onChanged} />
      <TestAndLog
        needs="POST /webhooks/{deployId}/{webhookId}/test"
        deployId={deployId}
        log={webhookLog(deployId, webhook)}
        test={texts.sendTest}
        of={url}
        isOpenAtFirst={state.nextAt !== undefined}
        run={() => answer(api.POST('/webhooks/{deployId}/{webhookId}/test', { params: { path } }))}
      >
        {isProgram && <Secret path={path} of={fill(t.notifications.ofReceiver, { receiver: url })} />}
        <Switch path={path} active={active} of={url} onDone={onChanged} />
        <DeleteWebhook path={path} url={url} />
      </TestAndLog>
    </Panel>
  );
}
