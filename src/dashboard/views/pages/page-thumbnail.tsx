import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overviewed } from '../../own-pages.ts';
import { whenIdle } from '../../view-loading.tsx';

/** Pages that are shown in miniature at a time: each is a page to load. */
const MAX_MINIATURES = 12;
/** Narrower screens show no miniatures: they are small there, and cost data. */
const WIDE = '(min-width: 44rem)';

let miniatures = 0;

/** A hue that stays the same for a page. */
const hueOf = (id: string): number => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);

/**
 * A tile with the first letter of a page and a colour of its own, below a miniature of the page itself for the first pages that come
 * into sight. The miniature runs no script, sends no form, and can't be pressed.
 */
export function Thumbnail({ page }: { page: Overviewed }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (!place.current || page.taken_down || !matchMedia(WIDE).matches) return;
    let isCounted = false;
    let isGone = false;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting || isCounted || miniatures >= MAX_MINIATURES) return;
      isCounted = true;
      miniatures += 1;
      observer.disconnect();
      whenIdle(() => !isGone && setLive(true));
    });
    observer.observe(place.current);
    return () => {
      isGone = true;
      observer.disconnect();
      if (isCounted) miniatures -= 1;
    };
  }, [page.taken_down]);
  const [initial = ''] = page.title ?? page.slug;
  return (
    <div ref={place} class={`tile hue-${Math.floor(hueOf(page.id) / 30)}`} aria-hidden="true" inert>
      {initial.toUpperCase()}
      {isLive && (
        <iframe
          title={page.slug}
          src={page.url}
          sandbox=""
          loading="lazy"
          referrerpolicy="no-referrer"
          scrolling="no"
          tabIndex={-1}
        />
      )}
    </div>
  );
}
