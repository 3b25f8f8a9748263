import type { JSX } from 'preact';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { TypedField } from './typed-field.tsx';

type Option = { value: string; label: string };

/** The options of a choice. `step`: changes with one name are undone together. */
export function OptionList({
  options,
  onChange,
}: {
  options: readonly Option[];
  onChange(options: Option[], step?: string): void;
}): JSX.Element {
  return (
    <fieldset class="options">
      <legend>{t.editor.options.heading}</legend>
      {options.map(({ label }, index) => (
        <div key={index} class="option">
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
        onClick={() =>
          onChange([...options, { value: '', label: fill(t.editor.options.words, { number: options.length + 1 }) }])
        }
      >
        {t.editor.options.add}
      </Button>
    </fieldset>
  );
}
