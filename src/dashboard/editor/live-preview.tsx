import type { JSX } from 'preact';

const FRAME = new URL('./preview.html', import.meta.url).href;

/** HTML as browsers show it. The frame is a new one for each text, so that no script of an earlier one still runs. */
export const LivePreview = ({ html }: { html: string }): JSX.Element => (
  <iframe
    key={html}
    class="preview"
    title="Preview"
    src={FRAME}
    sandbox="allow-scripts"
    // The origin of a sandboxed frame has no name.
    onLoad={({ currentTarget }) => currentTarget.contentWindow?.postMessage(html, '*')}
  />
);
