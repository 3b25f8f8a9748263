import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isMailAddress } from '../../lib/mail-address.ts';
import { answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { may } from '../permissions.ts';
import { hasAccount, type Me, me } from '../session.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { Select } from '../ui/field.tsx';
import { SavingForm } from '../ui/form.tsx';
import { NoMail } from '../ui/no-mail.tsx';
import { OneFieldForm } from '../ui/one-field-form.tsx';
import { Section } from '../ui/section.tsx';
import { sizeOf } from '../ui/size.ts';
import { Shown } from '../ui/states.tsx';
import { timeZone } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';
import { Audit } from './account/account-audit.tsx';
import { Keys } from './account/account-keys.tsx';
import { DashboardLanguage } from './account/account-language.tsx';
import { Programs } from './account/account-programs.tsx';
import { Sessions } from './account/account-sessions.tsx';

/** The address, which changes once a link in a mail to the new one is opened. */
const Address = ({ email }: { email: string }): JSX.Element => (
  <Section title={t.account.address.title} hint={<bdi>{email}</bdi>} isSplit>
    <NoMail />
    <OneFieldForm
      needs="PATCH /me"
      field={{ label: t.account.address.label, type: 'email', autoComplete: 'email' }}
      isRight={isMailAddress}
      wrong={t.account.address.wrong}
      button={{ icon: 'mail', children: t.account.address.change }}
      labels={{ email: t.account.address.name }}
      run={(wanted) => answer(api.PATCH('/me', { body: { email: wanted } }))}
      done={t.account.address.done}
    />
  </Section>
);

/** The zone of times that are mailed, and of those that visitors read: any that the browser knows, its own first. `saved`: none yet, if null. */
function TimeZone({ saved, onSaved }: { saved: string | null; onSaved(): void }): JSX.Element {
  const [zone, setZone] = useState(saved ?? timeZone);
  const { change, run } = useChange({ isRepeatable: true });
  const zones = new Set([timeZone, saved ?? timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  const options = Array.from(zones, (value) => ({
    value,
    label: value === timeZone ? fill(t.account.timeZone.ofBrowser, { zone: value }) : value,
  }));
  return (
    <Section title={t.account.timeZone.title} hint={t.account.timeZone.hint} isSplit>
      <SavingForm
        needs="PATCH /me"
        change={change}
        isChanged={zone !== saved}
        onSave={() =>
          run(async () => {
            me.value = await answer(api.PATCH('/me', { body: { time_zone: zone } }));
            onSaved();
          })
        }
      >
        <Select label={t.account.timeZone.label} value={zone} options={options} onChange={setZone} />
      </SavingForm>
    </Section>
  );
}

/** How much of what the plan allows is used. */
const Plan = ({
  of: { plan, deployment_limit: limit, deployments, storage_limit: bytes, storage_used: used, version },
}: {
  of: Me;
}): JSX.Element => (
  <Section title={t.account.plan.title} hint={t.account.plan.hint} isSplit>
    <dl class="facts">
      <dt>{t.account.plan.plan}</dt>
      <dd>
        <bdi>{plan}</bdi>
      </dd>
      <dt>{t.account.plan.pages}</dt>
      <dd class="buttons">
        {limit === null
          ? counted(t.shared.counts.pages, deployments)
          : counted(t.account.plan.pagesOf, limit, { used: deployments })}
        {limit !== null && (
          <meter min={0} max={Math.max(1, limit)} value={deployments} aria-label={t.account.plan.pagesUsed} />
        )}
      </dd>
      <dt>{t.account.plan.storage}</dt>
      <dd class="buttons">
        {bytes === null ? sizeOf(used) : fill(t.account.plan.storageOf, { used: sizeOf(used), all: sizeOf(bytes) })}
        {bytes !== null && (
          <meter min={0} max={Math.max(1, bytes)} value={used} aria-label={t.account.plan.storageUsed} />
        )}
      </dd>
      <dt>{t.account.plan.version}</dt>
      <dd>{version}</dd>
    </dl>
  </Section>
);

/** The owner, the keys, and the sessions. */
export default function Account(): JSX.Element {
  const loaded = useData('me', (signal) => answer(api.GET('/me', { signal })));
  useOtherTabs(loaded.reload);
  return (
    <View title={t.account.title}>
      <Shown loaded={{ ...loaded, data: loaded.data ?? me.value }} label={t.account.loading}>
        {(account) => (
          <>
            {account.plan !== null && <Plan of={account} />}
            {may('PATCH /me') && (
              <>
                <Address email={account.email} />
                <TimeZone saved={account.time_zone} onSaved={loaded.reload} />
              </>
            )}
          </>
        )}
      </Shown>
      <DashboardLanguage />
      {may('POST /keys') && <Keys />}
      {may('POST /oauth/consent') && <Programs />}
      <Sessions />
      {hasAccount.value && <Audit />}
    </View>
  );
}
