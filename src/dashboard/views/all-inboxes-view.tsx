import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { InboxPane } from '../inbox/inbox-pane.tsx';
import { readAllPages } from '../own-pages.ts';
import { View } from '../ui/view.tsx';

/** The submissions of all pages. */
export default function AllInboxes(): JSX.Element {
  const { data = [], reload } = useData('all-pages', readAllPages);
  return (
    <View title="Inbox">
      <InboxPane overview={data} onChange={reload} />
    </View>
  );
}
