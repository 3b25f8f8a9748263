import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange, useOnce } from '../../data.ts';
import { toHttpUrl } from '../../settings/typed-addresses.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { NotSaved } from '../../ui/states.tsx';
import { KINDS, OWN, serviceAt } from './receiver-kinds.ts';

const texts = t.notifications.webhooks;

const LABELS = { url: texts.url, type: texts.receiver, format: texts.receiver, chat_id: texts.chat };

const OPTIONS = Object.keys(KINDS).map((name) => ({ value: name, label: name }));

/** The type and the format of a receiver; an address sets the format of its service itself. */
function fieldsFor(receiver: string, service: string | undefined, chat: string) {
  const { type, format } = KINDS[receiver] ?? {};
  return {
    ...(receiver === OWN ? { type: 'generic' as const } : type && { type }),
    ...(format && service === undefined && { format }),
    ...(format === 'telegram' && chat !== '' && { chat_id: chat }),
  };
}

/** How the address of a receiver is found, a line for each step. */
const Steps = ({ of }: { of: string }): JSX.Element => (
  <>
    {KINDS[of]?.steps.map((step) => (
      <span class="step" key={step}>
        {step}
      </span>
    ))}
  </>
);

/** Adds a webhook, and says for each kind of receiver where its address is found. */
export function AddWebhook({ deployId, onAdded }: { deployId: string; onAdded(): void }): JSX.Element {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState(OWN);
  const [chat, setChat] = useState('');
  const { change, run } = useChange({ labels: LABELS });
  const address = toHttpUrl(url);
  const typed = URL.parse(address);
  const service = typed ? serviceAt(typed) : undefined;
  const receiver = service ?? chosen;
  const isTelegram = KINDS[receiver]?.format === 'telegram';
  const fields = fieldsFor(receiver, service, chat.trim());

  const header = useOnce(url, receiver, chat);

  async function add(): Promise<void> {
    const isDone = await run(async () => {
      await answer(
        api.POST('/webhooks/{deployId}', {
          params: { path: { deployId }, header },
          body: { url: address, ...fields },
        }),
      );
    });
    if (!isDone) return;
    say(texts.added);
    setUrl('');
    setChat('');
    onAdded();
  }

  return (
    <Form needs="POST /webhooks/{deployId}" onSubmit={add}>
      <h3>{texts.addReceiver}</h3>
      <Select
        label={LABELS.type}
        hint={<Steps of={receiver} />}
        value={receiver}
        options={OPTIONS}
        onChange={setChosen}
        error={errorOf(change, 'type') ?? errorOf(change, 'format')}
      />
      <Field
        label={LABELS.url}
        type="url"
        value={url}
        onChange={setUrl}
        autoComplete="off"
        error={errorOf(change, 'url')}
      />
      {isTelegram && (
        <Field
          label={LABELS.chat_id}
          hint={texts.chatHint}
          value={chat}
          onChange={setChat}
          autoComplete="off"
          error={errorOf(change, 'chat_id')}
        />
      )}
      <NotSaved change={change} />
      <div class="buttons end">
        <Button kind="main" icon="plus" isBusy={change.state === 'saving'}>
          {texts.add}
        </Button>
      </div>
    </Form>
  );
}
