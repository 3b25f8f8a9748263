import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { endOf, type Lifetime, LifetimeField } from '../../ui/lifetime-field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { exactTime, Time } from '../../ui/time.tsx';

const texts = t.settings.shares;

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
      of={fill(texts.ofTime, { time: exactTime(share.created_at) })}
      {...(!isOver && {
        ask: {
          title: texts.askEnd,
          button: texts.endIt,
          text: texts.endText,
        },
      })}
      run={() => answer(api.DELETE('/deploy/{id}/shares/{shareId}', { params: { path } }))}
      done={isOver ? texts.removed : texts.hasEnded}
      onDone={onEnded}
      isRemoving
    >
      {isOver ? t.settings.remove : texts.end}
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
          <strong>{fill(texts.made, { time: exactTime(createdAt) })}</strong>{' '}
          <span class={isOver ? 'badge' : 'badge good'}>{isOver ? texts.ended : texts.works}</span>
        </p>
        <p class="muted">
          {end === null ? (
            texts.endsByHand
          ) : (
            <Rich text={isOver ? texts.endedAt : texts.endsAt} with={{ time: <Time at={end} /> }} />
          )}
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
        <LifetimeField label={texts.lifetime} value={lifetime} onChange={setLifetime} />
        <Button icon="plus" isBusy={change.state === 'saving'}>
          {texts.make}
        </Button>
      </Form>
      <NotSaved change={change} />
      {made !== undefined && (
        <ShownOnce title={texts.newLink} secret={made} onClose={() => setMade(undefined)}>
          {texts.copyNow}
        </ShownOnce>
      )}
    </>
  );
}

function stateOf(data: { items: readonly Share[]; total: number } | undefined): string {
  if (!data) return '';
  const working = data.items.filter((share) => !hasEnded(share)).length;
  return working === 0 ? texts.none : counted(t.shared.counts.links, working);
}

/** Secret addresses at which people without a sign-in read the submissions of a page. */
export function Shares({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle(): void }): JSX.Element {
  const loaded = usePages(`shares:${id}`, DASHBOARD_LIMITS.people.listSize, async (query, signal) => {
    const { shares, total } = await answer(api.GET('/deploy/{id}/shares', { params: { path: { id }, query }, signal }));
    return { items: shares, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Panel id="shares" title={texts.title} state={stateOf(loaded.data)} isOpen={isOpen} onToggle={onToggle}>
      <p class="muted">{texts.about}</p>
      <Listed loaded={loaded} label={texts.loading} of={t.shared.counts.links}>
        {(share) => <ShareRow key={share.id} id={id} share={share} onEnded={loaded.reload} />}
      </Listed>
      <MakeShare id={id} onMade={loaded.reload} />
    </Panel>
  );
}
