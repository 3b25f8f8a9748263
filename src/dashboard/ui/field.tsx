import { type ComponentChildren, h, type JSX, type RefObject, type TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';

type Shared = {
  label: string;
  /** What to type, below the label. */
  hint?: ComponentChildren;
  error?: string | undefined;
};

/** What a control says about its label, hint and error; and these three, to put around it. */
function useDescription({ hint, error }: Omit<Shared, 'label'>) {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])].join(' ');
  return {
    control: {
      id,
      'aria-describedby': described === '' ? undefined : described,
      'aria-invalid': error ? true : undefined,
    },
    hintLine: hint ? (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    ) : undefined,
    errorLine: error ? (
      <p class="error" id={`${id}-error`} role="alert">
        {error}
      </p>
    ) : undefined,
    id,
  };
}

type Text = Shared & {
  value: string;
  onChange(value: string): void;
  type?: 'text' | 'password' | 'email' | 'url' | 'date' | 'datetime-local';
  name?: string;
  autoComplete?: string;
  placeholder?: string;
  inputMode?: 'numeric' | 'url' | 'email';
  max?: number;
};

export function Field({ label, value, onChange, max, ...rest }: Text): JSX.Element {
  const { hint, error, ...input } = rest;
  const { control, hintLine, errorLine, id } = useDescription({ hint, error });
  const attributes = {
    ...control,
    ...input,
    value,
    maxLength: max,
    dir: 'auto',
    spellcheck: false,
    autocapitalize: 'none',
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onChange(currentTarget.value),
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hintLine}
      {/* In JSX, each type of an input has attributes of its own. */}
      {h('input', attributes)}
      {errorLine}
    </div>
  );
}

export function TextArea({
  label,
  value,
  onChange,
  rows,
  isCode,
  area,
  ...rest
}: Shared & {
  value: string;
  onChange(value: string): void;
  rows: number;
  isCode?: boolean;
  area?: RefObject<HTMLTextAreaElement | null>;
}): JSX.Element {
  const { control, hintLine, errorLine, id } = useDescription(rest);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hintLine}
      <textarea
        {...control}
        {...(area && { ref: area })}
        class={isCode ? 'code' : undefined}
        rows={rows}
        value={value}
        dir="auto"
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {errorLine}
    </div>
  );
}

export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  ...rest
}: Shared & {
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}): JSX.Element {
  const { control, hintLine, errorLine, id } = useDescription(rest);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hintLine}
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
      {errorLine}
    </div>
  );
}

export function Checkbox({
  label,
  isOn,
  onChange,
  ...rest
}: Shared & { isOn: boolean; onChange(isOn: boolean): void }): JSX.Element {
  const { control, hintLine, errorLine, id } = useDescription(rest);
  return (
    <div class="field check">
      <input
        {...control}
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hintLine}
        {errorLine}
      </div>
    </div>
  );
}
