import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { receiverProblem } from '../../../lib/webhook-receivers.ts';
import { answer, api } from '../../api.ts';
import { errorAt, useChange, useDraft } from '../../data.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { NotSaved } from '../../ui/states.tsx';

type Type = 'generic' | 'slack';

const TYPES: readonly { value: Type; label: string }[] = [
  { value: 'generic', label: 'JSON: the fields, for a program' },
  { value: 'slack', label: 'Slack: a message' },
];

/** What the address takes: the only type that it is known to take, or no type and why. */
function recognise(text: string): { only?: Type; problem?: string } {
  const url = URL.parse(text);
  if (!url) return {};
  const problem = receiverProblem(url, 'generic');
  if (problem === undefined) return {};
  return receiverProblem(url, 'slack') === undefined ? { only: 'slack' } : { problem };
}

/** Adds a webhook; of an address of Slack, Discord or Teams it says what it takes. */
export function AddWebhook({ deployId, onAdded }: { deployId: string; onAdded(): void }): JSX.Element {
  const [url, setUrl, dropUrl] = useDraft(`webhook:${deployId}`);
  const [chosen, setChosen] = useState<Type>('generic');
  const [isSent, setSent] = useState(false);
  const { change, run } = useChange();
  const { only, problem } = recognise(url.trim());
  const type = only ?? chosen;
  const isUrl = /^https?:\/\/./i.test(url.trim());

  async function add(): Promise<void> {
    const isDone = await run(async () => {
      await answer(
        api.POST('/webhooks/{deployId}', { params: { path: { deployId } }, body: { url: url.trim(), type } }),
      );
    });
    if (!isDone) return;
    say('The webhook is added. Send a test to see whether it works.');
    dropUrl();
    setSent(false);
    onAdded();
  }

  return (
    <Form
      class="card"
      labelledBy="add-webhook"
      onSubmit={() => {
        setSent(true);
        if (isUrl && problem === undefined) void add();
      }}
    >
      <h3 id="add-webhook">Add a webhook</h3>
      <Field
        label="Webhook URL"
        hint="Each submission is posted to it. For Slack: the address of an incoming webhook."
        type="url"
        value={url}
        onChange={setUrl}
        autoComplete="off"
        error={problem ?? (isSent && !isUrl ? 'Begin it with https:// or http://.' : errorAt(change, 'url'))}
      />
      <Select
        label="What is sent"
        hint={only === 'slack' ? 'This is an address that takes messages in the format of Slack.' : undefined}
        value={type}
        options={TYPES.filter(({ value }) => only === undefined || value === only)}
        onChange={(value: Type) => setChosen(value)}
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
