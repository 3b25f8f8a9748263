import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { counted } from './time.tsx';

type Checked = Schemas['CheckedPage'];
type Problem = Schemas['FormProblem'];

const SEVERITIES = { error: 'Error', warning: 'Warning' };

const summaryOf = ({ forms, problems }: Checked): string => {
  const here = forms.filter(({ submits_here: isHere }) => isHere);
  // People see no honeypot, and no field that says what to do with the others.
  const fields = here.flatMap((form) => form.fields).filter(({ name }) => !name.startsWith('_')).length;
  const found =
    here.length === 0
      ? 'No form of this page is sent here'
      : `${counted(here.length, 'form')}, ${counted(fields, 'field')}`;
  if (problems.length === 0) return `${found}. Nothing to correct.`;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return `${found}. ${counted(problems.length, 'thing')} to ${hasErrors ? 'correct' : 'look at'}:`;
};

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
          const { severity, message, file, line, column, code } = problem;
          const place = file === undefined ? `line ${line}` : `${file}, line ${line}`;
          // The editor has this file of a site.
          const isInEditor = file === undefined || file === 'index.html';
          return (
            <li key={`${file}:${code}:${line}:${column}`}>
              <Notice isProblem={severity === 'error'}>
                <strong>{SEVERITIES[severity]}</strong>
                {', '}
                {onShow && isInEditor ? (
                  <button type="button" class="link" onClick={() => onShow(problem)}>
                    {place}
                  </button>
                ) : (
                  place
                )}
                {': '}
                <bdi>{message}</bdi>
              </Notice>
            </li>
          );
        })}
      </ul>
    )}
  </div>
);
