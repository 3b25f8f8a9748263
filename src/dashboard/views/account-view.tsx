import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isMailAddress } from '../../lib/mail-address.ts';
import { answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { may } from '../permissions.ts';
import { hasAccount, type Me, me } from '../session.ts';
import { Select } from '../ui/field.tsx';
import { SavingForm } from '../ui/form.tsx';
import { NoMail } from '../ui/no-mail.tsx';
import { OneFieldForm } from '../ui/one-field-form.tsx';
import { Section } from '../ui/section.tsx';
import { sizeOf } from '../ui/size.ts';
import { Shown } from '../ui/states.tsx';
import { counted, timeZone } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';
import { Audit } from './account/account-audit.tsx';
import { Keys } from './account/account-keys.tsx';
import { Programs } from './account/account-programs.tsx';
import { Sessions } from './account/account-sessions.tsx';

/** The address, which changes once a link in a mail to the new one is opened. */
const Address = ({ email }: { email: string }): JSX.Element => (
  <Section title="E-mail address" hint={<bdi>{email}</bdi>} isSplit>
    <NoMail />
    <OneFieldForm
      needs="PATCH /me"
      field={{ label: 'New address', type: 'email', autoComplete: 'email' }}
      isRight={isMailAddress}
      wrong="Enter an address such as ada@example.org."
      button={{ icon: 'mail', children: 'Change the address' }}
      labels={{ email: 'The address' }}
      run={(wanted) => answer(api.PATCH('/me', { body: { email: wanted } }))}
      done="A mail is on its way to the new address: open its link within 24 hours."
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
    label: value === timeZone ? `${value} (this browser)` : value,
  }));
  return (
    <Section
      title="Time zone"
      hint="Of the times in mails and in settings, and of those that visitors read. The first browser that you sign in with has set it; choose another here."
      isSplit
    >
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
        <Select label="Zone" value={zone} options={options} onChange={setZone} />
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
  <Section title="Plan" hint="Storage is for pages, their versions, files, the trash and spam." isSplit>
    <dl class="facts">
      <dt>Plan</dt>
      <dd dir="auto">{plan}</dd>
      <dt>Pages</dt>
      <dd class="buttons">
        {limit === null ? counted(deployments, 'page') : `${deployments} of ${counted(limit, 'page')}`}
        {limit !== null && <meter min={0} max={Math.max(1, limit)} value={deployments} aria-label="Pages used" />}
      </dd>
      <dt>Storage</dt>
      <dd class="buttons">
        {bytes === null ? sizeOf(used) : `${sizeOf(used)} of ${sizeOf(bytes)}`}
        {bytes !== null && <meter min={0} max={Math.max(1, bytes)} value={used} aria-label="Storage used" />}
      </dd>
      <dt>Version</dt>
      <dd>{version}</dd>
    </dl>
  </Section>
);

/** The owner, the keys, and the sessions. */
export default function Account(): JSX.Element {
  const loaded = useData('me', (signal) => answer(api.GET('/me', { signal })));
  useOtherTabs(loaded.reload);
  return (
    <View title="Account">
      <Shown loaded={{ ...loaded, data: loaded.data ?? me.value }} label="Loading your account">
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
      {may('POST /keys') && <Keys />}
      {may('POST /oauth/consent') && <Programs />}
      <Sessions />
      {hasAccount.value && <Audit />}
    </View>
  );
}
