import type { Page } from '../ui/page-view.tsx';
import type { Labels } from './labels.ts';
import type { Filter, SubmissionList } from './list.ts';
import type { Selected } from './selected.ts';

/** What the parts of the inbox share. */
export type Inbox = {
  page: Page;
  filter: Filter;
  list: SubmissionList;
  labels: Labels;
  selected: Selected;
  /** The submission that is shown beside the list. */
  openId: string | undefined;
  /** The address of a submission, or of the list alone. */
  hrefOf(id?: string): string;
  remove(ids: readonly string[], action: 'delete' | 'spam'): void;
  setFocused(id: string): void;
};
