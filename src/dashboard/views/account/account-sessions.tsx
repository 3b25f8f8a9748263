import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { ApiError, answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { signOut } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { counted, numbers, RoughTime, Time } from '../../ui/time.tsx';

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
          Used <RoughTime at={last_used_at} />, signed in <Time at={created_at} />
        </p>
      </div>
      <ActionButton
        needs={isCurrent ? 'nothing' : 'DELETE /sessions/{sessionId}'}
        kind="quiet"
        of={`the session of ${browserOf(userAgent)}`}
        run={() => (isCurrent ? signOut('this') : answer(api.DELETE('/sessions/{sessionId}', { params })))}
        done="The session has ended."
        onDone={onEnded}
        isRemoving
      >
        End
      </ActionButton>
    </li>
  );
}

/** Reads all sessions: that of this browser first, then the ones that were used last. */
async function readSessions(signal?: AbortSignal): Promise<readonly Session[]> {
  const { listSize: limit, readSessions: most } = DASHBOARD_LIMITS.account;
  const all: Session[] = [];
  for (let page = 1; (page - 1) * limit < most; page += 1) {
    const call = api.GET('/sessions', { params: { query: { page, limit } }, ...(signal && { signal }) });
    const { sessions, total } = await answer(call);
    all.push(...sessions);
    if (page * limit >= total) break;
  }
  return all.toSorted(
    (one, other) =>
      Number(other.current) - Number(one.current) || Date.parse(other.last_used_at) - Date.parse(one.last_used_at),
  );
}

/** Ends the sessions of all other browsers, also of those that have signed in since the list was read. */
async function endOthers(): Promise<void> {
  const others = (await readSessions()).filter(({ current }) => !current);
  for (const { id: sessionId } of others) {
    try {
      await answer(api.DELETE('/sessions/{sessionId}', { params: { path: { sessionId } } }));
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
}

/** Signs other browsers out, or all of them. */
const EndSessions = ({ others, onDone }: { others: number; onDone(): void }): JSX.Element => (
  <div class="buttons">
    {others > 0 && (
      <ActionButton
        needs="DELETE /sessions/{sessionId}"
        ask={{
          title: 'End all other sessions?',
          button: 'End all others',
          text: `${counted(others, 'other browser is', 'other browsers are')} signed out. This one and your keys stay as they are.`,
        }}
        run={endOthers}
        done="All other sessions have ended."
        onDone={onDone}
        isRemoving
      >
        End all others
      </ActionButton>
    )}
    <ActionButton
      needs="DELETE /sessions"
      kind="quiet"
      ask={{
        title: 'End all sessions?',
        button: 'End all',
        text: 'You are signed out in this browser and in all others. Keys stay as they are.',
      }}
      run={() => signOut('all')}
    >
      End all sessions
    </ActionButton>
  </div>
);

/** The browsers that are signed in: the session of each can be ended. */
export function Sessions(): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const loaded = useData('sessions', readSessions);
  useOtherTabs(loaded.reload);
  const { shownSessions: few } = DASHBOARD_LIMITS.account;
  return (
    <Section title="Sessions" hint="A browser stays signed in for 30 days after its last use." isSplit>
      <Shown loaded={loaded} label="Loading your sessions">
        {(sessions) => (
          <>
            <ul class="rows">
              {sessions.slice(0, isWhole ? sessions.length : few).map((session) => (
                <SessionRow key={session.id} session={session} onEnded={loaded.reload} />
              ))}
            </ul>
            {!isWhole && sessions.length > few && (
              <Button kind="quiet" icon="unfold" of="sessions" onClick={() => setWhole(true)}>
                Show all {numbers.format(sessions.length)}
              </Button>
            )}
            <EndSessions others={sessions.filter(({ current }) => !current).length} onDone={loaded.reload} />
          </>
        )}
      </Shown>
    </Section>
  );
}
