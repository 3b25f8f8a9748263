import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { receiverProblem } from '../../../lib/webhook-receivers.ts';
import { answer, api } from '../../api.ts';
import { errorAt, useChange } from '../../data.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { NotSaved } from '../../ui/states.tsx';

const RELAYED = 'takes messages of its own format only: send to n8n, Make or Zapier, and let it write the message.';

/** Receivers, and where the address of each is found. Slack gets messages, all others JSON. */
const RECEIVERS: Readonly<Record<string, string>> = {
  'A program of your own': 'It gets each submission as JSON, signed with a secret.',
  Slack: 'In Slack, make an app with an incoming webhook, and paste its address: https://hooks.slack.com/services/…',
  Discord: `Discord ${RELAYED}`,
  'Microsoft Teams': `Teams ${RELAYED}`,
  Zapier: 'Begin a Zap with Webhooks by Zapier, Catch Hook, and paste its address.',
  Make: 'Begin a scenario with Webhooks, Custom webhook, and paste its address.',
  n8n: 'Begin a workflow with a Webhook node for POST, and paste its production URL.',
};
const OPTIONS = Object.keys(RECEIVERS).map((name) => ({ value: name, label: name }));

/** The receiver that an address belongs to, if only one is possible, or why none is. */
function recognise(text: string): { only?: string; problem?: string } {
  const url = URL.parse(text);
  const problem = url ? receiverProblem(url, 'generic') : undefined;
  if (!url || problem === undefined) return {};
  return receiverProblem(url, 'slack') === undefined ? { only: 'Slack' } : { problem: problem.replace(/^url/, 'This') };
}

/** Adds a webhook, and says for each kind of receiver where its address is found. */
export function AddWebhook({ deployId, onAdded }: { deployId: string; onAdded(): void }): JSX.Element {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState('A program of your own');
  const [isSent, setSent] = useState(false);
  const { change, run } = useChange();
  const { only, problem } = recognise(url.trim());
  const receiver = only ?? chosen;
  const type = receiver === 'Slack' ? 'slack' : 'generic';
  const isUrl = /^https?:\/\/./i.test(url.trim());

  async function add(): Promise<void> {
    setSent(true);
    if (!isUrl || problem !== undefined) return;
    const isDone = await run(async () => {
      await answer(
        api.POST('/webhooks/{deployId}', { params: { path: { deployId } }, body: { url: url.trim(), type } }),
      );
    });
    if (!isDone) return;
    say('The webhook is added. Send a test to see whether it works.');
    setUrl('');
    setSent(false);
    onAdded();
  }

  return (
    <Section
      title="Add a webhook"
      hint="Each submission is posted to its address, and tried again until it arrives."
      isSplit
    >
      <Form onSubmit={add}>
        <Select label="Receiver" hint={RECEIVERS[receiver]} value={receiver} options={OPTIONS} onChange={setChosen} />
        <Field
          label="Webhook URL"
          type="url"
          value={url}
          onChange={setUrl}
          autoComplete="off"
          error={problem ?? (isSent && !isUrl ? 'Begin it with https:// or http://.' : errorAt(change, 'url'))}
        />
        <NotSaved change={change} />
        <div class="buttons end">
          <Button kind="main" icon="plus" isBusy={change.state === 'saving'}>
            Add webhook
          </Button>
        </div>
      </Form>
    </Section>
  );
}
