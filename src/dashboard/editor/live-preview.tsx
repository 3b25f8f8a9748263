import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';

const FRAME = new URL('./preview.html', import.meta.url).href;

type Props = { html: string; title?: string; isSmall?: boolean };

function Frame({ html, title = t.editor.preview.title, isSmall = false }: Props): JSX.Element {
  const isSent = useRef(false);
  /** Gives the frame its page, once: a page that a script has loaded there instead does not get it. */
  function send({ contentWindow }: HTMLIFrameElement): void {
    if (isSent.current) return;
    isSent.current = true;
    // The origin of a sandboxed frame has no name.
    contentWindow?.postMessage(html, '*');
  }
  return (
    <iframe
      title={title}
      src={FRAME}
      sandbox="allow-scripts"
      {...(isSmall ? { loading: 'lazy', tabIndex: -1, scrolling: 'no' } : { class: 'preview' })}
      onLoad={({ currentTarget }) => send(currentTarget)}
    />
  );
}

/**
 * HTML as browsers show it. The frame is a new one for each text, so that no script of an earlier one still runs. `isSmall`: a
 * picture, which is loaded when it comes into sight.
 */
export const LivePreview = (props: Props): JSX.Element => <Frame key={props.html} {...props} />;
