import type { JSX } from 'preact';

const HEIGHT = 100;

export type Bar = {
  count: number;
  /** What is shown about it when it is pointed at. */
  title?: string;
};

/** A bar for each count. It says the `label` only: a table beside it has the counts for whoever can't see them. */
export const Bars = ({
  label,
  bars,
  top,
  least,
}: {
  label: string;
  bars: readonly Bar[];
  /** The count of a bar that is as high as the chart. */
  top: number;
  /** How much of the height a bar has at least that is not 0. */
  least: number;
}): JSX.Element => (
  <svg class="bars" role="img" aria-label={label} viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none">
    {bars.map(({ count, title }, index) => {
      const height = HEIGHT * (count === 0 ? least / 3 : Math.max(least, count / top));
      return (
        <g key={index}>
          {title !== undefined && (
            <rect class="behind" x={index} width={1} height={HEIGHT}>
              <title>{title}</title>
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
