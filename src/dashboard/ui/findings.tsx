import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { counted, fill, language, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';

type Checked = Schemas['CheckedPage'];
type Problem = Schemas['FormProblem'];

const summaryOf = ({ forms, problems }: Checked): string => {
  const here = forms.filter(({ submits_here: isHere }) => isHere);
  // People see no honeypot, and no field that says what to do with the others.
  const fields = here.flatMap((form) => form.fields).filter(({ name }) => !name.startsWith('_')).length;
  const found =
    here.length === 0
      ? t.page.findings.noForm
      : fill(t.page.findings.forms, {
          forms: counted(t.shared.counts.forms, here.length),
          fields: counted(t.shared.counts.fields, fields),
        });
  if (problems.length === 0) return `${found} ${t.page.findings.nothing}`;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  const { toCorrect, toLookAt } = t.page.findings;
  return `${found} ${hasErrors ? counted(toCorrect, problems.length) : counted(toLookAt, problems.length)}`;
};

/** A finding in the language of the dashboard. The service says in English what to write. */
const Finding = ({ code, message }: Problem): JSX.Element =>
  language === 'en' ? (
    <bdi>{message}</bdi>
  ) : (
    <>
      {t.findings[code]}{' '}
      <bdi class="muted" lang="en">
        {message}
      </bdi>
    </>
  );

/** The findings of the form check, each with its line; `onShow` shows that line in the HTML. */
export const Findings = ({
  checked,
  onShow,
}: {
  checked: Checked;
  onShow?: (problem: Problem) => void;
}): JSX.Element => (
  <div class="findings stack">
    <p class={checked.problems.length === 0 ? 'saved' : undefined}>
      <Icon name={checked.problems.length === 0 ? 'done' : 'check'} />
      {summaryOf(checked)}
    </p>
    {checked.problems.length > 0 && (
      <ul class="stack">
        {checked.problems.map((problem) => {
          const { severity, file, line, column, code } = problem;
          const texts = file === undefined ? t.page.findings.at : t.page.findings.inFile;
          // The editor has this file of a site.
          const isInEditor = file === undefined || file === 'index.html';
          return (
            <li key={`${file}:${code}:${line}:${column}`}>
              <Notice isProblem={severity === 'error'}>
                <Rich
                  text={texts[severity]}
                  with={{
                    place: (label) =>
                      onShow && isInEditor ? (
                        <button type="button" class="link" onClick={() => onShow(problem)}>
                          {label}
                        </button>
                      ) : (
                        <span>{label}</span>
                      ),
                    file: <>{file}</>,
                    line: <>{line}</>,
                    message: <Finding {...problem} />,
                  }}
                />
              </Notice>
            </li>
          );
        })}
      </ul>
    )}
  </div>
);
