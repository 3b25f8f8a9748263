import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { faultOf } from '../../problems/line-faults.ts';
import { toError, useData } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { droppedFiles } from '../sites.ts';
import { counted, language, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { FileButton } from '../ui/site-chooser.tsx';
import { Shown } from '../ui/states.tsx';
import type { Progress } from '../upload.ts';
import { ColumnChoice, FirstRows } from './import/column-choice.tsx';
import { type Choice, importFile, type Preview, previewFile, queryOf } from './import/import-file.ts';

/** The fault of a line. `message`: the sentence of the service, in English. */
function Fault({ message }: { message: string }): JSX.Element {
  const fault = language === 'en' ? null : faultOf(message);
  if (!fault) return <bdi lang="en">{message}</bdi>;
  return <Rich text={t.importing.faults[fault.code]} with={{ value: fault.values.value ?? '' }} />;
}

/** The lines of a file that are wrong, and why. */
const Lines = ({ errors }: { errors: Preview['errors'] }): JSX.Element => (
  <ul>
    {errors.map(({ line, message }, index) => (
      <li key={index}>
        <Rich text={t.importing.rows.wrong} with={{ line: <>{line}</>, message: <Fault message={message} /> }} />
      </li>
    ))}
  </ul>
);

/** Lets one choose or drop the file. */
const Chooser = ({ name, onFile }: { name: string | undefined; onFile(file: File): void }): JSX.Element => (
  // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same.
  <div
    class="stack drop"
    onDragOver={(event) => event.preventDefault()}
    onDrop={async (event) => {
      event.preventDefault();
      const [dropped] = event.dataTransfer ? await droppedFiles(event.dataTransfer) : [];
      if (dropped) onFile(dropped.file);
    }}
  >
    {name === undefined ? (
      <p>{t.importing.file.drop}</p>
    ) : (
      <strong>
        <bdi>{name}</bdi>
      </strong>
    )}
    <div class="buttons">
      <FileButton icon="upload" onFiles={([first]) => first && onFile(first.file)}>
        {name === undefined ? t.importing.file.choose : t.importing.file.chooseAnother}
      </FileButton>
    </div>
  </div>
);

/** How far an import is. */
const Going = ({ progress: { sent, total } }: { progress: Progress }): JSX.Element => (
  <div role="status">
    <label>
      {sent < total ? t.importing.file.sending : t.importing.file.storing}{' '}
      <progress {...(sent < total && { value: sent, max: total })} />
    </label>
  </div>
);

type Outcome = Schemas['Imported'] | Error;

/** The outcome of an import. */
function Result({ page, outcome }: { page: Page; outcome: Outcome }): JSX.Element {
  if (outcome instanceof Error) return <Notice isProblem>{outcome.message}</Notice>;
  if (outcome.errors.length === 0) {
    return (
      <div class="stack" role="status">
        <p>{counted(t.importing.imported, outcome.imported)}</p>
        <div>
          <ButtonLink kind="main" icon="mail" href={pageLinks(page.id).inbox}>
            {t.importing.openInbox}
          </ButtonLink>
        </div>
      </div>
    );
  }
  return (
    <Notice isProblem>
      <p>{t.importing.failed}</p>
      <Lines errors={outcome.errors} />
    </Notice>
  );
}

/** Returns whether no column is the time, which each row needs where there are submissions. */
const lacksTime = ({ has_submissions }: Preview, { uses }: Choice): boolean =>
  has_submissions && !uses.includes('time');

/** The reasons why a file, or lines of it, can't be imported. */
const Obstacles = ({ preview, choice }: { preview: Preview; choice: Choice }): JSX.Element => (
  <>
    {preview.rows.length === 0 && preview.errors.length === 0 && <p class="muted">{t.importing.rows.none}</p>}
    {lacksTime(preview, choice) && <Notice isProblem>{t.importing.rows.needTime}</Notice>}
    {preview.errors.length > 0 && (
      <Notice isProblem>
        <Lines errors={preview.errors.slice(0, 5)} />
      </Notice>
    )}
  </>
);

/** A file with what its columns are, and its import. */
function Chosen({ page, file, onImported }: { page: Page; file: File; onImported(): void }): JSX.Element {
  const [choice, setChoice] = useState<Choice>();
  const [columns, setColumns] = useState<Preview['columns']>([]);
  const [progress, setProgress] = useState<Progress>();
  const [outcome, setOutcome] = useState<Outcome>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const query = choice && queryOf({ columns }, choice);
  const loaded = useData(
    `import:${file.name}:${file.lastModified}:${JSON.stringify(query ?? null)}`,
    async (signal) => {
      const read = await previewFile(page.id, file, query, signal);
      setColumns(read.columns);
      return read;
    },
  );
  // The table stays while it is read again, so that the control that was changed keeps the focus.
  const last = useRef<Preview>(undefined);
  last.current = loaded.data ?? last.current;
  const shown = { ...loaded, data: last.current };
  const shownChoice = choice ?? { uses: last.current?.columns.map(({ use }) => use) ?? [], dateOrder: '' };
  const choose = (changed: Choice): void => {
    setOutcome(undefined);
    setChoice(changed);
  };
  async function start(preview: Preview): Promise<void> {
    const current = new AbortController();
    running.current = current;
    setOutcome(undefined);
    setProgress({ sent: 0, total: file.size });
    try {
      const sent = { signal: current.signal, onProgress: setProgress };
      const imported = await importFile(page.id, file, queryOf(preview, shownChoice), sent);
      setOutcome(imported);
      if (imported.imported > 0) onImported();
    } catch (error) {
      if (!current.signal.aborted) setOutcome(toError(error));
    } finally {
      setProgress(undefined);
    }
  }
  const isDone = outcome !== undefined && !(outcome instanceof Error) && outcome.errors.length === 0;
  if (isDone) return <Result page={page} outcome={outcome} />;
  return (
    <Shown loaded={shown} label={t.importing.file.reading}>
      {(preview) => (
        <>
          <Section title={t.importing.columns.title} hint={t.importing.columns.hint}>
            <ColumnChoice preview={preview} choice={shownChoice} onChoose={choose} />
          </Section>
          <Section title={t.importing.rows.title}>
            {preview.rows.length > 0 && <FirstRows preview={preview} choice={shownChoice} />}
            <Obstacles preview={preview} choice={shownChoice} />
            {progress && <Going progress={progress} />}
            {!progress && preview.rows.length > 0 && !lacksTime(preview, shownChoice) && (
              <div class="buttons">
                <Button kind="main" onClick={() => start(preview)}>
                  {t.importing.start}
                </Button>
              </div>
            )}
            <div role="alert">{outcome && <Result page={page} outcome={outcome} />}</div>
          </Section>
        </>
      )}
    </Shown>
  );
}

/** Brings submissions from elsewhere into the inbox of a page. */
function Import({ page, onImported }: { page: Page; onImported(): void }): JSX.Element {
  const [file, setFile] = useState<File>();
  return (
    <div class="view stack">
      <Section title={t.importing.section} hint={t.importing.hint}>
        <Chooser name={file?.name} onFile={setFile} />
      </Section>
      {file && (
        <Chosen
          key={`${file.name}:${file.lastModified}:${file.size}`}
          page={page}
          file={file}
          onImported={onImported}
        />
      )}
    </div>
  );
}

const ImportView = (): JSX.Element => (
  <PageView needs="POST /submissions/{deployId}/import" title={t.importing.title}>
    {(page, reload) => <Import key={page.id} page={page} onImported={reload} />}
  </PageView>
);

export default ImportView;
