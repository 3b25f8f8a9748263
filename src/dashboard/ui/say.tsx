import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fill, t } from '../texts/chosen-texts.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { focusHeading } from './view.tsx';

/** How long a message is shown. */
const MESSAGE_MS = 8_000;
/** How long one with a button, which has to be found first. */
const UNDO_MS = 30_000;
/** Messages that are shown at a time. */
const MAX_MESSAGES = 3;
/** Distances of the points that are looked at for a control, and from one place of the messages to the next, in pixels. */
const LOOK_PX = 16;
const CONTROLS = 'a, button, input, select, textarea, summary, label, [tabindex="0"]';

/** Ends the time in which a change can be undone. */
type End = () => void;
type Message = { id: number; text: string; undo: (() => Promise<unknown>) | undefined; end?: End | undefined };

const messages = signal<readonly Message[]>([]);
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let last = 0;

function drop(id: number): Message | undefined {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const dropped = messages.value.find((message) => message.id === id);
  messages.value = messages.value.filter((message) => message !== dropped);
  return dropped;
}

/** Takes a message away, with its way back. */
const close = (id: number): void => drop(id)?.end?.();

const dropLater = ({ id, undo }: Message): void => {
  clearTimeout(timers.get(id));
  timers.set(
    id,
    setTimeout(() => close(id), undo ? UNDO_MS : MESSAGE_MS),
  );
};

/**
 * Says a sentence at the bottom of the screen, for a while. `undo`: takes back the change that the sentence is about. A change
 * can be taken back though another one was made since. `end`: is called once the change can't be taken back any more.
 */
export function say(text: string, undo?: () => Promise<unknown>, end?: End): void {
  last += 1;
  const message = { id: last, text, undo, end };
  const kept = messages.value.filter((each) => each.undo).slice(1 - MAX_MESSAGES);
  for (const each of messages.value) if (!kept.includes(each)) close(each.id);
  messages.value = [...kept, message];
  dropLater(message);
}

/** Undoes a change once, and says so if that is not possible. */
function takeBack({ id, undo }: Message): void {
  if (drop(id)) undo?.().catch((error) => say(fill(t.bar.messages.notUndone, { why: error.message })));
}

/** Undoes the last change of which a message with *Undo* is shown. */
export function undoLast(): void {
  const latest = messages.value.findLast(({ undo }) => undo);
  if (latest) takeBack(latest);
}

/** Makes at once what waits for the end of its message: nobody may come back to press *Undo*. */
export function endHeld(): void {
  for (const { id, end } of messages.value) if (end) close(id);
}

/** Returns whether a control of the view is below a part of the screen. */
function coversControl(above: HTMLElement, { left, right, top, bottom }: DOMRect): boolean {
  for (let x = left; x <= right; x += LOOK_PX) {
    for (let y = top; y <= bottom; y += LOOK_PX) {
      const found = document.elementsFromPoint(x, y).find((element) => !above.contains(element));
      if (found?.closest(CONTROLS)) return true;
    }
  }
  return false;
}

/** Moves the messages up from the lower edge until they are over no control, if there is such a place below the middle. */
function findPlace(place: HTMLElement): void {
  place.style.removeProperty('--lift');
  const first = place.getBoundingClientRect();
  for (let lift = 0; first.top - lift > innerHeight / 2; lift += LOOK_PX) {
    if (coversControl(place, new DOMRect(first.x, first.y - lift, first.width, first.height))) continue;
    place.style.setProperty('--lift', `${lift}px`);
    return;
  }
}

/** Where it is said. A message stays as long as the pointer, or the focus, is on it. */
export function Said(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const { value: shown } = messages;
  useLayoutEffect(() => {
    const { current } = place;
    if (!current || shown.length === 0) return;
    // The view changes after the change that the message is about.
    const observer = new ResizeObserver(() => findPlace(current));
    for (const element of [current, document.body]) observer.observe(element);
    return () => observer.disconnect();
  }, [shown]);
  const wait = (): void => {
    for (const { id } of shown) clearTimeout(timers.get(id));
  };
  const goOn = (): void => {
    for (const message of messages.value) dropLater(message);
  };
  return (
    <div
      ref={place}
      role="status"
      aria-atomic={false}
      class="said"
      onPointerEnter={wait}
      onPointerLeave={goOn}
      onFocusIn={wait}
      onFocusOut={goOn}
    >
      {shown.map((message) => (
        <div key={message.id} class="toast">
          <bdi>{message.text}</bdi>
          {message.undo && (
            <Button
              kind="quiet"
              onClick={() => {
                takeBack(message);
                focusHeading();
              }}
            >
              {t.bar.messages.undo}
            </Button>
          )}
          {message.undo && <IconButton icon="close" label={t.bar.messages.dismiss} onClick={() => close(message.id)} />}
        </div>
      ))}
    </div>
  );
}
