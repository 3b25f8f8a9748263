import type { JSX } from 'preact';
import { PageView } from '../ui/page-view.tsx';

const Page = (): JSX.Element => <PageView title="Page">{() => <p>This view is not built yet.</p>}</PageView>;

export default Page;
