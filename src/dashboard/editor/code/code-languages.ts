import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import type { Extension } from '@codemirror/state';

const LANGUAGES: readonly { names: RegExp; language: () => Extension }[] = [
  { names: /\.(?:html?|svg|xml)$/i, language: () => html({ autoCloseTags: false }) },
  { names: /\.css$/i, language: css },
  { names: /\.(?:m?js|json|webmanifest)$/i, language: () => javascript() },
];

/** Returns what colours a file by its name. */
export const languageOf = (path: string): Extension =>
  LANGUAGES.find(({ names }) => names.test(path))?.language() ?? [];
