import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { errorAt, useChange, useData, usePages } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { me, signOut } from '../session.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Button, CopyButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { sizeOf } from '../ui/size.ts';
import { ListFoot, NotSaved, Shown } from '../ui/states.tsx';
import { counted, Time } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';

type Key = Schemas['Key'];

const DAY_MS = 86_400_000;
type Scope = 'full' | 'read';
const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'full', label: 'Everything' },
  { value: 'read', label: 'Read only' },
];
type Lifetime = 'never' | '30' | '90' | '365';
const LIFETIMES: readonly { value: Lifetime; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** Creates a key, which is shown once. */
function CreateKey({ onDone }: { onDone(): void }): JSX.Element {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('full');
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const [made, setMade] = useState<Schemas['MadeKey']>();
  const { change, run } = useChange();
  async function create(): Promise<void> {
    const expires = lifetime === 'never' ? undefined : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString();
    await run(async () => {
      const body = { name: name.trim(), scope, ...(expires !== undefined && { expires_at: expires }) };
      setMade(await answer(api.POST('/keys', { body })));
      setName('');
      onDone();
    });
  }
  return (
    <>
      <Form class="key-form" onSubmit={create}>
        <Field
          label="Name"
          hint="What it is for, such as Website build."
          value={name}
          onChange={setName}
          max={100}
          error={errorAt(change, 'name')}
        />
        <Select label="What it may do" value={scope} options={SCOPES} onChange={(value) => setScope(value)} />
        <Select label="Expires" value={lifetime} options={LIFETIMES} onChange={(value) => setLifetime(value)} />
        <Button icon="key" isBusy={change.state === 'saving'}>
          Create a key
        </Button>
      </Form>
      <NotSaved change={change} />
      <Dialog title="Your new key" isOpen={made !== undefined} onClose={() => setMade(undefined)}>
        <p>Copy it now: it is shown this once, and only its hash is stored.</p>
        <pre class="secret">
          <code>{made?.key}</code>
        </pre>
        <div class="buttons end">
          <CopyButton kind="plain" text={made?.key ?? ''}>
            Copy
          </CopyButton>
          <Button kind="main" onClick={() => setMade(undefined)}>
            I have it
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function KeyRow({ apiKey, onRevoked }: { apiKey: Key; onRevoked(): void }): JSX.Element {
  const { id, name, prefix, scope, created_at, last_used_at, expires_at } = apiKey;
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong dir="auto">{name ?? 'Without a name'}</strong>{' '}
          {scope === 'read' && <span class="badge">Read only</span>}
        </p>
        <p class="muted">
          {prefix && <code>{prefix}…</code>} created <Time at={created_at} />,{' '}
          {last_used_at ? (
            <>
              last used <Time at={last_used_at} />
            </>
          ) : (
            'never used'
          )}
          {expires_at && (
            <>
              , expires <Time at={expires_at} />
            </>
          )}
        </p>
      </div>
      <ActionButton
        kind="quiet"
        of={name ?? prefix ?? ''}
        ask={{
          title: 'Revoke this key?',
          button: 'Revoke',
          text: (
            <>
              Whatever uses <bdi>{name ?? prefix ?? 'this key'}</bdi> is refused from now on. Browsers that signed in
              with it are signed out, and so is this one if it did.
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

function Keys(): JSX.Element {
  const loaded = usePages('keys', DASHBOARD_LIMITS.account.keys, async (query, signal) => {
    const { keys, total } = await answer(api.GET('/keys', { params: { query }, signal }));
    return { items: keys, total };
  });
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <p class="muted">For the API, the command line, and for signing in here.</p>
      <Shown loaded={loaded} label="Loading your keys">
        {({ items, total }) => (
          <>
            <ul class="rows">
              {items.map((key) => (
                <KeyRow key={key.id} apiKey={key} onRevoked={loaded.reload} />
              ))}
            </ul>
            {total > DASHBOARD_LIMITS.account.keys && <ListFoot loaded={loaded} of="key" />}
          </>
        )}
      </Shown>
      <h3>New key</h3>
      <CreateKey onDone={loaded.reload} />
    </section>
  );
}

const Sessions = (): JSX.Element => (
  <section class="card" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    <p class="muted">A browser stays signed in for 30 days after its last use. Keys are not affected.</p>
    <div class="buttons">
      <ActionButton
        ask={{
          title: 'End all sessions?',
          button: 'End all',
          text: 'You are signed out in this browser and in all others.',
        }}
        run={() => signOut('all')}
      >
        End all sessions
      </ActionButton>
    </div>
  </section>
);

function Usage(): JSX.Element {
  const loaded = useData('me', (signal) => answer(api.GET('/me', { signal })));
  return (
    <Shown loaded={{ ...loaded, data: loaded.data ?? me.value }} label="Loading your account">
      {({
        email,
        plan,
        deployment_limit: limit,
        deployments,
        storage_limit: bytes,
        storage_used: used,
        mail,
        version,
      }) => (
        <dl class="card facts">
          <dt>Address</dt>
          <dd dir="auto">{email}</dd>
          <dt>Plan</dt>
          <dd dir="auto">{plan}</dd>
          <dt>Pages</dt>
          <dd class="use">
            {limit === null ? counted(deployments, 'page') : `${deployments} of ${counted(limit, 'page')}`}
            {limit !== null && <meter min={0} max={Math.max(1, limit)} value={deployments} aria-label="Pages used" />}
          </dd>
          <dt>Storage</dt>
          <dd class="use">
            {bytes === null ? sizeOf(used) : `${sizeOf(used)} of ${sizeOf(bytes)}`}
            {bytes !== null && <meter min={0} max={Math.max(1, bytes)} value={used} aria-label="Storage used" />}
            <p class="muted">Pages, their versions, files, the trash and spam</p>
          </dd>
          <dt>Mail</dt>
          <dd>{mail ? 'This service sends mail' : 'This service has no mail server'}</dd>
          <dt>Version</dt>
          <dd>{version}</dd>
        </dl>
      )}
    </Shown>
  );
}

/** The owner, the keys, and the sessions. */
const Account = (): JSX.Element => (
  <View title="Account">
    <div class="sections">
      <Usage />
      <Keys />
      <Sessions />
    </div>
  </View>
);

export default Account;
