import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { endOf, type Lifetime, LifetimeField } from '../../ui/lifetime-field.tsx';
import { PageChoice } from '../../ui/page-choice.tsx';
import { Section } from '../../ui/section.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';

type Key = Schemas['Key'];

type Scope = Key['scope'];
const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'full', label: 'Everything' },
  { value: 'read', label: 'Read only' },
  { value: 'publish', label: 'Publish pages only' },
];
const REACHES = [
  { value: 'all', label: 'All' },
  { value: 'some', label: 'Some' },
] as const;
const LABELS = { name: 'Name', pages: 'Pages' };

function CreateKey({ onDone }: { onDone(): void }): JSX.Element {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('full');
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const [reach, setReach] = useState<'all' | 'some'>('all');
  const [pages, setPages] = useState<readonly string[]>([]);
  const [made, setMade] = useState<string>();
  const { change, run } = useChange({ labels: LABELS });
  async function create(): Promise<void> {
    const expires = endOf(lifetime);
    await run(async () => {
      const body = {
        ...{ name: name.trim(), scope },
        ...(expires !== undefined && { expires_at: expires }),
        ...(reach === 'some' && { pages: [...pages] }),
      };
      setMade((await answer(api.POST('/keys', { body }))).key);
      setName('');
      onDone();
    });
  }
  return (
    <>
      <Form needs="POST /keys" class="inline" onSubmit={create}>
        <Field label={LABELS.name} value={name} onChange={setName} max={100} error={errorOf(change, 'name')} />
        <Select label="What it may do" value={scope} options={SCOPES} onChange={(value) => setScope(value)} />
        <LifetimeField label="Expires" value={lifetime} onChange={(value) => setLifetime(value)} />
        <Select
          label={LABELS.pages}
          value={reach}
          options={REACHES}
          onChange={(value) => setReach(value)}
          error={errorOf(change, 'pages')}
        />
        <Button icon="key" isBusy={change.state === 'saving'}>
          Create a key
        </Button>
      </Form>
      {reach === 'some' && <PageChoice chosen={pages} onChange={setPages} />}
      <NotSaved change={change} />
      {made !== undefined && (
        <ShownOnce title="Your new key" secret={made} onClose={() => setMade(undefined)}>
          Copy it now: it is shown this once, and only its hash is stored.
        </ShownOnce>
      )}
    </>
  );
}

function KeyRow({ apiKey, onRevoked }: { apiKey: Key; onRevoked(): void }): JSX.Element {
  const { id, name, prefix, scope, created_at, last_used_at, expires_at, pages } = apiKey;
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong dir="auto">{name ?? 'Without a name'}</strong>{' '}
          {scope === 'read' && <span class="badge">Read only</span>}
          {scope === 'publish' && <span class="badge">Publish pages only</span>}{' '}
          {pages && <span class="badge">{counted(pages.length, 'page')} only</span>}
        </p>
        <p class="muted">
          {prefix && <code>{prefix}…</code>} created <Time at={created_at} />,{' '}
          {last_used_at ? 'last used ' : 'never used'}
          {last_used_at && <Time at={last_used_at} />}
          {expires_at && (
            <>
              , expires <Time at={expires_at} />
            </>
          )}
        </p>
      </div>
      <ActionButton
        needs="DELETE /keys/{keyId}"
        kind="quiet"
        of={name ?? prefix ?? ''}
        ask={{
          title: 'Revoke this key?',
          button: 'Revoke',
          text: (
            <>
              Programs that use <bdi>{name ?? prefix ?? 'this key'}</bdi> are refused from now on. Browsers that signed
              in with it are signed out, and so is this one if it did.
            </>
          ),
        }}
        run={() => answer(api.DELETE('/keys/{keyId}', { params: { path: { keyId: id } } }))}
        done="The key is revoked."
        onDone={onRevoked}
        isRemoving
      >
        Revoke
      </ActionButton>
    </li>
  );
}

/** The keys of the owner: each can be revoked, and new ones created. */
export function Keys(): JSX.Element {
  const loaded = usePages('keys', DASHBOARD_LIMITS.account.listSize, async (query, signal) => {
    const { keys, total } = await answer(api.GET('/keys', { params: { query }, signal }));
    return { items: keys, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Section title="Keys" hint="For the API, the command line, and for signing in here." isSplit>
      {loaded.data?.total === 0 && <p class="muted">There is no key yet: programs and the command line need one.</p>}
      <Listed loaded={loaded} label="Loading your keys" of={t.shared.counts.keys}>
        {(key) => <KeyRow key={key.id} apiKey={key} onRevoked={loaded.reload} />}
      </Listed>
      <CreateKey onDone={loaded.reload} />
    </Section>
  );
}
