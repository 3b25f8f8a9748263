import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange, useOnce } from '../../data.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
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

const texts = t.notifications.spreadsheets;

const LABELS = { name: texts.name };
const MAX_NAME_CHARS = 100;

type Path = { id: string; feedId: string };

const Replace = ({ path, of, onDone }: { path: Path; of: string; onDone(): void }): JSX.Element => (
  <ActionButton
    needs="POST /deploy/{id}/feeds/{feedId}/rotate"
    kind="quiet"
    icon="replace"
    of={of}
    ask={{
      title: texts.askReplace,
      button: texts.replace,
      text: texts.replaceText,
    }}
    run={() => answer(api.POST('/deploy/{id}/feeds/{feedId}/rotate', { params: { path } }))}
    done={texts.replaced}
    onDone={onDone}
  >
    {texts.replace}
  </ActionButton>
);

const Remove = ({ path, of, onDone }: { path: Path; of: string; onDone(): void }): JSX.Element => (
  <ActionButton
    needs="DELETE /deploy/{id}/feeds/{feedId}"
    kind="quiet"
    icon="trash"
    of={of}
    ask={{
      title: texts.askRemove,
      button: t.settings.remove,
      text: texts.removeText,
    }}
    run={() => answer(api.DELETE('/deploy/{id}/feeds/{feedId}', { params: { path } }))}
    done={texts.removed}
    onDone={onDone}
    isRemoving
  >
    {t.settings.remove}
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
          {lastReadAt === null ? (
            texts.notRead
          ) : (
            <Rich text={texts.lastRead} with={{ time: <Time at={lastReadAt} /> }} />
          )}
        </p>
      </div>
      {url !== undefined && (
        <div class="buttons">
          <CopyButton text={url} of={fill(texts.ofName, { name })}>
            {texts.copy}
          </CopyButton>
          <CopyButton text={`=IMPORTDATA("${url}")`} of={fill(texts.ofName, { name })}>
            {texts.copyForSheets}
          </CopyButton>
          <Replace path={path} of={fill(texts.theAddressOf, { name })} onDone={onChanged} />
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
    say(texts.made);
    setName('');
    onAdded();
  }
  return (
    <>
      <Form needs="POST /deploy/{id}/feeds" class="inline" onSubmit={add}>
        <Field
          label={LABELS.name}
          hint={texts.nameHint}
          value={name}
          onChange={setName}
          max={MAX_NAME_CHARS}
          autoComplete="off"
          error={errorOf(change, 'name')}
        />
        <Button icon="plus" isBusy={change.state === 'saving'}>
          {texts.make}
        </Button>
      </Form>
      <NotSaved change={change} />
    </>
  );
}

const Steps = (): JSX.Element => (
  <details>
    <summary>{texts.howTo}</summary>
    <ul>
      {Object.entries(texts.steps).map(([program, text]) => (
        <li key={program}>
          <Rich text={text} />
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
  <Section title={texts.title} hint={texts.about}>
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
