import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Change } from '../data.ts';
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

/** The question before an action; with `typed`, that text has to be typed first. */
export type Question = { title: string; text: ComponentChildren; button: string; typed?: string };

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
  const [isWrong, setWrong] = useState(false);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (typed !== undefined && text.trim() !== typed) setWrong(true);
          else onConfirm();
        }}
      >
        <p>{question}</p>
        {children}
        {typed !== undefined && (
          <Field
            label={`Type ${typed} to confirm`}
            value={text}
            onChange={setText}
            autoComplete="off"
            error={isWrong && text.trim() !== typed ? `Type ${typed} exactly.` : undefined}
          />
        )}
        <FormEnd change={change} kind="danger" button={button} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
