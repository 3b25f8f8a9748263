import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { type Change, toError, useData } from '../data.ts';
import { HtmlFiles } from '../html-files.ts';
import { CodeArea, type Place, showPlace } from '../ui/code-area.tsx';
import { Labelled } from '../ui/field.tsx';
import { Findings } from '../ui/findings.tsx';
import { Form, FormEnd } from '../ui/form.tsx';
import { usePublishCheck } from '../ui/publish-check.tsx';
import { say } from '../ui/say.tsx';
import { LivePreview } from './live-preview.tsx';
import { PreviewLink } from './preview-link.tsx';
import './editor.css';

/** A page is checked and shown when nothing was typed for this time. */
const TYPING_MS = 500;

/** A text, once nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Problems that other files of a site may solve: they are in the check of the whole site. */
const OF_SITE: readonly Schemas['FormProblem']['code'][] = ['no-form', 'relative-asset'];

type CheckProps = { html: string; isOfSite: boolean; onShow(problem: Schemas['FormProblem']): void };

async function checkHtml(html: string, isOfSite: boolean, signal?: AbortSignal): Promise<Schemas['CheckedPage']> {
  const { problems, ...page } = await answer(api.POST('/check', { body: { html }, ...(signal && { signal }) }));
  return { ...page, problems: problems.filter(({ code }) => !isOfSite || !OF_SITE.includes(code)) };
}

function Check({ html, isOfSite, onShow }: CheckProps): JSX.Element {
  const { data: checked, error } = useData(html, (signal) => checkHtml(html, isOfSite, signal));
  return (
    <div aria-live="polite">
      {error && <p class="muted">The page could not be checked: {error.message}</p>}
      {checked && <Findings checked={checked} onShow={onShow} />}
      {checked && checked.title !== null && (
        <p class="muted">
          Browsers and the list of your pages call it <bdi>{checked.title}</bdi>, as its <code>{'<title>'}</code> says.
        </p>
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
  start,
  isOfSite = false,
  onPreview,
  children,
}: {
  html: string;
  onChange(html: string): void;
  onPublish(): unknown;
  onCancel(): void;
  change: Change;
  /** The place that is shown at first. */
  start?: Place;
  /** True if the page has other files. */
  isOfSite?: boolean;
  /** Makes a preview of what is typed, and returns its address. Left out: there is no page yet of which it could be one. */
  onPreview?(): Promise<string>;
  /** More fields. */
  children?: ComponentChildren;
}): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const show = (place: Place): void => {
    if (area.current) showPlace(area.current, place);
  };
  useEffect(() => {
    if (start) show(start);
  }, []);
  const settled = useSettled(html);
  const [isMissing, setMissing] = useState(false);
  const [dropError, setDropError] = useState<string>();
  const isEmpty = html.trim() === '';
  const { publishChecked, isChecking, question } = usePublishCheck();
  function submit(): unknown {
    setMissing(isEmpty);
    if (isEmpty || isChecking) return undefined;
    return publishChecked(
      () => checkHtml(html, isOfSite),
      onPublish,
      ({ problems }) =>
        problems
          .filter(({ severity }) => severity === 'error')
          .slice(0, 1)
          .forEach(show),
    );
  }
  async function drop(event: DragEvent): Promise<void> {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    const pages = new HtmlFiles();
    try {
      onChange(await pages.read(file));
      setDropError(undefined);
      if (pages.notice !== '') say(pages.notice);
    } catch (thrown) {
      setDropError(toError(thrown).message);
    }
  }
  return (
    <Form onSubmit={submit}>
      {question}
      {children && <div class="panes">{children}</div>}
      <div class="panes">
        <div class="stack">
          <Labelled
            label="HTML"
            hint={
              <>
                Paste it, or drop its file here. Write <code>method="post" action="{'{{FORM_ACTION}}'}"</code> in the
                form, or leave the action out: either way it is sent to you.
              </>
            }
            error={dropError ?? (isMissing && isEmpty ? 'Paste the page, or drop its file here.' : undefined)}
          >
            {(control) => (
              <CodeArea
                {...control}
                area={area}
                html={html}
                onInput={({ currentTarget }) => {
                  setDropError(undefined);
                  onChange(currentTarget.value);
                }}
                onDrop={drop}
              />
            )}
          </Labelled>
          {settled.trim() !== '' && <Check html={settled} isOfSite={isOfSite} onShow={show} />}
        </div>
        {settled.trim() !== '' && <LivePreview html={settled} />}
      </div>
      <FormEnd change={change} icon="upload" button="Publish" onCancel={onCancel}>
        {onPreview && !isEmpty && <PreviewLink html={html} make={onPreview} />}
      </FormEnd>
    </Form>
  );
}
