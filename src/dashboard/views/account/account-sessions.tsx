import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import { mayChange, signOut } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/section.tsx';
import { Listed } from '../../ui/states.tsx';
import { RoughTime, Time } from '../../ui/time.tsx';

type Session = Schemas['Session'];

/** Parts of a User-Agent and their names; the first that is found counts, because browsers name others as well. */
const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = { Android: 'Android', iPhone: 'iPhone', iPad: 'iPad', Windows: 'Windows', Mac: 'Mac', Linux: 'Linux' };

/** The browser and the system in a User-Agent: `Firefox, Linux`. */
function browserOf(userAgent: string | null): string {
  const find = (names: Readonly<Record<string, string>>): string[] =>
    Object.entries(names)
      .filter(([part]) => userAgent?.includes(part))
      .map(([, name]) => name)
      .slice(0, 1);
  return [...find(BROWSERS), ...find(SYSTEMS)].join(', ') || 'A browser';
}

function SessionRow({ session, onEnded }: { session: Session; onEnded(): void }): JSX.Element {
  const { id, user_agent: userAgent, created_at, last_used_at, current: isCurrent } = session;
  const params = { path: { sessionId: id } };
  return (
    <li class="row">
      <div class="row-text">
        <p title={userAgent ?? undefined}>
          {browserOf(userAgent)} {isCurrent && <span class="badge good">This browser</span>}
        </p>
        <p class="muted">
          Signed in <Time at={created_at} />, used <RoughTime at={last_used_at} />
        </p>
      </div>
      {(isCurrent || mayChange.value) && (
        <ActionButton
          kind="quiet"
          of={`the session of ${browserOf(userAgent)}`}
          run={() => (isCurrent ? signOut('this') : answer(api.DELETE('/sessions/{sessionId}', { params })))}
          done="The session has ended."
          onDone={onEnded}
          isRemoving
        >
          End
        </ActionButton>
      )}
    </li>
  );
}

/** The browsers that are signed in: the session of each can be ended. */
export function Sessions(): JSX.Element {
  const loaded = usePages('sessions', DASHBOARD_LIMITS.account.listSize, async (query, signal) => {
    const { sessions, total } = await answer(api.GET('/sessions', { params: { query }, signal }));
    return { items: sessions, total };
  });
  return (
    <Section title="Sessions" hint="A browser stays signed in for 30 days after its last use." isSplit>
      <Listed loaded={loaded} label="Loading your sessions" of="session">
        {(session) => <SessionRow key={session.id} session={session} onEnded={loaded.reload} />}
      </Listed>
      {mayChange.value && (
        <ActionButton
          ask={{
            title: 'End all sessions?',
            button: 'End all',
            text: 'You are signed out in this browser and in all others. Keys stay as they are.',
          }}
          run={() => signOut('all')}
        >
          End all sessions
        </ActionButton>
      )}
    </Section>
  );
}
