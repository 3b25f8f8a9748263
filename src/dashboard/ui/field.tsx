import { type ComponentChildren, h, type JSX, type TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';

type Shared = {
  label: string;
  /** A hint about the value, below the label. */
  hint?: ComponentChildren;
  error?: string | undefined;
};

type ControlProps = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** A control with its label, hint and error. */
export function Labelled({
  label,
  hint,
  error,
  class: className = 'field',
  children,
}: Shared & { class?: string; children(control: ControlProps): JSX.Element }): JSX.Element {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])].join(' ');
  return (
    <div class={className}>
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p class="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export type FieldProps = Shared & {
  value: string;
  onChange(value: string): void;
  type?: 'text' | 'password' | 'email' | 'url' | 'date' | 'datetime-local';
  name?: string;
  autoComplete?: string;
  inputMode?: 'numeric' | 'url' | 'email';
  max?: number;
};

/** For values that are no sentences. */
const AS_TYPED = { dir: 'auto', spellcheck: false, autocapitalize: 'none' } as const;

export const Field = ({ label, hint, error, onChange, max, ...rest }: FieldProps): JSX.Element => (
  <Labelled label={label} hint={hint} error={error}>
    {(control) => {
      const onInput = ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onChange(currentTarget.value);
      const attributes = { ...control, ...AS_TYPED, ...rest, maxLength: max, onInput };
      // In JSX, each type of an input has attributes of its own.
      return h('input', attributes);
    }}
  </Labelled>
);

export const TextArea = ({
  value,
  onChange,
  rows,
  placeholder,
  ...shared
}: Shared & {
  value: string;
  onChange(value: string): void;
  rows: number;
  placeholder?: string;
}): JSX.Element => (
  <Labelled {...shared}>
    {(control) => (
      <textarea
        {...control}
        {...AS_TYPED}
        rows={rows}
        placeholder={placeholder}
        value={value}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Labelled>
);

export const Select = <Value extends string>({
  value,
  options,
  onChange,
  ...shared
}: Shared & {
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}): JSX.Element => (
  <Labelled {...shared}>
    {(control) => (
      <select
        {...control}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

export const Checkbox = ({
  isOn,
  onChange,
  ...shared
}: Shared & { isOn: boolean; onChange(isOn: boolean): void }): JSX.Element => (
  <Labelled {...shared} class="field check">
    {(control) => (
      <input
        {...control}
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )}
  </Labelled>
);
