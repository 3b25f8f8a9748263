import type { JSX } from 'preact';
import { api } from '../api.ts';
import { useData } from '../data.ts';
import { Notice } from './notice.tsx';
import type { Page } from './page-view.tsx';

/** Says that the operator has taken a page down, why, and whom to ask. */
export function TakenDown({ page: { id, take_down_reason: reason } }: { page: Page }): JSX.Element | null {
  const { data: notice } = useData(`notice:${id}`, async (signal) => {
    const { response } = await api.GET('/deploy/{id}', { params: { path: { id } }, signal });
    return response.headers.get('formhost-notice') ?? '';
  });
  return notice ? (
    <Notice isProblem>
      {notice}.{' '}
      {reason !== null && (
        <>
          The operator’s reason: <bdi>{reason}</bdi>
        </>
      )}
    </Notice>
  ) : null;
}
