import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { ApiError, answer, api } from '../../api.ts';
import { useChange } from '../../data.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { NotSaved } from '../../ui/states.tsx';
import { focusHeading } from '../../ui/view.tsx';
import { DeliveryLog } from './delivery-log.tsx';

export type Webhook = Schemas['Webhook'];

const TYPES = { generic: 'JSON', slack: 'Slack' };

type Path = { deployId: string; webhookId: string };

/** The key that signs what is sent: shown when asked for, and never kept. */
function Secret({ path, of }: { path: Path; of: string }): JSX.Element {
  const [secret, setSecret] = useState<string>();
  const [isAsked, setAsked] = useState(false);
  const reading = useChange();
  const rotating = useChange();
  const read = (): Promise<boolean> =>
    reading.run(async () => {
      const found = await answer(api.GET('/webhooks/{deployId}/{webhookId}/secret', { params: { path } }));
      setSecret(found.secret);
    });
  async function rotate(): Promise<void> {
    const isDone = await rotating.run(async () => {
      const made = await answer(api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', { params: { path } }));
      setSecret(made.secret);
    });
    if (!isDone) return;
    say('There is a new secret. The one before works for another 24 hours.');
    setAsked(false);
  }
  if (secret === undefined) {
    return (
      <>
        <Button kind="quiet" icon="key" of={of} isBusy={reading.change.state === 'saving'} onClick={read}>
          Show secret
        </Button>
        <NotSaved change={reading.change} />
      </>
    );
  }
  return (
    <div class="webhook-secret">
      <code class="secret">{secret}</code>
      <div class="buttons">
        <CopyButton text={secret} of={of}>
          Copy secret
        </CopyButton>
        <Button kind="quiet" icon="replace" of={of} onClick={() => setAsked(true)}>
          Rotate secret
        </Button>
        <Button kind="quiet" of={of} onClick={() => setSecret(undefined)}>
          Hide secret
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Rotate the secret?"
          button="Rotate"
          change={rotating.change}
          onConfirm={rotate}
          onClose={() => setAsked(false)}
        >
          <p>Give the new one to your receiver within 24 hours: until then the one before signs as well.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Delete({ path, url, onDone }: { path: Path; url: string; onDone(): void }): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const { change, run } = useChange();
  async function remove(): Promise<void> {
    const isDone = await run(async () => {
      await answer(api.DELETE('/webhooks/{deployId}/{webhookId}', { params: { path } }));
    });
    if (!isDone) return;
    say('The webhook is deleted.');
    setAsked(false);
    onDone();
    focusHeading();
  }
  return (
    <>
      <Button kind="quiet" icon="trash" of={url} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Delete this webhook?"
          button="Delete"
          change={change}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>
            <bdi>{url}</bdi> gets nothing any more, also not what is waiting, and its log is gone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** A webhook, and all that can be done with it. */
export function WebhookCard({
  deployId,
  webhook,
  onChanged,
}: {
  deployId: string;
  webhook: Webhook;
  onChanged(): void;
}): JSX.Element {
  const { id: webhookId, url, type, events } = webhook;
  const path = { deployId, webhookId };
  const switching = useChange({ isRepeatable: true });
  const testing = useChange();
  const [isOn, setOn] = useState(webhook.active);
  const [isOpen, setOpen] = useState(false);
  const [tests, setTests] = useState(0);

  function toggle(active: boolean): void {
    setOn(active);
    void switching.run(async () => {
      try {
        await answer(api.PATCH('/webhooks/{deployId}/{webhookId}', { params: { path }, body: { active } }));
      } catch (error) {
        // Without a connection it is tried again.
        if (error instanceof ApiError) setOn(!active);
        throw error;
      }
    });
  }
  async function test(): Promise<void> {
    const isDone = await testing.run(async () => {
      await answer(api.POST('/webhooks/{deployId}/{webhookId}/test', { params: { path } }));
    });
    if (!isDone) return;
    say('The test is sent: the log shows what became of it.');
    setTests(tests + 1);
    setOpen(true);
  }

  return (
    <li class="card webhook">
      <div>
        <h3>
          <bdi>{url}</bdi>
        </h3>
        <p class="badges">
          <span class="badge">{TYPES[type]}</span>
          {events.map((event) => (
            <span key={event} class="badge">
              {event}
            </span>
          ))}
          {!isOn && <span class="badge bad">Off</span>}
        </p>
      </div>
      <Checkbox
        label="Switched on"
        hint={
          isOn ? undefined : 'What is submitted now is not sent to it. What was waiting is sent when it is on again.'
        }
        isOn={isOn}
        onChange={toggle}
      />
      <NotSaved change={switching.change} />
      <div class="buttons">
        <Button icon="open" of={`to ${url}`} isBusy={testing.change.state === 'saving'} onClick={test}>
          Send a test
        </Button>
        <Secret path={path} of={`of ${url}`} />
        <Delete path={path} url={url} onDone={onChanged} />
      </div>
      <NotSaved change={testing.change} />
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Log<span class="unseen"> of {url}</span>
        </summary>
        {isOpen && (
          <DeliveryLog
            key={tests}
            deployId={deployId}
            name={webhookId}
            load={(query, signal) =>
              answer(api.GET('/webhooks/{deployId}/{webhookId}/deliveries', { params: { path, query }, signal }))
            }
            retry={async ({ id: deliveryId }) => {
              const params = { path: { ...path, deliveryId } };
              await answer(api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', { params }));
            }}
          />
        )}
      </details>
    </li>
  );
}
