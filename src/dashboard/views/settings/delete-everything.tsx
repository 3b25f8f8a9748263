import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../../api.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Panel } from '../../ui/panel.tsx';

const texts = t.settings.everything;

/** Deletes the page with all that it has received. */
export function DeleteEverything({
  page,
  isOpen,
  onToggle,
}: {
  page: Page;
  isOpen: boolean;
  onToggle(): void;
}): JSX.Element {
  const { route } = useLocation();
  const params = { path: { id: page.id } };
  const { submission_count: submissions } = page;
  const name = page.title ?? page.slug;
  async function remove(): Promise<void> {
    try {
      await answer(api.DELETE('/deploy/{id}', { params }));
    } catch (error) {
      // The try before has put it into the trash, and did not come further.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await answer(api.DELETE('/trash/{id}', { params }));
  }
  return (
    <Panel
      id="everything"
      title={texts.title}
      state={counted(texts.state, submissions)}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <p>{counted(texts.about, submissions)}</p>
      <div>
        <ActionButton
          needs="DELETE /deploy/{id}"
          kind="danger"
          icon="trash"
          ask={{
            title: texts.ask,
            button: texts.confirm,
            typed: name,
            text: texts.text,
          }}
          run={remove}
          done={fill(texts.done, { name })}
          onDone={() => route('/dashboard')}
        >
          {texts.button}
        </ActionButton>
      </div>
    </Panel>
  );
}
