// The library's index has all kinds of comparisons.
import { structuredPatch } from 'diff/lib/patch/create.js';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { counted, fill, t } from '../../texts/chosen-texts.ts';

/** The maximum number of lines that are shown: a page of 2 MiB may have two million. */
const MAX_LINES = 5_000;
/** Browsers are slow with very long lines. */
const MAX_LINE_CHARS = 2_000;
/** How long the comparison of two versions may take. */
const COMPARE_TIMEOUT_MS = 400;

/** The meaning of the first character of a line; other lines are the same in both versions. */
const CHANGES: Readonly<Record<string, { class: string; said: string }>> = {
  '+': { class: 'added', said: t.page.changes.added },
  '-': { class: 'removed', said: t.page.changes.removed },
  '@': { class: 'skipped', said: '' },
};

/** The lines that differ, with some around them; undefined when the texts differ too much to be compared soon. */
function compare(before: string, after: string): string[] | undefined {
  const options = { context: 3, stripTrailingCr: true, timeout: COMPARE_TIMEOUT_MS };
  return structuredPatch('', '', before, after, '', '', options)?.hunks.flatMap(({ newStart, lines }) => [
    `@${fill(t.page.changes.line, { line: String(newStart) })}`,
    // A line with a backslash says that a text ends without a line break.
    ...lines.filter((line) => !line.startsWith('\\')),
  ]);
}

/** A line as it is shown. Controls that change the direction of a text have their numbers: they could make code look like other code. */
const shownText = (text: string): string =>
  (text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : text).replaceAll(
    /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** The changes from one text to another. */
export function Changes({ before, after }: { before: string; after: string }): JSX.Element {
  const lines = useMemo(() => compare(before, after), [before, after]);
  if (!lines) return <p role="status">{t.page.changes.tooManyLines}</p>;
  if (lines.length === 0) return <p role="status">{t.page.changes.onlyEnds}</p>;
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return (
    <>
      <p role="status">
        {fill(t.page.changes.lines, {
          added: counted(t.page.changes.linesAdded, count('+')),
          removed: counted(t.page.changes.linesRemoved, count('-')),
        })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus. */}
      <section class="code-lines" tabIndex={0} aria-label={t.page.changes.lineLabel}>
        {lines.slice(0, MAX_LINES).map((line, index) => {
          const change = CHANGES[line.charAt(0)];
          return (
            <div key={index} class={change?.class}>
              {change && <span class="unseen">{change.said} </span>}
              <bdi>{shownText(line.slice(1))}</bdi>
            </div>
          );
        })}
      </section>
    </>
  );
}
