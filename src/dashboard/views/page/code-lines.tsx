import type { JSX } from 'preact';
import type { Line } from './lines.ts';

const SIGNS = { none: ' ', added: '+', removed: '−', skipped: '⋯' };
const SAID = { none: undefined, added: 'Added: ', removed: 'Removed: ', skipped: undefined };

/** Controls that change the direction of a text are shown by their numbers: they could make code look like other code. */
const withoutControls = (text: string): string =>
  text.replaceAll(
    /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Lines that changed; the browser renders those in sight only. */
export const CodeLines = ({ lines }: { lines: readonly Line[] }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
  <section class="code-lines" tabIndex={0} aria-label="Lines that changed">
    {lines.map(({ number, change, text }, index) => (
      <div key={index} class={`code-row ${change}`}>
        <span class="code-number">{number}</span>
        <span class="code-sign" aria-hidden="true">
          {SIGNS[change]}
        </span>
        {SAID[change] && <span class="unseen">{SAID[change]}</span>}
        <bdi>{withoutControls(text)}</bdi>
      </div>
    ))}
  </section>
);
