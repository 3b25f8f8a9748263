import type { JSX } from 'preact';
import { api } from '../api.ts';
import { useData } from '../data.ts';
import { Icon } from './icon.tsx';

/** Says that the operator has taken a page down, and whom to ask. */
export function TakenDown({ id }: { id: string }): JSX.Element | null {
  const { data: notice } = useData(`notice:${id}`, async (signal) => {
    const { response } = await api.GET('/deploy/{id}', { params: { path: { id } }, signal });
    return response.headers.get('formhost-notice') ?? '';
  });
  return notice ? (
    <p class="notice problem">
      <Icon name="warning" />
      {notice}.
    </p>
  ) : null;
}
