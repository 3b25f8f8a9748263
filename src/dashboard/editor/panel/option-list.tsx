import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { TypedField } from './typed-field.tsx';

type Option = { value: string; label: string };

/** What an option says until it has words of its own. */
export const optionWords = (index: number): string => fill(t.editor.options.words, { number: index + 1 });

/** The options of a choice. `step`: changes with one name are undone together. */
export function OptionList({
  options,
  onChange,
}: {
  options: readonly Option[];
  onChange(options: Option[], step?: string): void;
}): JSX.Element {
  const list = useRef<HTMLFieldSetElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
  }, [options.length]);
  return (
    <fieldset class="options" ref={list}>
      <legend>{t.editor.options.heading}</legend>
      {options.map(({ label }, index) => (
        <div
          key={index}
          class="option"
          // The first letter that is typed takes the place of the words that stand for it.
          onFocusIn={({ target }) => {
            if (target instanceof HTMLInputElement && label === optionWords(index)) target.select();
          }}
        >
          <TypedField
            isNeeded
            label={fill(t.editor.options.numbered, { number: index + 1 })}
            value={label}
            onChange={(typed) =>
              onChange(options.with(index, { value: options[index]?.value ?? '', label: typed }), `option:${index}`)
            }
          />
          {options.length > 1 && (
            <IconButton
              icon="close"
              label={fill(t.editor.options.remove, { number: index + 1 })}
              onClick={() => onChange(options.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
      <Button
        kind="quiet"
        icon="plus"
        onClick={() => {
          isAdding.current = true;
          onChange([...options, { value: '', label: optionWords(options.length) }]);
        }}
      >
        {t.editor.options.add}
      </Button>
    </fieldset>
  );
}
