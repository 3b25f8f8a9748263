import type { JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';

/** For an address that no view has, and for a page that is not the owner's. */
const NotFound = (): JSX.Element => (
  <View title={t.signIn.notFound.title}>
    <Empty icon="page" title={t.signIn.notFound.what}>
      <p>{t.signIn.notFound.why}</p>
      <p class="buttons">
        <ButtonLink href="/dashboard">{t.signIn.notFound.pages}</ButtonLink>
        <ButtonLink href="/dashboard/trash">{t.signIn.notFound.trash}</ButtonLink>
      </p>
    </Empty>
  </View>
);

export default NotFound;
