import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { InboxPane } from '../inbox/inbox-pane.tsx';
import { ownOf, readAllPages } from '../own-pages.ts';
import { t } from '../texts/chosen-texts.ts';
import { View } from '../ui/view.tsx';

/** The submissions of all pages. */
export default function AllInboxes(): JSX.Element {
  // What others share has an inbox of its own: what is done here to all must not reach it.
  const { data = [], reload } = useData('all-own-pages', async (signal) => ownOf(await readAllPages(signal)));
  return (
    <View title={t.inbox.title}>
      <InboxPane overview={data} onChange={reload} />
    </View>
  );
}
