import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { oneLine, withBlanksOf } from '../source/kept-blanks.ts';

/**
 * A field of a part of the HTML. While it has the focus, it shows what is typed: the HTML has it without blanks at its ends, and with
 * line breaks. `isNeeded`: an empty text is no change.
 */
export function TypedField({
  value,
  isNeeded = false,
  onChange,
  ...field
}: {
  label: string;
  hint?: ComponentChildren;
  value: string;
  isNeeded?: boolean;
  onChange(value: string): void;
}): JSX.Element {
  const [typed, setTyped] = useState<string>();
  return (
    <div class="typed-field" onFocusOut={() => setTyped(undefined)}>
      <Field
        {...field}
        value={typed ?? oneLine(value)}
        onChange={(text) => {
          setTyped(text);
          if (!isNeeded || text.trim() !== '') onChange(withBlanksOf(value, text));
        }}
      />
    </div>
  );
}
