import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/section.tsx';
import { Listed } from '../../ui/states.tsx';
import { RoughTime, Time } from '../../ui/time.tsx';

const SCOPES: Readonly<Record<Schemas['Grant']['scope'], string>> = t.account.programs.scopes;

/** Programs that the owner has allowed to act: each can be ended. */
export function Programs(): JSX.Element {
  const limit = DASHBOARD_LIMITS.account.listSize;
  const loaded = usePages('grants', limit, async (query, signal) => {
    const { grants, total } = await answer(api.GET('/grants', { params: { query }, signal }));
    return { items: grants, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Section title={t.account.programs.title} hint={t.account.programs.hint} isSplit>
      {loaded.data?.total === 0 && <p class="muted">{t.account.programs.none}</p>}
      <Listed loaded={loaded} label={t.account.programs.loading} of={t.shared.counts.programs}>
        {({ id, client, host, scope, pages, created_at, last_used_at }) => (
          <li key={id} class="row">
            <div class="row-text">
              <strong dir="auto">{client}</strong>
              <p class="muted">
                <Rich
                  text={t.account.programs.line}
                  with={{
                    host,
                    scope: <>{SCOPES[scope]}</>,
                    pages: <>{pages ? counted(t.shared.counts.pages, pages.length) : t.account.programs.allPages}</>,
                    allowed: <Time at={created_at} />,
                    used: <RoughTime at={last_used_at} />,
                  }}
                />
              </p>
            </div>
            <ActionButton
              needs="DELETE /grants/{grantId}"
              kind="quiet"
              of={client}
              run={() => answer(api.DELETE('/grants/{grantId}', { params: { path: { grantId: id } } }))}
              done={fill(t.account.programs.ended, { program: client })}
              onDone={loaded.reload}
              isRemoving
            >
              {t.account.programs.end}
            </ActionButton>
          </li>
        )}
      </Listed>
    </Section>
  );
}
