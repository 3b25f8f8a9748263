import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../texts/chosen-texts.ts';
import { type FrameMessage, readFrameMessage, type ShownPage, type ToFrame } from './frame-messages.ts';

const toFrame = (page: ShownPage): ToFrame => ({ ...page, hint: t.editor.inPlace.pressEnter });

const FRAME = new URL('./in-place.html', import.meta.url).href;

/**
 * A page in a frame without access to the dashboard. The port is given to the first document of the frame, which is ours: a page that
 * came there in another way could not use it. `places`: how many it has there.
 */
export function PageFrame({
  page,
  places,
  onMessage,
}: {
  page: ShownPage;
  places: number;
  onMessage(message: FrameMessage): void;
}): JSX.Element {
  const port = useRef<MessagePort>(undefined);
  const latest = useRef({ page, places, onMessage });
  latest.current = { page, places, onMessage };
  useEffect(() => () => port.current?.close(), []);
  useEffect(() => port.current?.postMessage(toFrame(page)), [page]);
  function begin(frame: HTMLIFrameElement): void {
    if (port.current) return;
    const { port1, port2 } = new MessageChannel();
    port.current = port1;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readFrameMessage(data, latest.current.places);
      if (message) latest.current.onMessage(message);
    };
    // The origin of a sandboxed frame has no name.
    frame.contentWindow?.postMessage('begin', '*', [port2]);
    port1.postMessage(toFrame(latest.current.page));
  }
  return (
    <iframe
      title={t.editor.inPlace.frame}
      class="page-frame"
      src={FRAME}
      sandbox="allow-scripts"
      onLoad={({ currentTarget }) => begin(currentTarget)}
    />
  );
}
