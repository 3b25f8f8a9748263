import type { JSX } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api.ts';
import { may } from '../permissions.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { ReadOnly } from '../ui/read-only.tsx';
import { say } from '../ui/say.tsx';
import { View } from '../ui/view.tsx';

/** Gives a page that was published without a key to the owner who is signed in. Its address has the token. */
export default function ClaimPage(): JSX.Element {
  const { route } = useLocation();
  const { token = '' } = useRoute().params;
  async function claim(): Promise<void> {
    const { id, slug } = await answer(api.POST('/claims', { body: { token } }));
    say(`${slug} is yours, and stays.`);
    route(`/dashboard/pages/${id}`, true);
  }
  return (
    <View title="Keep this page">
      {may('POST /claims') ? (
        <div class="stack">
          <p>
            It was published without an account, and is erased soon. When you claim it, it is one of your pages and
            stays.
          </p>
          <p class="hint">Its address, its form and its submissions stay as they are.</p>
          <div>
            <ActionButton needs="POST /claims" kind="main" run={claim}>
              Claim
            </ActionButton>
          </div>
        </div>
      ) : (
        <ReadOnly />
      )}
    </View>
  );
}
