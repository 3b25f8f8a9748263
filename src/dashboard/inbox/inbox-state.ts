import type { Overviewed } from '../own-pages.ts';
import type { Page } from '../ui/page-layout.tsx';
import type { Labels, PageForm } from './columns/column-labels.ts';
import type { Filter } from './filter.ts';
import type { Submission } from './read-submissions.ts';
import type { Selected } from './selected.ts';
import type { Action, Target } from './submission-changes.ts';
import type { SubmissionList } from './submission-list.ts';

/** The state that the parts of the inbox share. */
export type Inbox = {
  /** Undefined in the inbox of all pages. */
  page: Page | undefined;
  /** The page, or all pages, with their numbers; none until they are read. */
  overview: readonly Overviewed[];
  /** The fields of the page; none for all pages. */
  labels: Labels;
  /** The forms of the page, where it has several. */
  forms: readonly PageForm[];
  filter: Filter;
  list: SubmissionList;
  selected: Selected<Submission>;
  /** The submission that is shown beside the list. */
  openId: string | undefined;
  /** The address of a submission, or of the list alone. */
  hrefOf(submission?: Submission): string;
  /** Changes submissions; asks first where that can't be undone. */
  act(action: Action, of: Target): void;
};
