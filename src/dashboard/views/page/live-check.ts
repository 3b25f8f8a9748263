import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';

/** What the form check finds in a live page. `lacksTools`: agents in browsers do not know its forms, and a setting would change that. */
export type LiveCheck = Schemas['CheckedPage'] & { lacksTools: boolean };

/** Checks the forms of a live page, in all of its files. */
export async function checkLive(id: string, signal: AbortSignal): Promise<LiveCheck> {
  const call = await api.GET('/deploy/{id}/check', { params: { path: { id } }, signal });
  const checked = await answer(Promise.resolve(call));
  // The hint is a notice, and no problem: it names the setting.
  const notice = call.response.headers.get('formhost-notice') ?? '';
  return { ...checked, lacksTools: notice.includes('{form_tools}') };
}
