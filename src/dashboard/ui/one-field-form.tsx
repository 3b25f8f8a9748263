import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FieldLabels } from '../dashboard-words.ts';
import { useChange } from '../data.ts';
import type { Needs } from '../permissions.ts';
import { Button, type ButtonProps } from './button.tsx';
import { Field, type FieldProps } from './field.tsx';
import { Form } from './form.tsx';

/** A form of one field: what is wrong with its text is said at the field. */
export function OneFieldForm({
  needs,
  field,
  isRight = () => true,
  wrong,
  button,
  labels,
  run,
  done,
}: {
  needs: Needs;
  field: Pick<FieldProps, 'label' | 'hint' | 'type' | 'name' | 'autoComplete' | 'inputMode'>;
  /** Left out: the service says what is wrong. */
  isRight?(text: string): boolean;
  /** The error of a text that is not right. */
  wrong?: string;
  button: Pick<ButtonProps, 'kind' | 'icon' | 'children'>;
  /** The names of what is sent, for sentences. */
  labels?: FieldLabels;
  run(text: string): Promise<unknown>;
  /** The message afterwards. */
  done?: ComponentChildren;
}): JSX.Element {
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { change, run: make } = useChange({ labels });
  const typed = text.trim();
  const problem =
    change.state === 'failed' ? [...Object.values(change.atFields), change.message].join('\n') : undefined;
  async function submit(): Promise<void> {
    setChecked(true);
    if (!isRight(typed) || !(await make(async () => void (await run(typed))))) return;
    setText('');
    setChecked(false);
  }
  return (
    <Form needs={needs} onSubmit={submit}>
      <Field {...field} value={text} onChange={setText} error={isChecked && !isRight(typed) ? wrong : problem} />
      <Button {...button} isBusy={change.state === 'saving'} />
      <p role="status" class="hint">
        {change.state === 'saved' && done}
      </p>
    </Form>
  );
}
