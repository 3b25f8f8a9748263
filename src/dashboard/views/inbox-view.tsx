import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { InboxPane } from '../inbox/inbox-pane.tsx';
import { DeletedSubmissions } from '../inbox/kept/deleted-list.tsx';
import { Spam } from '../inbox/kept/spam-list.tsx';
import { PageView } from '../ui/page-layout.tsx';

/** The submissions of a page, or those that are kept apart: spam, and the trash. */
const InboxView = (): JSX.Element => {
  const { view } = useLocation().query;
  return (
    <PageView title="Inbox">
      {(page, reload) => {
        if (view === 'spam') return <Spam key={page.id} page={page} onChange={reload} />;
        if (view === 'trash') return <DeletedSubmissions key={page.id} page={page} onChange={reload} />;
        return <InboxPane key={page.id} page={page} overview={[page]} onChange={reload} />;
      }}
    </PageView>
  );
};

export default InboxView;
