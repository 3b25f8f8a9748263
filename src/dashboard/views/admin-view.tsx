import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { isOperator } from '../session.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Links } from '../ui/links.tsx';
import { View } from '../ui/view.tsx';
import { WholeAudit } from './admin/admin-audit.tsx';
import { FailingDeliveries } from './admin/admin-deliveries.tsx';
import { Health } from './admin/admin-health.tsx';
import { Owners } from './admin/admin-owners.tsx';
import { AllPages } from './admin/admin-pages.tsx';
import NotFound from './not-found-view.tsx';

/** The parts of the view by the end of their address. The first has none. */
const PARTS: readonly { name: string; label: string; Part(): JSX.Element }[] = [
  { name: '', label: t.admin.parts.owners, Part: Owners },
  { name: 'pages', label: t.admin.parts.pages, Part: AllPages },
  { name: 'deliveries', label: t.admin.parts.deliveries, Part: FailingDeliveries },
  { name: 'health', label: t.admin.parts.health, Part: Health },
  { name: 'audit', label: t.admin.parts.audit, Part: WholeAudit },
];

/** The service as its operators see it. For all others, nothing is here. */
export default function Admin(): JSX.Element {
  const { part = '' } = useRoute().params;
  const shown = PARTS.find(({ name }) => name === part);
  if (!isOperator.value || !shown) return <NotFound />;
  const { label, Part } = shown;
  return (
    <View title={fill(t.admin.titleOfPart, { part: label })}>
      <Links
        label={t.admin.title}
        links={PARTS.map(({ name, label: text }) =>
          name === ''
            ? { href: VIEW_PATHS.admin, label: text, within: `${VIEW_PATHS.admin}?` }
            : { href: `${VIEW_PATHS.admin}/${name}`, label: text },
        )}
      />
      <Part />
    </View>
  );
}
