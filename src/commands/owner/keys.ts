import { type Output, printList, printOutcome } from '../output.ts';
import { pagesOf, type Service } from './service.ts';

/** The keys of the owner that are not revoked, newest first. */
export const list = (service: Service, output: Output): Promise<void> =>
  printList(
    pagesOf(service, (query) => service.api.GET('/keys', { params: { query } })),
    ['ID', 'NAME', 'PREFIX', 'SCOPE', 'CREATED', 'LAST USED', 'EXPIRES'],
    ({ keys }) =>
      keys.map(({ id, name, prefix, scope, created_at, last_used_at, expires_at }) => [
        ...[id, name ?? '-', prefix ?? '-', scope, created_at, last_used_at ?? '-', expires_at ?? '-'],
      ]),
    output,
  );

type CreateOptions = Output & { name: string; scope: 'full' | 'read'; expires?: string | undefined };

/** Makes a key and prints it: it is never shown again. */
export async function create(service: Service, { name, scope, expires, ...output }: CreateOptions): Promise<void> {
  // A day is one in UTC, as everywhere on the command line.
  const expiresAt = expires !== undefined && /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires;
  const { data, text } = await service.answer(
    service.api.POST('/keys', { body: { name, scope, ...(expiresAt !== undefined && { expires_at: expiresAt }) } }),
  );
  await printOutcome(text, data.key, `made ${data.id}; the key is not shown again`, output);
}

export async function revoke(service: Service, keyId: string, output: Output): Promise<void> {
  const { data, text } = await service.answer(service.api.DELETE('/keys/{keyId}', { params: { path: { keyId } } }));
  await printOutcome(text, data.id, 'revoked: no request with it succeeds any more', output);
}
