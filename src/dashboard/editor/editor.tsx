import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import type { Change } from '../data.ts';
import { Button } from '../ui/button.tsx';
import { Labelled } from '../ui/field.tsx';
import { Findings } from '../ui/findings.tsx';
import { Form } from '../ui/form.tsx';
import { NotSaved } from '../ui/states.tsx';
import { useCheck, useSettled } from './check.ts';
import { CodeArea, showPlace } from './code-area.tsx';
import { LivePreview } from './live-preview.tsx';

type OnFile = (file: File | undefined) => void;

const FileInput = ({ onFile }: { onFile: OnFile }): JSX.Element => (
  <Labelled label="Choose a file, or drop it here" hint="An HTML page.">
    {(control) => (
      <input
        {...control}
        type="file"
        accept=".html,.htm,text/html"
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
      />
    )}
  </Labelled>
);

function Check({ html, onShow }: { html: string; onShow(problem: Schemas['Problem']): void }): JSX.Element {
  const checked = useCheck(html);
  return (
    <div aria-live="polite">
      {typeof checked === 'string' && <p class="muted">{checked}</p>}
      {checked instanceof Object && (
        <>
          <Findings checked={checked} onShow={onShow} />
          {checked.title !== null && (
            <p class="muted">
              Browsers and the list of your pages call it <bdi>{checked.title}</bdi>, as its <code>{'<title>'}</code>{' '}
              says.
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** HTML with its check and its preview, and the button that publishes it. */
export function Editor({
  html,
  onChange,
  onPublish,
  onCancel,
  change,
  children,
}: {
  html: string;
  onChange(html: string): void;
  onPublish(): unknown;
  onCancel(): void;
  change: Change;
  /** More fields. */
  children?: ComponentChildren;
}): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const settled = useSettled(html);
  const [isMissing, setMissing] = useState(false);
  const isEmpty = html.trim() === '';
  const read: OnFile = async (file) => {
    if (file) onChange(await file.text());
  };
  function submit(): void {
    setMissing(isEmpty);
    if (!isEmpty) onPublish();
  }
  const error = isMissing && isEmpty ? 'Paste the page, or choose its file.' : undefined;
  return (
    <Form class={isEmpty ? undefined : 'editing'} onSubmit={submit}>
      <div class="panes">
        <FileInput onFile={read} />
        {children}
      </div>
      <div class="panes">
        <div class="stack">
          <CodeArea area={area} html={html} onChange={onChange} onFile={read} error={error} />
          <Check html={settled} onShow={(problem) => area.current && showPlace(area.current, problem)} />
        </div>
        {settled.trim() !== '' && <LivePreview html={settled} />}
      </div>
      <div class="editor-foot">
        <NotSaved change={change} />
        <div class="buttons end">
          <Button onClick={onCancel}>Cancel</Button>
          <Button kind="main" icon="upload" isBusy={change.state === 'saving'}>
            Publish
          </Button>
        </div>
      </div>
    </Form>
  );
}
