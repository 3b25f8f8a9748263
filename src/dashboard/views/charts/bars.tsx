import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';

const HEIGHT = 240;
/** Steps between the labels below the bars. */
const STEPS = [1, 2, 3, 4, 6, 7, 12, 14, 30, 60, 90, 180, 365];
const COUNTS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power))
  .toSorted((a, b) => a - b);
const LABEL_WIDTH = 64;
const FONT = '12px system-ui, sans-serif';

export type Bar = {
  /** Below the bar. */
  short: string;
  /** What is shown and said about it: when it was, and how many. */
  full: string;
  count: number;
};

const numbers = new Intl.NumberFormat();

function optionsOf(
  bars: readonly Bar[],
  element: Element,
  onHover: (index: number | undefined) => void,
): UPlot.Options {
  const colour = (name: string) => (): string => getComputedStyle(element).getPropertyValue(name);
  const bar = UPlot.paths.bars?.({ size: [0.8, 48], radius: 0.15 });
  return {
    width: Math.max(1, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, bars.length - 0.4] },
      // At least four, so that one submission is not as high as the chart.
      y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.08)] },
    },
    axes: [
      {
        stroke: colour('--muted'),
        font: FONT,
        grid: { show: false },
        ticks: { show: false },
        incrs: STEPS,
        size: 28,
        space: LABEL_WIDTH,
        values: (_chart, places) => places.map((place) => bars[place]?.short ?? ''),
      },
      {
        stroke: colour('--muted'),
        font: FONT,
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        incrs: COUNTS,
        size: (_chart, values) => 20 + 7 * Math.max(1, ...(values ?? []).map((value) => value.length)),
        values: (_chart, counts) => counts.map((count) => numbers.format(count)),
      },
    ],
    series: [{}, { fill: colour('--accent'), width: 0, ...(bar && { paths: bar }), points: { show: false } }],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  };
}

/** The key's bar, from the bar that is pointed at. */
function moved(key: string, index: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, index - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, index + 1);
    case 'PageDown':
      return Math.max(0, index - 7);
    case 'PageUp':
      return Math.min(last, index + 7);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/**
 * A bar for each hour or day. The pointer and the arrow keys go along the bars; the value is shown, and said as that of a
 * slider, which is what screen readers know how to move along.
 */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  const [index, setIndex] = useState<number>();
  const last = bars.length - 1;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const data: UPlot.AlignedData = [bars.map((_, number) => number), bars.map(({ count }) => count)];
    const made = new UPlot(optionsOf(bars, element, setIndex), data, element);
    chart.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: Math.max(1, element.clientWidth), height: HEIGHT }));
    sizes.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => made.redraw();
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      sizes.disconnect();
      made.destroy();
      chart.current = undefined;
      setIndex(undefined);
    };
  }, [bars]);

  function point(to: number | undefined): void {
    const left = to === undefined ? -10 : chart.current?.valToPos(to, 'x');
    chart.current?.setCursor({ left: left ?? -10, top: to === undefined ? -10 : 1 });
    setIndex(to);
  }

  const shown = index === undefined ? undefined : bars[index];
  const left = index === undefined ? 0 : ((index + 0.5) / bars.length) * 100;
  return (
    <div
      class="bars"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index ?? last}
      aria-valuetext={(shown ?? bars[last])?.full ?? ''}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && point(index ?? last)}
      onBlur={() => point(undefined)}
      onKeyDown={(event) => {
        const to = moved(event.key, index ?? last, last);
        if (to === undefined) return;
        event.preventDefault();
        point(to);
      }}
    >
      <div ref={place} class="bars-place" aria-hidden="true" />
      {shown && (
        <p class={left > 50 ? 'bars-value before' : 'bars-value'} style={{ left: `${left}%` }} aria-hidden="true">
          {shown.full}
        </p>
      )}
    </div>
  );
}
