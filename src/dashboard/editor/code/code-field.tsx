import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { toError, useData } from '../../data.ts';
import { HtmlFiles } from '../../html-files.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Button, Toggle } from '../../ui/button.tsx';
import { say } from '../../ui/say.tsx';
import { Shown } from '../../ui/states.tsx';
import type { CodeEditor, CodePlace } from './code-editor.ts';
import './code-field.css';

type CodeProps = {
  /** The name of the file. */
  path: string;
  /** The name for people. */
  label: string;
  text: string;
  /** `step`: changes with one name are undone together. */
  onChange(text: string, step?: string): void;
  onUndo(): void;
  onRedo(): void;
  /** The place that is shown, each time that another object is given. */
  place?: CodePlace | undefined;
  error?: string | undefined;
};

type EditingProps = Omit<CodeProps, 'error'> & {
  make: typeof CodeEditor;
  error: string | undefined;
  isWrapped: boolean;
};

/** Reads a page that was dropped, in its charset. */
async function readDropped(file: File): Promise<string> {
  const pages = new HtmlFiles();
  const text = await pages.read(file);
  if (pages.notice !== '') say(pages.notice);
  return text;
}

/** The place of the editor, which keeps its own DOM. */
function Editing({
  make: Make,
  editor,
  onDropError,
  ...props
}: EditingProps & {
  editor: { current: CodeEditor | null };
  onDropError(text: string | undefined): void;
}): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { path, label, text, place, error, isWrapped } = props;
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new Make(root, path, text, {
      onChange: (changed, step) => {
        onDropError(undefined);
        latest.current.onChange(changed, step);
      },
      onUndo: () => latest.current.onUndo(),
      onRedo: () => latest.current.onRedo(),
      onDropFile: async (file) => {
        try {
          latest.current.onChange(await readDropped(file));
          onDropError(undefined);
        } catch (thrown) {
          onDropError(toError(thrown).message);
        }
      },
    });
    editor.current = made;
    if (!place) made.showBody();
    return () => {
      editor.current = null;
      made.close();
    };
  }, [path]);
  useEffect(() => editor.current?.describe(label, error), [label, error]);
  useEffect(() => editor.current?.set(text), [text]);
  useEffect(() => editor.current?.wrap(isWrapped), [isWrapped]);
  useEffect(() => {
    if (place) editor.current?.show(place);
  }, [place]);
  useEffect(() => {
    if (error !== undefined) editor.current?.focus();
  }, [error]);
  return <div ref={host} class="code-editor" />;
}

/** The text of a file, with its buttons. The editor is loaded when it is shown first. */
export function CodeField({ hint, ...props }: CodeProps & { hint: ComponentChildren }): JSX.Element {
  const loaded = useData('code-editor', () => import('./code-editor.ts'));
  const editor = useRef<CodeEditor>(null);
  const [isWrapped, setWrapped] = useState(true);
  const [dropError, setDropError] = useState<string>();
  const error = dropError ?? props.error;
  return (
    <div class="field code-field">
      <div class="spread">
        <span class="code-label" aria-hidden="true">
          {props.label}
        </span>
        <div class="buttons">
          <Button kind="quiet" icon="search" onClick={() => editor.current?.find()}>
            {t.editor.code.find}
          </Button>
          <Toggle isOn={isWrapped} onSwitch={() => setWrapped(!isWrapped)}>
            {t.editor.code.wrapLines}
          </Toggle>
        </div>
      </div>
      <p class="hint">{hint}</p>
      <Shown loaded={loaded} label={t.editor.edit.loadingEditor}>
        {({ CodeEditor: make }) => (
          <Editing {...props} {...{ make, editor, isWrapped, error }} onDropError={setDropError} />
        )}
      </Shown>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
