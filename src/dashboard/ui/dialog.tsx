import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Change } from '../data.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Field } from './field.tsx';
import { Form, FormEnd } from './form.tsx';

/** A dialog over the view, open as long as it is there; the browser keeps the focus in it. Without `onClose` it stays. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose?: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the next key is handled: it may move the focus.
  useLayoutEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      // A dialog that was removed has not given the focus back.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser closes it all the same when Escape is pressed twice.
      onClose={({ currentTarget }) => {
        if (!currentTarget.isConnected) return;
        if (onClose) onClose();
        else currentTarget.showModal();
      }}
    >
      <div class="stack">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** The question before an action; with `typed`, that name has to be typed first. */
export type Question = { title: string; text: ComponentChildren; button: string; typed?: string };

/** Returns what two names that people take for the same have in common: upper case, accents as one or two characters, and spaces don't matter. */
const comparable = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

export function ConfirmDialog({
  title,
  text: question,
  button,
  typed,
  change,
  onConfirm,
  onClose,
  children,
}: Question & {
  change: Change;
  onConfirm(): unknown;
  onClose(): void;
  /** More about what is done. */
  children?: ComponentChildren;
}): JSX.Element {
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isWrong = typed !== undefined && comparable(text) !== comparable(typed);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        // What opened it needs something.
        needs="nothing"
        onSubmit={() => {
          setChecked(true);
          if (!isWrong) onConfirm();
        }}
      >
        <p>{question}</p>
        {children}
        {typed !== undefined && (
          <Field
            label={fill(t.bar.confirm.label, { name: typed })}
            value={text}
            onChange={setText}
            autoComplete="off"
            error={isChecked && isWrong ? fill(t.bar.confirm.wrong, { name: typed }) : undefined}
          />
        )}
        <FormEnd change={change} kind="danger" button={button} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
