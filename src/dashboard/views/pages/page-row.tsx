import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import type { Overviewed } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { mayChange } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/say.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { counted, numbers, Time } from '../../ui/time.tsx';
import { DuplicateDialog, RenameDialog } from './page-dialogs.tsx';
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
  const [dialog, setDialog] = useState<'rename' | 'duplicate'>();
  const name = nameOf(page);
  const isOwn = page.role === undefined;
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
        {isOwn && mayChange.value && (
          <>
            <Button kind="quiet" icon="edit" of={name} onClick={() => setDialog('rename')}>
              Rename
            </Button>
            <Button kind="quiet" icon="page" of={name} onClick={() => setDialog('duplicate')}>
              Duplicate
            </Button>
          </>
        )}
        {page.role !== 'reader' && (
          <ButtonLink kind="quiet" icon="settings" href={pageLinks(page.id).settings} of={name}>
            Settings
          </ButtonLink>
        )}
        {isOwn && mayChange.value && <DeletePage page={page} onChange={onChange} />}
      </Menu>
      {dialog === 'rename' && <RenameDialog {...shown} />}
      {dialog === 'duplicate' && <DuplicateDialog {...shown} />}
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
