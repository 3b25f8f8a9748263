import { useMemo, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import type { SiteDrafts } from '../site/site-drafts.ts';
import { linkAround, type Place, places, trimmed } from '../source/editable-places.ts';
import { markForFrame } from '../source/frame-marks.ts';
import { withBlanksOf } from '../source/kept-blanks.ts';
import { type PageSource, readSource, unread } from '../source/page-source.ts';
import { draftEdits } from '../source/shown/draft-edits.ts';
import { baseOf } from '../source/shown/page-base.ts';
import { applyEdits, type Edit } from '../source/source-edits.ts';
import type { Edited } from '../use-history.ts';
import { type Emptied, idInPage, typeInFrame } from './emptied-places.ts';
import type { FrameMessage, ShownPage } from './frame-messages.ts';

/** A text that is typed in the frame: the page as it was before, and as it is now. `id`: of its place in the frame; `text`: as it is now. */
type Typing = {
  id: number;
  text: string;
  source: PageSource;
  step: string;
  html: string;
  isOver: boolean;
  emptiedBefore: Emptied;
  emptied: Emptied;
};

/** The page in the frame. `places`: how many it has; `emptied`: those that the page no longer has. */
type Shown = { html: string; page: ShownPage; places: number; emptied: Emptied };

export type InPlace = {
  source: PageSource;
  places: readonly Place[];
  page: ShownPage;
  /** How many places the frame has. */
  placesInFrame: number;
  /** The places that nobody can click in the frame. */
  hidden: readonly Place[];
  chosen: Place | undefined;
  /** The link around what is chosen. */
  link: Place | undefined;
  /** The text that is too long to be typed in the frame. */
  tooLong: Place | undefined;
  onMessage(message: FrameMessage): void;
  /** Edits the page. Edits with one `step`, one after another, are undone together. */
  edit(edits: readonly Edit[], step?: string): void;
};

/** A longer page would stop the browser for seconds with each change. */
const MAX_CHARS = DASHBOARD_LIMITS.editor.maxInPlaceChars;

let steps = 0;

/** `url`: where the page is live, if it is. `isNew`: it was made of a finished page. */
type ShownSite = { url: string | undefined; drafts: SiteDrafts | undefined; isNew: boolean };

/** Returns a page for the frame: with the drafts of its files, its places are the same ones. */
function shownPage(source: PageSource, { url, drafts }: Omit<ShownSite, 'isNew'>): Omit<ShownPage, 'version'> {
  if (url === undefined) return { html: markForFrame(source) };
  const base = baseOf(source, url);
  const edits = draftEdits(source, { base, drafts });
  return { html: markForFrame(edits.length === 0 ? source : readSource(applyEdits(source.html, edits))), base };
}

/**
 * Edits a page where its texts stand. While a text is typed, the frame has it already and is not shown again: each letter is an edit
 * of the page as it was before, so that only the characters that differ change.
 */
export function useInPlace(html: string, edited: Edited, site: ShownSite): InPlace {
  const source = useMemo(() => (html.length > MAX_CHARS ? unread(html) : readSource(html)), [html]);
  const [choice, choose] = useState<{ id: number; places: number }>();
  const [tooLong, setTooLong] = useState<Place>();
  const typing = useRef<Typing>(undefined);
  const [unseen, setUnseen] = useState<{ version: number; hidden: readonly number[] }>();
  const shown = useRef<Shown>(undefined);
  const [, showAgain] = useState(0);
  const found = useMemo(() => places(source), [source]);
  const { current } = typing;
  // The frame has what was typed in it, if all places are still there but those that were emptied in it.
  const isInFrame = current?.html === html && found.length + current.emptied.size === shown.current?.places;
  if (shown.current && isInFrame) shown.current = { ...shown.current, html, emptied: current.emptied };
  if (current?.isOver) typing.current = undefined;
  if (!shown.current || (!typing.current && shown.current.html !== html)) {
    const version = (shown.current?.page.version ?? 0) + 1;
    const places = found.length;
    shown.current = { html, page: { ...shownPage(source, site), version }, places, emptied: new Map() };
  }
  const { page, places: placesInFrame, emptied } = shown.current;

  function type({ id, text, isOneLine }: Extract<FrameMessage, { type: 'typed' }>): void {
    let { current: now } = typing;
    if (!now || now.isOver || now.id !== id) {
      steps += 1;
      const before = { html, text: inPage(id)?.text ?? '', emptiedBefore: emptied, emptied };
      now = { id, source, step: `text:${steps}`, isOver: false, ...before };
    }
    const kept = isOneLine ? withBlanksOf(now.text, trimmed(text)) : text;
    const typed = typeInFrame(now.source, now.emptiedBefore, id, kept, site.isNew);
    const after = { html: applyEdits(now.source.html, typed.edits), text: kept, emptied: typed.emptied };
    typing.current = { ...now, ...after };
    edited.change(typing.current.html, now.step);
  }
  function end(isTakenBack: boolean): void {
    const { current: now } = typing;
    if (!now) return;
    const before = isTakenBack && { html: now.source.html, emptied: now.emptiedBefore };
    typing.current = { ...now, ...before, isOver: true };
    edited.change(typing.current.html, now.step);
    showAgain((count) => count + 1);
  }
  /** The place of the page that one of the frame is; undefined for one that was emptied. */
  function inPage(id: number): Place | undefined {
    const known = idInPage(emptied, id);
    return known === undefined ? undefined : found[known];
  }
  function onMessage(message: FrameMessage): void {
    if (message.type === 'undo') edited.undo();
    if (message.type === 'redo') edited.redo();
    if (!('version' in message) || message.version !== page.version) return;
    if (message.type === 'shown') {
      setUnseen(message);
      return;
    }
    const { id } = message;
    const place = inPage(id);
    setTooLong(message.type === 'too-long' ? place : undefined);
    if (message.type === 'chosen') choose(place && { id: place.id, places: found.length });
    else if (message.type === 'typed') type(message);
    else end(message.type === 'taken-back');
  }
  // With other places, the id is another one's.
  const chosen = choice?.places === found.length ? found[choice.id] : undefined;
  return {
    ...{ source, places: found, page, placesInFrame, tooLong, onMessage },
    hidden: unseen?.version === page.version ? unseen.hidden.flatMap((id) => inPage(id) ?? []) : [],
    chosen,
    link: chosen && linkAround(found, chosen),
    edit: (edits, step) => edited.change(applyEdits(html, edits), step),
  };
}
