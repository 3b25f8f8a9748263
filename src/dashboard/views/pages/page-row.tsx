import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import type { Overviewed } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { mayAs } from '../../permissions.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { READS_SETTINGS } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { counted, numbers, Time } from '../../ui/time.tsx';
import { DuplicateDialog, LEAVES, LeaveDialog, RenameDialog } from './page-dialogs.tsx';
import { Thumbnail } from './page-thumbnail.tsx';
import { RowState } from './row-state.tsx';

type Props = { page: Overviewed; onChange(): void };

const nameOf = ({ title, slug }: Overviewed): string => title ?? slug;

/** Moves a page to the trash at once: it can be undone. */
function DeletePage({ page, onChange }: Props): JSX.Element {
  const params = { path: { id: page.id } };
  const name = nameOf(page);
  async function restore(): Promise<void> {
    await answer(api.POST('/trash/{id}/restore', { params, body: {} }));
    say(`${name} is live again.`);
    onChange();
  }
  return (
    <ActionButton
      needs="DELETE /deploy/{id}"
      kind="quiet"
      icon="trash"
      of={name}
      run={() => answer(api.DELETE('/deploy/{id}', { params }))}
      onDone={() => {
        say(`${name} is in the trash.`, restore);
        onChange();
      }}
      isRemoving
    >
      Delete
    </ActionButton>
  );
}

/** What can be done with a page: the most frequent beside its row, everything in a menu. */
function Actions({ page, onChange }: Props): JSX.Element {
  const [dialog, setDialog] = useState<'rename' | 'duplicate' | 'leave'>();
  const name = nameOf(page);
  const shown = { page, onDone: onChange, onClose: () => setDialog(undefined) };
  const open = (
    <ButtonLink kind="quiet" icon="open" href={page.url} of={name} isElsewhere>
      Open page
    </ButtonLink>
  );
  const copy = (
    <CopyButton text={page.url} of={`of ${name}`}>
      Copy address
    </CopyButton>
  );
  const face = (
    <>
      <Icon name="more" />
      <span class="unseen">More for {name}</span>
    </>
  );
  return (
    <div class="page-tools">
      <div class="quick">
        {open}
        {copy}
      </div>
      <Menu kind="quiet" label={face}>
        {open}
        {copy}
        {mayAs(page.role, 'PATCH /deploy/{id}', 'slug') && (
          <Button kind="quiet" icon="edit" of={name} onClick={() => setDialog('rename')}>
            Rename
          </Button>
        )}
        {page.role === undefined && mayAs(page.role, 'POST /deploy') && (
          <Button kind="quiet" icon="page" of={name} onClick={() => setDialog('duplicate')}>
            Duplicate
          </Button>
        )}
        {mayAs(page.role, READS_SETTINGS) && (
          <ButtonLink kind="quiet" icon="settings" href={pageLinks(page.id).settings} of={name}>
            Settings
          </ButtonLink>
        )}
        {mayAs(page.role, 'DELETE /deploy/{id}') && <DeletePage page={page} onChange={onChange} />}
        {page.guest_id !== undefined && mayAs(page.role, LEAVES) && (
          <Button kind="quiet" icon="leave" of={name} onClick={() => setDialog('leave')}>
            Leave
          </Button>
        )}
      </Menu>
      {dialog === 'rename' && <RenameDialog {...shown} />}
      {dialog === 'duplicate' && <DuplicateDialog {...shown} />}
      {dialog === 'leave' && <LeaveDialog {...shown} />}
    </div>
  );
}

/** A page in the list: the whole row opens its inbox. */
export function PageRow({ page, onChange }: Props): JSX.Element {
  return (
    <li class="page-row">
      <Thumbnail page={page} />
      <div class="page-name">
        <h2>
          <a class="subtle" href={pageLinks(page.id).inbox}>
            <bdi>{nameOf(page)}</bdi>
          </a>
        </h2>
        <p class="muted">
          <bdi>{page.url.replace(/^https?:\/\//, '')}</bdi>
        </p>
      </div>
      <p class="page-state">
        <RowState page={page} />
      </p>
      <div class="page-count">
        <p>
          {page.unread > 0 && <strong class="count">{numbers.format(page.unread)} unread</strong>}
          <span>{counted(page.submission_count, 'submission')}</span>
        </p>
        <p class="muted">
          {page.last_submission_at ? (
            <>
              Last: <Time at={page.last_submission_at} />
            </>
          ) : (
            'Nothing was sent yet'
          )}
        </p>
      </div>
      <div class="page-line">{page.submission_count > 0 && <Sparkline id={page.id} />}</div>
      <Actions page={page} onChange={onChange} />
    </li>
  );
}
