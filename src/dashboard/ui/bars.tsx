import type { JSX } from 'preact';

const HEIGHT = 100;
/** How high a bar is at least that is not 0. */
const LEAST = 3;

/** A bar for each count. A table, or a text, beside it has the counts for whoever can't see them. */
export const Bars = ({
  counts,
  top = Math.max(1, ...counts),
  label,
  titles,
}: {
  counts: readonly number[];
  /** The count of a bar that is as high as the chart. */
  top?: number;
  /** The text that screen readers read instead of the picture; without it, they skip it. */
  label?: string;
  /** The text of each bar when it is pointed at. */
  titles?: readonly string[];
}): JSX.Element => (
  <svg
    class="bars"
    role="img"
    aria-label={label}
    aria-hidden={label === undefined}
    viewBox={`0 0 ${counts.length} ${HEIGHT}`}
    preserveAspectRatio="none"
  >
    {counts.map((count, index) => {
      const height = count === 0 ? 1 : Math.max(LEAST, (HEIGHT * count) / top);
      return (
        <g key={index}>
          {titles && (
            <rect class="behind" x={index} width={1} height={HEIGHT}>
              <title>{titles[index]}</title>
            </rect>
          )}
          <rect
            class={count === 0 ? 'none' : undefined}
            x={index + 0.1}
            y={HEIGHT - height}
            width={0.8}
            height={height}
          />
        </g>
      );
    })}
  </svg>
);
