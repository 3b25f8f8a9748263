import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { counted, t } from '../texts/chosen-texts.ts';
import { Bars } from './bars.tsx';
import { timeZone } from './time.tsx';

const seen = new Map<string, readonly number[]>();

function Days({ id }: { id: string }): JSX.Element | null {
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
  const total = days.reduce((sum, day) => sum + day, 0);
  return <Bars label={counted(t.statistics.lastDays, total, { days: days.length })} counts={days} />;
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
      {isInSight && <Days id={id} />}
    </div>
  );
}
