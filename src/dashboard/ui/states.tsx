import type { ComponentChildren, JSX } from 'preact';
import type { Change, Loaded, LoadedPages } from '../data.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import type { Forms } from '../texts/translation.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Notice } from './notice.tsx';

/** The place of what is being read; `label` says it to people who do not see it. */
export const Loading = ({ label }: { label: string }): JSX.Element => (
  <div class="loading" role="status">
    <span class="unseen">{fill(t.shared.loading, { label })}</span>
  </div>
);

/** There is nothing yet, and what to do about it. */
export const Empty = ({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children: ComponentChildren;
}): JSX.Element => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

/** An error, and a button that tries again. */
export const Problem = ({ error, onRetry }: { error: Error; onRetry(): unknown }): JSX.Element => (
  <div role="alert">
    <Notice isProblem>
      <p>{error.message}</p>
      <Button onClick={onRetry}>{t.shared.tryAgain}</Button>
    </Notice>
  </div>
);

/** Shows what was read, or that it is being read, or why it could not be; what was read before stays below an error. */
export function Shown<T>({
  loaded,
  label,
  children,
}: {
  loaded: Loaded<T>;
  /** A text such as `Loading your pages`. */
  label: string;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = loaded;
  return (
    <>
      {error && <Problem error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && !error && <Loading label={label} />}
    </>
  );
}

/** How many items of a list are shown, and the way to more of them. `of`: the text for their number. */
export function ListFoot<T>({
  loaded: { data, isLoading, more },
  of,
  children,
}: {
  loaded: LoadedPages<T>;
  of: Forms;
  children?: ComponentChildren;
}): JSX.Element {
  const { items, total } = data ?? { items: [], total: 0 };
  const all = counted(of, total);
  return (
    <div class="spread">
      <p class="muted" role="status">
        {items.length < total ? fill(t.shared.shownOf, { shown: items.length, total: all }) : all}
      </p>
      {children}
      {items.length < total && (
        <Button isBusy={isLoading} onClick={more}>
          {t.shared.showMore}
        </Button>
      )}
    </div>
  );
}

/** The items of a list in rows, and the way to more of them. */
export const Listed = <T extends { id: string }>({
  loaded,
  label,
  children,
  ...foot
}: {
  loaded: LoadedPages<T>;
  label: string;
  of: Forms;
  /** A row. */
  children(item: T): JSX.Element;
}): JSX.Element => (
  <Shown loaded={loaded} label={label}>
    {({ items, total }) => (
      <>
        <ul class="rows">{items.map(children)}</ul>
        {items.length < total && <ListFoot loaded={loaded} {...foot} />}
      </>
    )}
  </Shown>
);

/** Says why a change could not be made: how many fields say it themselves, and what is not about a field. */
export function whyNotSaved(change: Change): string {
  if (change.state !== 'failed') return '';
  const fields = Object.keys(change.atFields).length;
  const attention = fields === 0 ? [] : [counted(t.shared.needAttention, fields)];
  const retried = change.isRetried ? [t.shared.isRetried] : [];
  return [...attention, ...(change.message === '' ? [] : [change.message]), ...retried].join(' ');
}

/** Says that a change could not be saved, and why. */
export const NotSaved = ({ change }: { change: Change }): JSX.Element => (
  <div role="alert">
    {change.state === 'failed' && (
      <Notice isProblem>
        <Rich text={t.shared.notSaved} with={{ why: <>{whyNotSaved(change)}</> }} />
      </Notice>
    )}
  </div>
);

/** Says that a change was saved. */
export const Saved = ({ change }: { change: Change }): JSX.Element => (
  <span role="status" class="saved">
    {change.state === 'saved' && (
      <>
        <Icon name="done" />
        {t.shared.saved}
      </>
    )}
  </span>
);
