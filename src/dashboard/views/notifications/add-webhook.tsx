import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isOfSlack } from '../../../lib/webhook-receivers.ts';
import { answer, api } from '../../api.ts';
import { errorOf, useChange, useOnce } from '../../data.ts';
import { toHttpUrl } from '../../settings/typed-addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { NotSaved } from '../../ui/states.tsx';

const LABELS = { url: 'Webhook URL', type: 'Receiver' };

const OWN = 'A program of your own';

/** Receivers, and where the address of each is found. Slack gets messages, all others the fields. */
const RECEIVERS: Readonly<Record<string, string>> = {
  [OWN]: 'It gets each submission in a request, signed with a secret.',
  Slack: 'In Slack, make an app with an incoming webhook, and paste its address: https://hooks.slack.com/services/…',
  Zapier: 'Begin a Zap with Webhooks by Zapier, Catch Hook, and paste its address.',
  Make: 'Begin a scenario with Webhooks, Custom webhook, and paste its address.',
  n8n: 'Begin a workflow with a Webhook node for POST, and paste its production URL.',
};
const OPTIONS = Object.keys(RECEIVERS).map((name) => ({ value: name, label: name }));

/** Adds a webhook, and says for each kind of receiver where its address is found. */
export function AddWebhook({ deployId, onAdded }: { deployId: string; onAdded(): void }): JSX.Element {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState(OWN);
  const { change, run } = useChange({ labels: LABELS });
  const address = toHttpUrl(url);
  const typed = URL.parse(address);
  const receiver = typed && isOfSlack(typed) ? 'Slack' : chosen;
  // Without a type, the service says what an address of Discord or Teams needs.
  const type = receiver === 'Slack' ? 'slack' : receiver === OWN ? 'generic' : undefined;

  const header = useOnce(url, type);

  async function add(): Promise<void> {
    const isDone = await run(async () => {
      await answer(
        api.POST('/webhooks/{deployId}', {
          params: { path: { deployId }, header },
          body: { url: address, ...(type && { type }) },
        }),
      );
    });
    if (!isDone) return;
    say('The webhook is added. Send a test to see whether it works.');
    setUrl('');
    onAdded();
  }

  return (
    <Form onSubmit={add}>
      <h3>Add a receiver</h3>
      <Select
        label={LABELS.type}
        hint={RECEIVERS[receiver]}
        value={receiver}
        options={OPTIONS}
        onChange={setChosen}
        error={errorOf(change, 'type')}
      />
      <Field
        label={LABELS.url}
        type="url"
        value={url}
        onChange={setUrl}
        autoComplete="off"
        error={errorOf(change, 'url')}
      />
      <NotSaved change={change} />
      <div class="buttons end">
        <Button kind="main" icon="plus" isBusy={change.state === 'saving'}>
          Add webhook
        </Button>
      </div>
    </Form>
  );
}
