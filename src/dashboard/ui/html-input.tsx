import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { TextArea } from './field.tsx';
import { Icon } from './icon.tsx';

/** A page as HTML: pasted, dropped, or chosen as a file. */
export function HtmlInput({
  html,
  onChange,
  error,
}: {
  html: string;
  onChange(html: string): void;
  error?: string | undefined;
}): JSX.Element {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [fileName, setFileName] = useState<string>();
  async function read(file: File | undefined): Promise<void> {
    if (!file) return;
    onChange(await file.text());
    setFileName(file.name);
  }
  return (
    <div class="html-input">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same. */}
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void read(event.dataTransfer?.files[0]);
        }}
      >
        <Icon name="upload" />
        <p>
          <label class="file" for={id}>
            <input
              id={id}
              class="unseen"
              type="file"
              accept=".html,.htm,text/html"
              onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
            />
            <span class="button">Choose a file</span>
          </label>{' '}
          <span class="muted">or drop it here</span>
        </p>
        <p role="status" class="muted" dir="auto">
          {fileName}
        </p>
      </div>
      <TextArea
        label="HTML"
        hint={
          <>
            Or paste it. Write <code>action="{'{{FORM_ACTION}}'}"</code> in the form, or leave the action out: either
            way it is sent to you.
          </>
        }
        value={html}
        onChange={(text) => {
          setFileName(undefined);
          onChange(text);
        }}
        rows={14}
        isCode
        error={error}
      />
    </div>
  );
}
