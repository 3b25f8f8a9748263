import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Change } from '../data.ts';
import { isHtml } from '../html-files.ts';
import { INDEX } from '../sites.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Toggle } from '../ui/button.tsx';
import { Form, FormEnd } from '../ui/form.tsx';
import { usePublishCheck } from '../ui/publish-check.tsx';
import type { CodePlace } from './code/code-editor.ts';
import { CodeField } from './code/code-field.tsx';
import { DraftProblem } from './draft/draft-problem.tsx';
import type { DraftState } from './draft/page-draft.ts';
import { checkHtml, PageCheck, useSettled } from './page-check.tsx';
import { PageMode } from './page-mode.tsx';
import type { CountField } from './panel/form-fields-panel.tsx';
import { PreviewLink } from './preview-link.tsx';
import type { SiteDrafts } from './site/site-drafts.ts';
import { TryPage } from './site/try-page.tsx';
import { UndoButtons } from './undo-buttons.tsx';
import { useHistory } from './use-history.ts';
import './editor.css';

/** The settings are beside the page where there is room. */
const MODES = ['page', 'settings', 'code', 'try'] as const;

type Mode = (typeof MODES)[number];

const ModeSwitch = ({ mode, onSwitch }: { mode: Mode; onSwitch(mode: Mode): void }): JSX.Element => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
  <div class="buttons" role="group" aria-label={t.editor.modes.label}>
    {MODES.map((each) => (
      <span key={each} class={`mode-${each}`}>
        <Toggle isOn={mode === each} onSwitch={() => onSwitch(each)}>
          {t.editor.modes[each]}
        </Toggle>
      </span>
    ))}
  </div>
);

export type EditorProps = {
  /** The file of a site that is edited. */
  path?: string;
  html: string;
  onChange(html: string): void;
  onPublish(): unknown;
  onCancel(): void;
  change: Change;
  /** The place in the code that is shown at first. */
  start?: CodePlace;
  /** True if the page has other files. */
  isOfSite?: boolean;
  /** The address of the live page, where its files are. */
  base?: string;
  /** The other files of a site, as far as they are not published; and above the page, which ones are shown so. */
  drafts?: SiteDrafts | undefined;
  draftsNotice?: ComponentChildren;
  /** Lets one choose a file for an image, and passes its address on. Left out: there is no page yet that it could be a file of. */
  images?(use: (src: string) => void): ComponentChildren;
  /** Counts the submissions that have a field. */
  countField?: CountField;
  /** Makes a preview of what is typed, and returns its address. Left out: there is no page yet of which it could be one. */
  onPreview?(): Promise<string>;
  /** True if what is shown is not live. */
  isChanged: boolean;
  /** How the account keeps what is typed. */
  kept: DraftState;
  /** True if it is a finished page that was not published yet: its title follows its heading. */
  isNew?: boolean;
  /** Above the page. */
  children?: ComponentChildren;
  /** Fields above the button that publishes. */
  end?: ComponentChildren;
};

const HINT = <Rich text={t.editor.code.hint} with={{ attributes: <>{'method="post" action="{{FORM_ACTION}}"'}</> }} />;

/** A page that is edited where its texts stand, or as HTML, with its check, and the button that publishes it. */
export function Editor(props: EditorProps): JSX.Element {
  const {
    path = INDEX,
    html,
    onChange,
    onPublish,
    change,
    start,
    isOfSite = false,
    isNew = false,
    drafts,
    onPreview,
  } = props;
  const isPage = isHtml(path);
  const edited = useHistory(html, onChange);
  const [mode, setMode] = useState<Mode>(start || !isPage || html.trim() === '' ? 'code' : 'page');
  const [place, setPlace] = useState(start);
  const settled = useSettled(html);
  const [isMissing, setMissing] = useState(false);
  const isEmpty = html.trim() === '';
  // Other files of a site may be empty.
  const lacksPage = isEmpty && path === INDEX;
  const { publishChecked, isChecking, question } = usePublishCheck();
  const show = ({ line, column }: CodePlace): void => {
    setPlace({ line, column });
    setMode('code');
  };
  function switchTo(wanted: Mode): void {
    setPlace(undefined);
    setMode(wanted);
  }
  function submit(): unknown {
    setMissing(lacksPage);
    if (lacksPage) setMode('code');
    if (lacksPage || isChecking) return undefined;
    if (!isPage || isEmpty) return onPublish();
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
  const check = isPage && settled.trim() !== '' && (
    <PageCheck html={settled} isOfSite={isOfSite} isCode={mode === 'code'} onShow={show} />
  );
  return (
    <Form
      // The views are for people who may publish.
      needs="nothing"
      class="editor"
      onSubmit={submit}
    >
      {question}
      {props.children}
      <div class="editor-bar">
        {isPage && <ModeSwitch mode={mode} onSwitch={switchTo} />}
        <div class="buttons">
          <span role="status">{props.isChanged && <span class="badge warn">{t.editor.notPublished}</span>}</span>
          <UndoButtons {...edited} />
        </div>
      </div>
      <DraftProblem kept={props.kept} />
      {mode !== 'code' && props.draftsNotice}
      {(mode === 'page' || mode === 'settings') && (
        <PageMode
          {...{ html, edited, drafts, isNew }}
          side={mode}
          base={props.base}
          onCode={show}
          images={props.images ?? (() => <p class="hint">{t.editor.place.publishFirst}</p>)}
          countField={props.countField}
        >
          {check}
        </PageMode>
      )}
      {mode === 'code' && (
        <>
          <CodeField
            path={path}
            label={isPage ? t.editor.code.label : path}
            hint={isPage ? HINT : t.editor.code.fileHint}
            text={html}
            onChange={edited.change}
            onUndo={edited.undo}
            onRedo={edited.redo}
            place={place}
            error={isMissing && lacksPage ? t.editor.code.missing : undefined}
          />
          {check}
        </>
      )}
      {mode === 'try' && settled.trim() !== '' && (
        <TryPage html={settled} url={props.base} drafts={drafts} hasLink={onPreview !== undefined} />
      )}
      {props.end}
      <FormEnd change={change} icon="upload" button={t.editor.publish} onCancel={props.onCancel}>
        {onPreview && !isEmpty && <PreviewLink html={html} make={onPreview} />}
      </FormEnd>
    </Form>
  );
}
