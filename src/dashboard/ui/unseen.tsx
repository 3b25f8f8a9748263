import type { ComponentChildren, JSX } from 'preact';

/** A part of a text for people who don't see it, for marks of texts. */
export const unseen = (content: ComponentChildren): JSX.Element => <span class="unseen">{content}</span>;
