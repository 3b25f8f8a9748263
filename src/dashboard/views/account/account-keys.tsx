import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { endOf, type Lifetime, LifetimeField } from '../../ui/lifetime-field.tsx';
import { PageChoice } from '../../ui/page-choice.tsx';
import { Section } from '../../ui/section.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Key = Schemas['Key'];

type Scope = Key['scope'];
const SCOPE_NAMES: Readonly<Record<Scope, string>> = t.account.keys.scopes;
const SCOPES = (['full', 'read', 'publish'] as const).map((value) => ({ value, label: SCOPE_NAMES[value] }));
const REACHES = [
  { value: 'all', label: t.account.keys.allPages },
  { value: 'some', label: t.account.keys.somePages },
] as const;
const LABELS = { name: t.account.keys.name, pages: t.account.keys.pages };

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
        <Select label={t.account.keys.scope} value={scope} options={SCOPES} onChange={(value) => setScope(value)} />
        <LifetimeField label={t.account.keys.expires} value={lifetime} onChange={(value) => setLifetime(value)} />
        <Select
          label={LABELS.pages}
          value={reach}
          options={REACHES}
          onChange={(value) => setReach(value)}
          error={errorOf(change, 'pages')}
        />
        <Button icon="key" isBusy={change.state === 'saving'}>
          {t.account.keys.create}
        </Button>
      </Form>
      {reach === 'some' && <PageChoice chosen={pages} onChange={setPages} />}
      <NotSaved change={change} />
      {made !== undefined && (
        <ShownOnce title={t.account.keys.made} secret={made} onClose={() => setMade(undefined)}>
          {t.account.keys.copyNow}
        </ShownOnce>
      )}
    </>
  );
}

/** When a key was made and used, and when it ends. */
function KeyTimes({ apiKey: { created_at, last_used_at: usedAt, expires_at: endsAt } }: { apiKey: Key }): JSX.Element {
  const created = <Time at={created_at} />;
  const expires = endsAt && <Time at={endsAt} />;
  if (usedAt === null) {
    return expires ? (
      <Rich text={t.account.keys.neverUsedAndExpires} with={{ created, expires }} />
    ) : (
      <Rich text={t.account.keys.neverUsed} with={{ created }} />
    );
  }
  const used = <Time at={usedAt} />;
  return expires ? (
    <Rich text={t.account.keys.usedAndExpires} with={{ created, used, expires }} />
  ) : (
    <Rich text={t.account.keys.used} with={{ created, used }} />
  );
}

function KeyRow({ apiKey, onRevoked }: { apiKey: Key; onRevoked(): void }): JSX.Element {
  const { id, name, prefix, scope, pages } = apiKey;
  const called = name ?? prefix;
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong dir="auto">{name ?? t.account.keys.unnamed}</strong>{' '}
          {scope !== 'full' && <span class="badge">{SCOPE_NAMES[scope]}</span>}{' '}
          {pages && <span class="badge">{counted(t.account.keys.pagesOnly, pages.length)}</span>}
        </p>
        <p class="muted">
          {prefix && <code>{prefix}…</code>} <KeyTimes apiKey={apiKey} />
        </p>
      </div>
      <ActionButton
        needs="DELETE /keys/{keyId}"
        kind="quiet"
        of={called ?? ''}
        ask={{
          title: t.account.keys.revokeTitle,
          button: t.account.keys.revoke,
          text:
            called === null ? (
              t.account.keys.revokeUnnamedText
            ) : (
              <Rich text={t.account.keys.revokeText} with={{ key: called }} />
            ),
        }}
        run={() => answer(api.DELETE('/keys/{keyId}', { params: { path: { keyId: id } } }))}
        done={t.account.keys.revoked}
        onDone={onRevoked}
        isRemoving
      >
        {t.account.keys.revoke}
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
    <Section title={t.account.keys.title} hint={t.account.keys.hint} isSplit>
      {loaded.data?.total === 0 && <p class="muted">{t.account.keys.none}</p>}
      <Listed loaded={loaded} label={t.account.keys.loading} of={t.shared.counts.keys}>
        {(key) => <KeyRow key={key.id} apiKey={key} onRevoked={loaded.reload} />}
      </Listed>
      <CreateKey onDone={loaded.reload} />
    </Section>
  );
}
