import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { InboxPane } from '../inbox/inbox-pane.tsx';
import { DeletedSubmissions } from '../inbox/kept/deleted-list.tsx';
import { Spam } from '../inbox/kept/spam-list.tsx';
import { READS_SPAM, READS_TRASH } from '../inbox/toolbar/folders.tsx';
import { may } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { PageView } from '../ui/page-layout.tsx';

/** The submissions of a page, or those that are kept apart: spam, and the trash. */
const InboxView = (): JSX.Element => {
  const { view } = useLocation().query;
  return (
    <PageView needs="GET /submissions/{deployId}/search" title={t.inbox.title}>
      {(page, reload) => {
        if (view === 'spam' && may(READS_SPAM)) return <Spam key={page.id} page={page} onChange={reload} />;
        if (view === 'trash' && may(READS_TRASH))
          return <DeletedSubmissions key={page.id} page={page} onChange={reload} />;
        return <InboxPane key={page.id} page={page} overview={[page]} onChange={reload} />;
      }}
    </PageView>
  );
};

export default InboxView;
