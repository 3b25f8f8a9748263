import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { readAllPages } from '../own-pages.ts';
import { View } from '../ui/view.tsx';
import { InboxPane } from './inbox-view.tsx';

/** The submissions of all pages. */
export default function AllInboxes(): JSX.Element {
  const { data = [], reload } = useData('all-pages', readAllPages);
  return (
    <View title="Inbox">
      <InboxPane overview={data} onChange={reload} />
    </View>
  );
}
