import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fill, t } from '../texts/chosen-texts.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { CodePlace } from './code/code-editor.ts';
import { PageFrame } from './in-place/page-frame.tsx';
import { PlaceCard } from './in-place/place-card.tsx';
import { UntouchableParts } from './in-place/untouchable-parts.tsx';
import { type InPlace, useInPlace } from './in-place/use-in-place.ts';
import { type CountField, FormFields } from './panel/form-fields-panel.tsx';
import { HeadFields } from './panel/head-fields.tsx';
import type { SiteDrafts } from './site/site-drafts.ts';
import type { Edited } from './use-history.ts';
import './page-mode.css';

type PageProps = {
  html: string;
  edited: Edited;
  /** The part that is shown where there is no room for both. */
  side: 'page' | 'settings';
  /** Where the relative addresses of the page begin: its live address, if it has one. */
  base: string | undefined;
  drafts: SiteDrafts | undefined;
  isNew: boolean;
  onCode(place: CodePlace): void;
  images(use: (src: string) => void): ComponentChildren;
  countField: CountField | undefined;
  /** Below the settings of the page. */
  children: ComponentChildren;
};

/** A page that can't be read as the standard says in a bounded time. */
const TooComplex = ({ onCode }: Pick<PageProps, 'onCode'>): JSX.Element => (
  <Notice>
    <p>{t.editor.inPlace.tooComplex}</p>
    <Button onClick={() => onCode({ line: 1, column: 1 })}>{t.editor.inPlace.editCode}</Button>
  </Notice>
);

function TooLong({ inPlace: { tooLong }, onCode }: { inPlace: InPlace } & Pick<PageProps, 'onCode'>): JSX.Element {
  return (
    <div role="alert">
      {tooLong && (
        <Notice>
          <p>{t.editor.inPlace.tooLong}</p>
          <Button onClick={() => onCode(tooLong)}>
            {fill(t.editor.inPlace.editLine, { line: String(tooLong.line) })}
          </Button>
        </Notice>
      )}
    </div>
  );
}

/** A page whose texts are edited where they stand, and its settings and fields beside it; on a phone one of both. */
export function PageMode({
  html,
  edited,
  side,
  base,
  drafts,
  isNew,
  onCode,
  images,
  countField,
  children,
}: PageProps): JSX.Element {
  const inPlace = useInPlace(html, edited, { url: base, drafts, isNew });
  const { source, page, placesInFrame, chosen, link, hidden, onMessage } = inPlace;
  const card = useRef<HTMLDivElement>(null);
  // Where the card is below the page, nobody would see it.
  useEffect(() => {
    card.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it keeps a key from the form around it.
    <div
      class={`page-mode on-${side}`}
      // Enter in a field of the page does not publish it.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      <div class="page-side">
        <p class="hint">{t.editor.inPlace.hint}</p>
        {source.isRead ? (
          <PageFrame page={page} places={placesInFrame} onMessage={onMessage} />
        ) : (
          <TooComplex onCode={onCode} />
        )}
        <TooLong inPlace={inPlace} onCode={onCode} />
        <UntouchableParts source={source} hidden={hidden} onCode={onCode} />
      </div>
      {chosen && (link || chosen.kind !== 'text') && (
        <div class="place-side" ref={card}>
          <PlaceCard key={chosen.id} place={chosen} inPlace={inPlace} images={images} />
        </div>
      )}
      <div class="settings-side stack">
        {source.isRead && (
          <>
            <HeadFields inPlace={inPlace} />
            <FormFields inPlace={inPlace} onCode={onCode} countField={countField} />
          </>
        )}
        {children}
      </div>
    </div>
  );
}
