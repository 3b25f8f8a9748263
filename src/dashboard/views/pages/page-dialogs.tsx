import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange, useOnce } from '../../data.ts';
import type { Overviewed } from '../../own-pages.ts';
import type { OperationName } from '../../permissions.ts';
import { replaceTitle } from '../../retitling.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { SlugField, slugOf } from '../../ui/slug-field.tsx';
import { focusHeading } from '../../ui/view.tsx';
import { copyPage } from './page-copy.ts';

const LABELS = { slug: t.pages.naming.address, title: t.pages.naming.name };
const MAX_TITLE_CHARS = 200;

type Props = { page: Overviewed; onClose(): void; onDone(): void };
type Typed = { title: string; address: string };

/** A form with the name and the address of a page. */
function NameForm({
  needs,
  initial,
  button,
  text,
  save,
  onClose,
}: {
  needs: OperationName;
  initial: Typed;
  button: string;
  text: string;
  save(typed: { title: string; slug: string }, onStep: (step: string) => void): Promise<void>;
  onClose(): void;
}): JSX.Element {
  const [{ title, address }, setTyped] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const [step, setStep] = useState('');
  const { change, run } = useChange({ labels: LABELS });
  const typed = { title: title.trim().replaceAll(/\s+/g, ' '), slug: slugOf(address) };
  const missing = (value: string, wrong: string) => (isChecked && value === '' ? wrong : undefined);
  async function submit(): Promise<void> {
    setChecked(true);
    if (typed.title === '' || typed.slug === '') return;
    if (await run(() => save(typed, setStep))) onClose();
  }
  return (
    <Form needs={needs} onSubmit={submit}>
      <Field
        label={LABELS.title}
        hint={t.pages.naming.nameHint}
        value={title}
        max={MAX_TITLE_CHARS}
        onChange={(value) => setTyped({ title: value, address })}
        autoComplete="off"
        error={missing(typed.title, t.pages.naming.enterName)}
      />
      <SlugField
        label={LABELS.slug}
        value={address}
        onChange={(value) => setTyped({ title, address: value })}
        error={missing(typed.slug, t.pages.naming.enterAddress) ?? errorOf(change, 'slug')}
      />
      <p class="muted">{text}</p>
      <p role="status" class="hint">
        {change.state === 'saving' && step}
      </p>
      <FormEnd change={change} button={button} onCancel={onClose} />
    </Form>
  );
}

/** Gives a page another name, another address, or both. */
export function RenameDialog({ page, onClose, onDone }: Props): JSX.Element {
  const { id } = page;
  const initial = { title: page.title ?? '', address: page.slug };
  async function save({ title, slug }: { title: string; slug: string }): Promise<void> {
    // The address is first: it may be taken, and nothing has changed then.
    if (slug !== page.slug) await answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: { slug } }));
    if (title !== page.title) await replaceTitle(id, title);
    say(fill(t.pages.naming.renamed, { name: title }));
    onDone();
  }
  return (
    <Dialog title={t.pages.row.rename} onClose={onClose}>
      <NameForm
        needs="PATCH /deploy/{id}"
        initial={initial}
        button={t.pages.row.rename}
        text={t.pages.naming.oldAddress}
        save={save}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** Makes a page like another one. */
export function DuplicateDialog({ page, onClose, onDone }: Props): JSX.Element {
  const once = useOnce(page.id);
  const initial = {
    title: fill(t.pages.naming.copyOf, { name: page.title ?? page.slug }),
    address: `${page.slug}-copy`,
  };
  return (
    <Dialog title={t.pages.row.duplicate} onClose={onClose}>
      <NameForm
        needs="POST /deploy"
        initial={initial}
        button={t.pages.row.duplicate}
        text={t.pages.naming.copied}
        save={async (typed, onStep) => {
          const { hasSecret } = await copyPage(page, typed, once, onStep);
          say(fill(hasSecret ? t.pages.naming.copyNeedsSecret : t.pages.naming.copyIsLive, { name: typed.title }));
          onDone();
        }}
        onClose={onClose}
      />
    </Dialog>
  );
}

export const LEAVES = 'DELETE /deploy/{id}/guests/{guestId}';

/** Ends what somebody else shares with the person. */
export function LeaveDialog({ page, onClose, onDone }: Props): JSX.Element {
  const { change, run } = useChange();
  const { id, guest_id: guestId = '' } = page;
  const name = page.title ?? page.slug;
  async function leave(): Promise<void> {
    const params = { path: { id, guestId } };
    if (!(await run(async () => void (await answer(api.DELETE('/deploy/{id}/guests/{guestId}', { params })))))) return;
    onClose();
    say(fill(t.pages.leaving.left, { name }));
    onDone();
    focusHeading();
  }
  return (
    <ConfirmDialog
      title={t.pages.leaving.title}
      button={t.pages.leaving.button}
      text={<Rich text={t.pages.leaving.text} with={{ name }} />}
      change={change}
      onConfirm={leave}
      onClose={onClose}
    />
  );
}
