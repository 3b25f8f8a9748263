import type { JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';

const FRAME = new URL('./preview.html', import.meta.url).href;

/**
 * HTML as browsers show it. The frame is a new one for each text, so that no script of an earlier one still runs. `isSmall`: a
 * picture, which is loaded when it comes into sight.
 */
export const LivePreview = ({
  html,
  title = t.editor.preview.title,
  isSmall = false,
}: {
  html: string;
  title?: string;
  isSmall?: boolean;
}): JSX.Element => (
  <iframe
    key={html}
    title={title}
    src={FRAME}
    sandbox="allow-scripts"
    {...(isSmall ? { loading: 'lazy', tabIndex: -1 } : { class: 'preview' })}
    // The origin of a sandboxed frame has no name.
    onLoad={({ currentTarget }) => currentTarget.contentWindow?.postMessage(html, '*')}
  />
);
