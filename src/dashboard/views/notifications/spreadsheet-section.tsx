import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange, useOnce } from '../../data.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { NotSaved } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { Feed } from './read-receivers.ts';

const LABELS = { name: 'Name' };
const MAX_NAME_CHARS = 100;

type Path = { id: string; feedId: string };

const Replace = ({ path, of, onDone }: { path: Path; of: string; onDone(): void }): JSX.Element => (
  <ActionButton
    needs="POST /deploy/{id}/feeds/{feedId}/rotate"
    kind="quiet"
    icon="replace"
    of={of}
    ask={{
      title: 'Replace the address?',
      button: 'Replace',
      text: 'The present one ends at once. Put the new one into your spreadsheet.',
    }}
    run={() => answer(api.POST('/deploy/{id}/feeds/{feedId}/rotate', { params: { path } }))}
    done="There is a new address. The one before has ended."
    onDone={onDone}
  >
    Replace
  </ActionButton>
);

const Remove = ({ path, of, onDone }: { path: Path; of: string; onDone(): void }): JSX.Element => (
  <ActionButton
    needs="DELETE /deploy/{id}/feeds/{feedId}"
    kind="quiet"
    icon="trash"
    of={of}
    ask={{
      title: 'Remove this address?',
      button: 'Remove',
      text: 'Spreadsheets that read it get nothing new any more. What they have stays in them.',
    }}
    run={() => answer(api.DELETE('/deploy/{id}/feeds/{feedId}', { params: { path } }))}
    done="The address has ended."
    onDone={onDone}
    isRemoving
  >
    Remove
  </ActionButton>
);

/** An address, when it was last read, and what can be done with it. */
function FeedRow({ id, feed, onChanged }: { id: string; feed: Feed; onChanged(): void }): JSX.Element {
  const { id: feedId, name, url, last_read_at: lastReadAt } = feed;
  const path = { id, feedId };
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong dir="auto">{name}</strong>
        </p>
        <p class="muted">
          {lastReadAt === null ? 'Not read yet' : 'Last read '}
          {lastReadAt !== null && <Time at={lastReadAt} />}
        </p>
      </div>
      {url !== undefined && (
        <div class="buttons">
          <CopyButton text={url} of={`of ${name}`}>
            Copy address
          </CopyButton>
          <CopyButton text={`=IMPORTDATA("${url}")`} of={`of ${name}`}>
            Copy for Google Sheets
          </CopyButton>
          <Replace path={path} of={`the address of ${name}`} onDone={onChanged} />
          <Remove path={path} of={name} onDone={onChanged} />
        </div>
      )}
    </li>
  );
}

function AddFeed({ id, onAdded }: { id: string; onAdded(): void }): JSX.Element {
  const [name, setName] = useState('');
  const { change, run } = useChange({ labels: LABELS });
  const header = useOnce(name);
  async function add(): Promise<void> {
    const params = { path: { id }, header };
    const body = { name: name.trim() };
    if (!(await run(async () => void (await answer(api.POST('/deploy/{id}/feeds', { params, body })))))) return;
    say('The address is made: copy it into your spreadsheet.');
    setName('');
    onAdded();
  }
  return (
    <>
      <Form needs="POST /deploy/{id}/feeds" class="inline" onSubmit={add}>
        <Field
          label={LABELS.name}
          hint="Such as the name of the sheet."
          value={name}
          onChange={setName}
          max={MAX_NAME_CHARS}
          autoComplete="off"
          error={errorOf(change, 'name')}
        />
        <Button icon="plus" isBusy={change.state === 'saving'}>
          Make an address
        </Button>
      </Form>
      <NotSaved change={change} />
    </>
  );
}

/** The programs that read an address, and how each is told of it. */
const STEPS: Readonly<Record<string, string>> = {
  'Google Sheets':
    'copy for Google Sheets, and paste into the first cell of an empty sheet. It is read again about once an hour.',
  Excel:
    'Data, From Web, paste the address, Anonymous, Load. Under Query Properties, choose how often it is read again.',
  LibreOffice: 'Sheet, External Links, paste the address. Under Update every, choose how often it is read again.',
};

const Steps = (): JSX.Element => (
  <details>
    <summary>How to use an address</summary>
    <ul>
      {Object.entries(STEPS).map(([program, text]) => (
        <li key={program}>
          <strong>{program}</strong>: {text}
        </li>
      ))}
    </ul>
  </details>
);

/** Secret addresses at which spreadsheets read the newest submissions. */
export const SpreadsheetSection = ({
  id,
  feeds,
  onChanged,
}: {
  id: string;
  feeds: readonly Feed[];
  onChanged(): void;
}): JSX.Element => (
  <Section
    title="Spreadsheet"
    hint="A spreadsheet reads the newest 10,000 submissions at a secret address. Who has it can read them too."
  >
    {feeds.length > 0 && (
      <ul class="rows">
        {feeds.map((feed) => (
          <FeedRow key={feed.id} id={id} feed={feed} onChanged={onChanged} />
        ))}
      </ul>
    )}
    <AddFeed id={id} onAdded={onChanged} />
    <Steps />
  </Section>
);
