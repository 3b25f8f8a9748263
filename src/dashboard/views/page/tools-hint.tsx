import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';

const { label, hint } = t.settings.fields.formTools;

/** Says that agents in browsers do not know the forms of a page, and offers the setting that changes it. */
export const ToolsHint = ({ id, onChanged }: { id: string; onChanged(): void }): JSX.Element => (
  <div class="stack">
    <p class="muted">
      {t.page.findings.tools.missing} {hint}
    </p>
    <div class="buttons">
      <ActionButton
        needs="PATCH /deploy/{id}"
        run={() => answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: { form_tools: true } }))}
        done={t.page.findings.tools.done}
        onDone={onChanged}
        isRepeatable
        isRemoving
      >
        {label}
      </ActionButton>
    </div>
  </div>
);
