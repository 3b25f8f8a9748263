import { z } from 'zod';
import { VERSION } from '../../../lib/project.ts';
import { publicOperation } from '../../operation/operation.ts';
import { textField } from '../../request/shared-fields.ts';
import { unavailable } from '../../response/errors.ts';

const Health = z.strictObject({
  status: z.literal('ok'),
  version: textField('The version of this service.', '1.0.0'),
});

/** Health checks. */
export const healthOperations = [
  publicOperation('GET', '/healthz', 'isUp', {
    summary: 'Check that the process is up',
    description: 'For software that restarts the process. It needs no database, and works while the service starts.',
    isPolled: true,
    isAlwaysUp: true,
    answer: { description: 'The process is up.', schema: Health },
    handle: async () => ({ status: 'ok' as const, version: VERSION }),
  }),

  publicOperation('GET', '/readyz', 'isReady', {
    summary: 'Check that the database is reached, migrated and no standby',
    description:
      'For load balancers: a process that returns 503 gets no requests until it is ready again. A process that is told to stop returns 503.',
    isPolled: true,
    answer: { description: 'The service is ready.', schema: z.strictObject({ status: z.literal('ready') }) },
    async handle(_request, _response, { lifecycle: { readiness } }) {
      const state = await readiness();
      if (state === 'ready') return { status: 'ready' as const };
      throw unavailable(
        state === 'stopping'
          ? 'This process is stopping: use another one.'
          : 'The database is not reached, not migrated yet, or takes no writes: try again shortly.',
      );
    },
  }),
];
