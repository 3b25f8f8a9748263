import type { ComponentChildren, JSX } from 'preact';

/** The mark of words in a text that are for people who do not see what is around it. */
export const unseen = (words: ComponentChildren): JSX.Element => <span class="unseen">{words}</span>;
