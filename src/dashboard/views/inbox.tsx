import type { JSX } from 'preact';
import { PageView } from '../ui/page-view.tsx';

const Inbox = (): JSX.Element => <PageView title="Inbox">{() => <p>This view is not built yet.</p>}</PageView>;

export default Inbox;
