import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/chosen-texts.ts';
import { say } from '../../ui/say.tsx';
import type { Draft } from './draft-place.ts';
import type { DraftState, PageDraft } from './page-draft.ts';

export type Drafted = {
  draft: Draft;
  state: DraftState;
  type(html: string): void;
  /** Makes a newer version of the page with the same HTML the one that the work began with. */
  beginWith(etag: string): void;
  /** Deletes the draft. Returns how to bring it back, which throws where there is a newer one by then. */
  drop(): () => void;
  /** Deletes the draft once its HTML is published. Returns whether it did: what was typed meanwhile stays. */
  dropPublished(html: string): boolean;
  /** Goes on with this draft or with the one that the account has got meanwhile; *Undo* leads to the other one. */
  choose(choice: 'mine' | 'other'): void;
};

/** The text that an editor shows, kept in the account. `found`: the draft when the editor was opened; `live`: what is published. */
export function usePageDraft(kept: PageDraft, live: Draft, found: Draft | undefined): Drafted {
  const [draft, setDraft] = useState(() => found ?? live);
  const latest = useRef(draft);
  const liveEtag = useRef(live.etag);

  function change(changed: Draft): void {
    latest.current = changed;
    setDraft(changed);
  }
  useEffect(() => {
    kept.show = change;
    // It was published, and could not be deleted then.
    if (found?.html === live.html) kept.drop();
    // A phone may end the tab without a word.
    const leave = (): unknown => document.hidden && kept.flush();
    document.addEventListener('visibilitychange', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      kept.show = undefined;
      void kept.flush();
    };
  }, [kept]);

  return {
    draft,
    state: kept.state.value,
    type(html) {
      const isLive = html === live.html;
      change({ html, etag: isLive ? liveEtag.current : latest.current.etag });
      if (isLive) kept.drop();
      else kept.keep(latest.current);
    },
    beginWith(etag) {
      if (latest.current.etag !== liveEtag.current) return;
      liveEtag.current = etag;
      change({ ...latest.current, etag });
      if (latest.current.html !== live.html) kept.keep(latest.current);
    },
    drop: () => kept.discard(latest.current),
    dropPublished(html) {
      const isLatest = latest.current.html === html;
      if (isLatest) kept.drop();
      return isLatest;
    },
    choose(choice) {
      const mine = latest.current;
      const stored = kept.choose(choice);
      if (!stored) return;
      // Publishing asks if either began with another version than the one that is live.
      const etag = stored.etag === liveEtag.current ? mine.etag : stored.etag;
      const other = { html: stored.html, etag };
      const { mineGoesOn, otherGoesOn } = t.editor.draft.newer;
      if (choice === 'other') change(other);
      say(choice === 'mine' ? mineGoesOn : otherGoesOn, async () => {
        change(choice === 'mine' ? other : { ...mine, etag });
        kept.keep(latest.current);
      });
    },
  };
}
