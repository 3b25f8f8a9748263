import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { counted } from './time.tsx';

const WIDTH = 120;
const HEIGHT = 28;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const seen = new Map<string, readonly number[]>();

function Bars({ id }: { id: string }): JSX.Element | null {
  const { data: days } = useData(
    id,
    async (signal) => {
      const params = { path: { id }, query: { tz: timeZone } };
      const { buckets } = await answer(api.GET('/deploy/{id}/stats', { params, signal }));
      return buckets.map(({ submissions }) => submissions);
    },
    seen,
  );
  if (!days) return null;
  const most = Math.max(1, ...days);
  const step = WIDTH / days.length;
  const total = days.reduce((sum, day) => sum + day, 0);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${counted(total, 'submission')} in the last ${days.length} days`}
      preserveAspectRatio="none"
    >
      {days.map((count, day) => {
        const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
        return (
          <rect
            key={day}
            class={count === 0 ? 'none' : undefined}
            x={day * step}
            y={HEIGHT - height}
            width={step - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** The submissions of each of the last 30 days; they are read when the place first comes into sight. */
export function Sparkline({ id }: { id: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      setInSight(true);
      observer.disconnect();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} class="sparkline-place">
      {isInSight && <Bars id={id} />}
    </div>
  );
}
