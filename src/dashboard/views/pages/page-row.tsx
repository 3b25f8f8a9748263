import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import type { Overviewed } from '../../own-pages.ts';
import { pageLinks } from '../../page-links.ts';
import { mayAs } from '../../permissions.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { READS_SETTINGS } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Time } from '../../ui/time.tsx';
import { unseen } from '../../ui/unseen.tsx';
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
    say(fill(t.pages.row.restored, { name }));
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
        say(fill(t.pages.row.inTrash, { name }), restore);
        onChange();
      }}
      isRemoving
    >
      {t.pages.row.delete}
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
      {t.pages.row.open}
    </ButtonLink>
  );
  const copy = (
    <CopyButton text={page.url}>
      <Rich text={t.pages.row.copyAddress} with={{ name, unseen }} />
    </CopyButton>
  );
  const face = (
    <>
      <Icon name="more" />
      <span class="unseen">{fill(t.pages.row.more, { name })}</span>
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
            {t.pages.row.rename}
          </Button>
        )}
        {page.role === undefined && mayAs(page.role, 'POST /deploy') && (
          <Button kind="quiet" icon="page" of={name} onClick={() => setDialog('duplicate')}>
            {t.pages.row.duplicate}
          </Button>
        )}
        {mayAs(page.role, READS_SETTINGS) && (
          <ButtonLink kind="quiet" icon="settings" href={pageLinks(page.id).settings} of={name}>
            {t.pages.row.settings}
          </ButtonLink>
        )}
        {mayAs(page.role, 'DELETE /deploy/{id}') && <DeletePage page={page} onChange={onChange} />}
        {page.guest_id !== undefined && mayAs(page.role, LEAVES) && (
          <Button kind="quiet" icon="leave" of={name} onClick={() => setDialog('leave')}>
            {t.pages.row.leave}
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
          {page.unread > 0 && <strong class="count">{counted(t.pages.row.unread, page.unread)}</strong>}
          <span>{counted(t.shared.counts.submissions, page.submission_count)}</span>
        </p>
        <p class="muted">
          {page.last_submission_at ? (
            <Rich text={t.pages.row.last} with={{ time: <Time at={page.last_submission_at} /> }} />
          ) : (
            t.pages.row.nothingSent
          )}
        </p>
      </div>
      <div class="page-line">{page.submission_count > 0 && <Sparkline id={page.id} />}</div>
      <Actions page={page} onChange={onChange} />
    </li>
  );
}
