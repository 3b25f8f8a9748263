import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { deleteLater } from '../../deletions.ts';
import { webhookLog } from '../../logs.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { counted, Time } from '../../ui/time.tsx';
import { TestAndLog } from './delivery-log.tsx';
import type { Webhook } from './read-receivers.ts';
import { signOf } from './receiver-kinds.ts';
import { OFF, type ReceiverState, StateBadge } from './receiver-states.tsx';

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
        Show secret
      </ActionButton>
    );
  }
  return (
    <div class="webhook-secret">
      <code class="secret">{secret}</code>
      <div class="buttons actions">
        <CopyButton text={secret} of={of}>
          Copy secret
        </CopyButton>
        <ActionButton
          needs="POST /webhooks/{deployId}/{webhookId}/secret/rotate"
          kind="quiet"
          icon="replace"
          of={of}
          ask={{
            title: 'Rotate the secret?',
            button: 'Rotate',
            text: 'Give the new one to your receiver within 24 hours: until then the one before signs as well.',
          }}
          run={async () => {
            const made = await answer(api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', { params: { path } }));
            setSecret(made.secret);
          }}
          done="There is a new secret. The one before works for another 24 hours."
        >
          Rotate secret
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
    done={active ? 'New submissions are not sent to it.' : 'New submissions are sent to it, and what has waited.'}
    onDone={onDone}
  >
    {active ? 'Switch off' : 'Switch on'}
  </ActionButton>
);

/** Says since when a webhook fails, and why, and sends again what it has missed. */
function Failures({ path, webhook, onDone }: { path: Path; webhook: Webhook; onDone(): void }): JSX.Element | null {
  const { failing_since: since = null, last_error: error = '', failed = 0 } = webhook.health ?? {};
  if (since === null && failed === 0) return null;
  return (
    <Notice>
      <p>
        {since === null ? (
          `${counted(failed, 'delivery', 'deliveries')} failed before.`
        ) : (
          <>
            It began to fail <Time at={since} />: <bdi>{error}</bdi>
          </>
        )}
      </p>
      {failed > 0 && (
        <ActionButton
          needs="POST /webhooks/{deployId}/{webhookId}/retry"
          icon="replace"
          of={`to ${webhook.url}`}
          run={() => answer(api.POST('/webhooks/{deployId}/{webhookId}/retry', { params: { path } }))}
          done="They are sent again: the log shows what becomes of them."
          onDone={onDone}
        >
          Replay all failed
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
    run={async () => deleteLater(`${new URL(url).host} gets nothing any more.`, [webhookPath(path)])}
    isRemoving
  >
    Delete
  </ActionButton>
);

const FORMATS: Readonly<Record<string, string>> = {
  standard: 'It gets events of Standard Webhooks.',
  discord: 'It gets messages for Discord.',
  teams: 'It gets messages for Microsoft Teams.',
  'google-chat': 'It gets messages for Google Chat.',
  telegram: 'It gets messages for Telegram',
};

/** Says what a webhook gets, where that is not the fields alone. */
function Details({ path }: { path: Path }): JSX.Element | null {
  const { data } = useData(`webhook:${path.webhookId}`, (signal) =>
    answer(api.GET('/webhooks/{deployId}/{webhookId}', { params: { path }, signal })),
  );
  const { format = '', chat_id: chat = null, headers = [] } = data ?? {};
  const sentence = FORMATS[format];
  if (sentence === undefined && headers.length === 0) return null;
  return (
    <p class="muted">
      {sentence}
      {chat !== null && (
        <>
          {' '}
          in the chat <bdi>{chat}</bdi>.
        </>
      )}
      {headers.length > 0 && ` Headers of your own: ${headers.join(', ')}.`}
    </p>
  );
}

function stateOf({ active, health, nextAt }: Webhook): ReceiverState {
  if (!active) return OFF;
  if ((health?.failing_since ?? null) !== null) return { kind: 'warn', label: 'Failing', nextAt: nextAt ?? null };
  return (health?.failed ?? 0) > 0 ? { kind: 'warn', label: 'Has missed some' } : { kind: 'good', label: 'On' };
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
        test="Send a test"
        of={url}
        isOpenAtFirst={state.label === 'Failing'}
        run={() => answer(api.POST('/webhooks/{deployId}/{webhookId}/test', { params: { path } }))}
      >
        {isProgram && <Secret path={path} of={`of ${url}`} />}
        <Switch path={path} active={active} of={url} onDone={onChanged} />
        <DeleteWebhook path={path} url={url} />
      </TestAndLog>
    </Panel>
  );
}
