import type { JSX } from 'preact';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';

/** For an address that no view has, and for a page that is not the owner's. */
const NotFound = (): JSX.Element => (
  <View title="Nothing here">
    <Empty icon="page" title="There is no such view or page">
      <p>It may have been deleted: deleted pages are in the trash.</p>
      <p class="buttons">
        <ButtonLink href="/dashboard">Your pages</ButtonLink>
        <ButtonLink href="/dashboard/trash">Trash</ButtonLink>
      </p>
    </Empty>
  </View>
);

export default NotFound;
