import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';
import { useData, usePages } from '../data.ts';
import { me } from '../session.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Checkbox, Select } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { ListFoot, Shown } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';

type Asked = Schemas['AskedGrant'];
type Scope = Asked['scope'];

/** The rights of each scope. */
const RIGHTS: Readonly<Record<Scope, string>> = t.signIn.allow.scopes;

/** Programs on the person's own machine. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

const Host = ({ host }: { host: string }): JSX.Element =>
  LOCAL.test(host) ? <Rich text={t.signIn.allow.local} with={{ host }} /> : <bdi>{host}</bdi>;

/** Where the answer goes. A person recognizes a program by this, and not by the name that it has given itself. */
function Destination({ asked: { host, redirect_host: to } }: { asked: Asked }): JSX.Element {
  return (
    <dl class="facts">
      <dt>{t.signIn.allow.programOf}</dt>
      <dd>
        <Host host={host} />
      </dd>
      {to !== host && (
        <>
          <dt>{t.signIn.allow.leadsTo}</dt>
          <dd>
            <Host host={to} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** The pages that it may act on: all, or those that are chosen. */
function PageChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[] | undefined;
  onChange(ids: readonly string[] | undefined): void;
}): JSX.Element {
  const loaded = usePages('pages to allow', MAX_LIMIT, async (query, signal) => {
    const { deployments, total } = await answer(api.GET('/deploy', { params: { query }, signal }));
    return { items: deployments, total };
  });
  return (
    <>
      <Select
        label={t.signIn.allow.pages}
        value={chosen ? 'some' : 'all'}
        options={[
          { value: 'all', label: t.signIn.allow.allPages },
          { value: 'some', label: t.signIn.allow.somePages },
        ]}
        onChange={(value) => onChange(value === 'all' ? undefined : [])}
      />
      {chosen && (
        <fieldset class="stack">
          <legend class="unseen">{t.signIn.allow.pagesLabel}</legend>
          <Shown loaded={loaded} label={t.pages.loading}>
            {({ items, total }) => (
              <>
                {items.map(({ id, slug }) => (
                  <Checkbox
                    key={id}
                    label={slug}
                    isOn={chosen.includes(id)}
                    onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
                  />
                ))}
                {items.length < total && <ListFoot loaded={loaded} of={t.shared.counts.pages} />}
              </>
            )}
          </Shown>
        </fieldset>
      )}
    </>
  );
}

/** The question, and the answer of the person. `request`: the query with which the program has asked. */
function Question({ asked, request }: { asked: Asked; request: string }): JSX.Element {
  const { client, scope: wanted, scopes } = asked;
  const [scope, setScope] = useState<Scope>(scopes.includes(wanted) ? wanted : (scopes[0] ?? wanted));
  const [pages, setPages] = useState<readonly string[] | undefined>(undefined);
  async function send(body: { allow: boolean; scope?: Scope; pages?: string[] }): Promise<void> {
    const sent = await answer(api.POST('/oauth/consent', { body: { request, ...body } }));
    location.assign(sent.redirect_to);
  }
  return (
    <div class="stack">
      <p>
        <Rich text={t.signIn.allow.asks} with={{ program: client, email: me.value?.email }} />
      </p>
      <Destination asked={asked} />
      {scopes.length > 1 ? (
        <Select<Scope>
          label={t.signIn.allow.scope}
          value={scope}
          options={scopes.map((value) => ({ value, label: RIGHTS[value] }))}
          onChange={setScope}
        />
      ) : (
        <dl class="facts">
          <dt>{t.signIn.allow.scope}</dt>
          <dd>{RIGHTS[scope]}</dd>
        </dl>
      )}
      {scopes.length > 0 && <PageChoice chosen={pages} onChange={setPages} />}
      {scopes.length === 0 && (
        <Notice isProblem>
          <p>{t.signIn.allow.keyMayNot}</p>
        </Notice>
      )}
      <p class="hint">{t.signIn.allow.warning}</p>
      <div class="buttons">
        {scopes.length > 0 && (
          <ActionButton
            needs="nothing"
            kind="main"
            isGuarded
            run={() => send({ allow: true, scope, ...(pages && { pages: [...pages] }) })}
          >
            {t.signIn.allow.allow}
          </ActionButton>
        )}
        <ActionButton needs="nothing" run={() => send({ allow: false })}>
          {t.signIn.allow.deny}
        </ActionButton>
      </div>
    </div>
  );
}

/** A program asks to act for the owner: GET /oauth/authorize leads here. */
export default function Allow(): JSX.Element {
  const request = location.search.slice(1);
  const loaded = useData(request, (signal) =>
    answer(api.GET('/oauth/consent', { params: { query: { request } }, signal })),
  );
  return (
    <View title={t.signIn.allow.title}>
      <div class="card">
        <Shown loaded={loaded} label={t.signIn.allow.loading}>
          {(asked) => <Question asked={asked} request={request} />}
        </Shown>
      </div>
    </View>
  );
}
