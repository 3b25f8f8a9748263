import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { t } from '../texts/chosen-texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Findings } from './findings.tsx';

type Checked = Schemas['CheckedPage'];

/** The site that was to be published, and what is wrong with it. */
type Asked = { checked: Checked; publish(): unknown; fix: ((checked: Checked) => void) | undefined };

/** Publishes, after a question where something that visitors enter would not arrive. */
type Publish = (
  /** The form check. A page that it can't check is published without a question. */
  check: () => Promise<Checked | undefined>,
  publish: () => unknown,
  /** Leads to what is wrong. */
  fix?: (checked: Checked) => void,
) => Promise<void>;

const withErrorsOnly = ({ problems, ...checked }: Checked): Checked => ({
  ...checked,
  problems: problems.filter(({ severity }) => severity === 'error'),
});

/** Asks before a page is published whose forms lead nowhere. `question`: the dialog, to be shown. */
export function usePublishCheck(): { publishChecked: Publish; isChecking: boolean; question: JSX.Element | undefined } {
  const [asked, setAsked] = useState<Asked>();
  const [isChecking, setChecking] = useState(false);
  async function publishChecked(...[check, publish, fix]: Parameters<Publish>): Promise<void> {
    setChecking(true);
    const checked = await check().catch(() => undefined);
    setChecking(false);
    if (checked?.problems.some(({ severity }) => severity === 'error')) setAsked({ checked, publish, fix });
    else await publish();
  }
  const question = asked && (
    <Dialog title={t.page.question.title} onClose={() => setAsked(undefined)}>
      <Findings checked={withErrorsOnly(asked.checked)} />
      <div class="buttons end">
        <Button
          onClick={() => {
            setAsked(undefined);
            return asked.publish();
          }}
        >
          {t.page.question.publish}
        </Button>
        <Button
          kind="main"
          onClick={() => {
            setAsked(undefined);
            // The dialog gives the focus back first.
            setTimeout(() => asked.fix?.(asked.checked));
          }}
        >
          {t.page.question.fix}
        </Button>
      </div>
    </Dialog>
  );
  return { publishChecked, isChecking, question };
}
