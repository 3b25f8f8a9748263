import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';
import { Icon, type IconName } from './icon.tsx';
import './panel.css';

/** A part of a view under a heading with its state in a line. The heading opens and closes it. */
export function Panel({
  id: anchor,
  icon,
  title,
  state,
  isChanged = false,
  isOpen,
  onToggle,
  children,
}: {
  /** Of the address that leads to it. */
  id: string;
  icon?: IconName;
  title: string;
  state: ComponentChildren;
  /** True if something in it is not saved. */
  isChanged?: boolean;
  isOpen: boolean;
  onToggle(): void;
  children: ComponentChildren;
}): JSX.Element {
  const content = useId();
  return (
    <div class="panel" id={anchor}>
      <h2>
        <button type="button" class="panel-head" aria-expanded={isOpen} aria-controls={content} onClick={onToggle}>
          <span class="panel-title">
            {icon && <Icon name={icon} />}
            {title}
          </span>
          <span class="panel-state">
            {state}
            {isChanged && <span class="badge warn">{t.bar.unsaved.badge}</span>}
          </span>
          <Icon name="unfold" />
        </button>
      </h2>
      <div class="panel-content stack" id={content} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </div>
  );
}
