import { type Command, Option } from '@commander-js/extra-typings';
import { SIZES } from '../../sizes.ts';
import { declare } from '../declare.ts';
import { printList, printOutcome } from '../output.ts';
import { type Connect, pagesOf } from './service.ts';

export function declareKeys(program: Command, connect: Connect): void {
  const group = program.command('keys').description('Make, list and revoke your API keys');
  declare(group, 'create', 'Make a key, and print it this once', '$ keys create --name "Website build" --scope read')
    .requiredOption('--name <name>', `what it is for, 1 to ${SIZES.apiKey.maxNameChars} characters`)
    .addOption(
      new Option('--scope <scope>', 'what the key may do').choices(['full', 'read'] as const).default('full' as const),
    )
    .option('--expires <time>', 'when the key ends, such as 2027-01-01')
    .action(async ({ name, scope, expires, ...output }) => {
      const service = await connect();
      // A day is one in UTC, as everywhere on the command line.
      const expiresAt = expires !== undefined && /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires;
      const { data, text } = await service.answer(
        service.api.POST('/keys', { body: { name, scope, ...(expiresAt !== undefined && { expires_at: expiresAt }) } }),
      );
      await printOutcome(text, data.key, `made ${data.id}; the key is not shown again`, output);
    });
  declare(group, 'list', 'List your keys', '$ keys list').action(async (output) => {
    const service = await connect();
    await printList(
      pagesOf(service, (query) => service.api.GET('/keys', { params: { query } })),
      ['ID', 'NAME', 'PREFIX', 'SCOPE', 'CREATED', 'LAST USED', 'EXPIRES'],
      ({ keys }) =>
        keys.map((key) => [key.id, key.name, key.prefix, key.scope, key.created_at, key.last_used_at, key.expires_at]),
      output,
    );
  });
  declare(group, 'revoke', 'End a key', '$ keys revoke key_0Vbb…')
    .argument('<key>', 'id of the key')
    .action(async (keyId, output) => {
      const service = await connect();
      const { data, text } = await service.answer(service.api.DELETE('/keys/{keyId}', { params: { path: { keyId } } }));
      await printOutcome(text, data.id, 'revoked: no request with it succeeds any more', output);
    });
}
