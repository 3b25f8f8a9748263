import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { endOf, type Lifetime, LifetimeField } from '../../ui/lifetime-field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { counted, exactTime, Time } from '../../ui/time.tsx';

type Share = Schemas['ListedShare'];

const hasEnded = ({ expires_at: end }: Share): boolean => end !== null && Date.parse(end) <= Date.now();

function EndShare({ id, share, onEnded }: { id: string; share: Share; onEnded(): void }): JSX.Element {
  const isOver = hasEnded(share);
  const path = { id, shareId: share.id };
  return (
    <ActionButton
      needs="DELETE /deploy/{id}/shares/{shareId}"
      kind="quiet"
      icon="trash"
      of={`the link of ${exactTime(share.created_at)}`}
      {...(!isOver && {
        ask: {
          title: 'End this link?',
          button: 'End it',
          text: 'Whoever opens it sees nothing any more, from now on. It can’t be brought back: make a new one instead.',
        },
      })}
      run={() => answer(api.DELETE('/deploy/{id}/shares/{shareId}', { params: { path } }))}
      done={isOver ? 'The link is removed from the list.' : 'The link has ended.'}
      onDone={onEnded}
      isRemoving
    >
      {isOver ? 'Remove' : 'End'}
    </ActionButton>
  );
}

/** A link, by the time at which it was made: its address is known to those alone who have it. */
function ShareRow({ id, share, onEnded }: { id: string; share: Share; onEnded(): void }): JSX.Element {
  const { created_at: createdAt, expires_at: end } = share;
  const isOver = hasEnded(share);
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong>Made {exactTime(createdAt)}</strong>{' '}
          <span class={isOver ? 'badge' : 'badge good'}>{isOver ? 'Ended' : 'Works'}</span>
        </p>
        <p class="muted">
          {end === null ? 'Ends when you end it' : isOver ? 'Ended ' : 'Ends by itself '}
          {end !== null && <Time at={end} />}
        </p>
      </div>
      <EndShare id={id} share={share} onEnded={onEnded} />
    </li>
  );
}

function MakeShare({ id, onMade }: { id: string; onMade(): void }): JSX.Element {
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const [made, setMade] = useState<string>();
  const { change, run } = useChange();
  async function make(): Promise<void> {
    const end = endOf(lifetime);
    await run(async () => {
      const body = end === undefined ? {} : { expires_at: end };
      setMade((await answer(api.POST('/deploy/{id}/shares', { params: { path: { id } }, body }))).url);
      onMade();
    });
  }
  return (
    <>
      <Form needs="POST /deploy/{id}/shares" class="inline" onSubmit={make}>
        <LifetimeField label="Ends by itself" value={lifetime} onChange={setLifetime} />
        <Button icon="plus" isBusy={change.state === 'saving'}>
          Make a link
        </Button>
      </Form>
      <NotSaved change={change} />
      {made !== undefined && (
        <ShownOnce title="The new link" secret={made} onClose={() => setMade(undefined)}>
          Copy it now, and send it to whoever is to read the submissions: it is shown this once. Everybody who has it
          can read them.
        </ShownOnce>
      )}
    </>
  );
}

function stateOf(data: { items: readonly Share[]; total: number } | undefined): string {
  if (!data) return '';
  const working = data.items.filter((share) => !hasEnded(share)).length;
  return working === 0 ? 'No link' : counted(working, 'link');
}

/** Secret addresses at which people without a sign-in read the submissions of a page. */
export function Shares({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle(): void }): JSX.Element {
  const loaded = usePages(`shares:${id}`, DASHBOARD_LIMITS.people.listSize, async (query, signal) => {
    const { shares, total } = await answer(api.GET('/deploy/{id}/shares', { params: { path: { id }, query }, signal }));
    return { items: shares, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Panel id="shares" title="Links to read along" state={stateOf(loaded.data)} isOpen={isOpen} onToggle={onToggle}>
      <p class="muted">
        A secret link shows the submissions and their files, without IP addresses and your notes. Nobody signs in, and
        nobody can change anything there.
      </p>
      <Listed loaded={loaded} label="Loading the links" of={t.shared.counts.links}>
        {(share) => <ShareRow key={share.id} id={id} share={share} onEnded={loaded.reload} />}
      </Listed>
      <MakeShare id={id} onMade={loaded.reload} />
    </Panel>
  );
}
