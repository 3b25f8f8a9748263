import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../../api.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Panel } from '../../ui/panel.tsx';
import { counted } from '../../ui/time.tsx';

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
  const submissions = counted(page.submission_count, 'submission');
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
      title="Delete all data"
      state={`The page and ${submissions}`}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <p>The page, its {submissions}, their files, its webhooks and its versions.</p>
      <div>
        <ActionButton
          needs="DELETE /deploy/{id}"
          kind="danger"
          icon="trash"
          ask={{
            title: 'Delete all data?',
            button: 'Delete everything',
            typed: page.title ?? page.slug,
            text: 'Nobody can restore it afterwards. To be able to, delete the page in the list of your pages instead.',
          }}
          run={remove}
          done={`${page.title ?? page.slug} and all of its data are gone.`}
          onDone={() => route('/dashboard')}
        >
          Delete all data now
        </ActionButton>
      </div>
    </Panel>
  );
}
