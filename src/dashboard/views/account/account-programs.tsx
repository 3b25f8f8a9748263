import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/section.tsx';
import { Listed } from '../../ui/states.tsx';
import { counted, RoughTime, Time } from '../../ui/time.tsx';

const SCOPES: Readonly<Record<Schemas['Grant']['scope'], string>> = {
  full: 'may do everything',
  read: 'may read only',
  publish: 'may publish only',
};

/** Programs that the owner has allowed to act: each can be ended. */
export function Programs(): JSX.Element {
  const limit = DASHBOARD_LIMITS.account.listSize;
  const loaded = usePages('grants', limit, async (query, signal) => {
    const { grants, total } = await answer(api.GET('/grants', { params: { query }, signal }));
    return { items: grants, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Section
      title="Programs"
      hint="Agents and other programs that you have allowed to act for you, without a key. Each ends 90 days after its last use."
      isSplit
    >
      {loaded.data?.total === 0 && <p class="muted">You have allowed none.</p>}
      <Listed loaded={loaded} label="Loading your programs" of={t.shared.counts.programs}>
        {({ id, client, host, scope, pages, created_at, last_used_at }) => (
          <li key={id} class="row">
            <div class="row-text">
              <strong dir="auto">{client}</strong>
              <p class="muted">
                <bdi>{host}</bdi>, {SCOPES[scope]}, {pages ? counted(pages.length, 'page') : 'all pages'}; allowed{' '}
                <Time at={created_at} />, used <RoughTime at={last_used_at} />
              </p>
            </div>
            <ActionButton
              needs="DELETE /grants/{grantId}"
              kind="quiet"
              of={client}
              run={() => answer(api.DELETE('/grants/{grantId}', { params: { path: { grantId: id } } }))}
              done={`${client} may do nothing any more.`}
              onDone={loaded.reload}
              isRemoving
            >
              End
            </ActionButton>
          </li>
        )}
      </Listed>
    </Section>
  );
}
