import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { receiverProblem } from '../../../lib/webhook-receivers.ts';
import { answer, api } from '../../api.ts';
import { errorAt, useChange, useDraft } from '../../data.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { NotSaved } from '../../ui/states.tsx';

type Receiver = { value: string; label: string; type: 'generic' | 'slack'; help: string };

const PROGRAM: Receiver = {
  value: 'program',
  label: 'A program of your own',
  type: 'generic',
  help: 'It gets each submission as JSON, signed with a secret.',
};
const SLACK: Receiver = {
  value: 'slack',
  label: 'Slack',
  type: 'slack',
  help: 'In Slack, make an app with an incoming webhook, and paste its address: https://hooks.slack.com/services/…',
};
const RELAYED = 'takes messages of its own format only: send to n8n, Make or Zapier, and let it write the message.';
const RECEIVERS: readonly Receiver[] = [
  PROGRAM,
  SLACK,
  { value: 'discord', label: 'Discord', type: 'generic', help: `Discord ${RELAYED}` },
  { value: 'teams', label: 'Microsoft Teams', type: 'generic', help: `Teams ${RELAYED}` },
  {
    value: 'zapier',
    label: 'Zapier',
    type: 'generic',
    help: 'Begin a Zap with Webhooks by Zapier, Catch Hook, and paste its address.',
  },
  {
    value: 'make',
    label: 'Make',
    type: 'generic',
    help: 'Begin a scenario with Webhooks, Custom webhook, and paste its address.',
  },
  {
    value: 'n8n',
    label: 'n8n',
    type: 'generic',
    help: 'Begin a workflow with a Webhook node for POST, and paste its production URL.',
  },
];

/** The receiver that an address belongs to, if only one is possible, or why none is. */
function recognise(text: string): { only?: Receiver; problem?: string } {
  const url = URL.parse(text);
  const problem = url ? receiverProblem(url, 'generic') : undefined;
  if (!url || problem === undefined) return {};
  return receiverProblem(url, 'slack') === undefined ? { only: SLACK } : { problem: problem.replace(/^url/, 'This') };
}

/** Adds a webhook, and says for each kind of receiver where its address is found. */
export function AddWebhook({ deployId, onAdded }: { deployId: string; onAdded(): void }): JSX.Element {
  const [url, setUrl, dropUrl] = useDraft(`webhook:${deployId}`);
  const [chosen, setChosen] = useState(PROGRAM);
  const [isSent, setSent] = useState(false);
  const { change, run } = useChange();
  const { only, problem } = recognise(url.trim());
  const { value, type, help } = only ?? chosen;
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
    <Section
      title="Add a webhook"
      hint="Each submission is posted to its address, and tried again until it arrives."
      isSplit
    >
      <Form
        onSubmit={() => {
          setSent(true);
          if (isUrl && problem === undefined) void add();
        }}
      >
        <Select
          label="Receiver"
          hint={help}
          value={value}
          options={RECEIVERS}
          onChange={(wanted) => setChosen(RECEIVERS.find((each) => each.value === wanted) ?? PROGRAM)}
        />
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
