import { z } from 'zod';
import type { App } from '../../app.ts';
import { publicEndpoint } from '../../request/endpoint.ts';
import { unavailable } from '../../response/errors.ts';

/** Health checks. */
export const healthEndpoints = ({ readiness }: App) => [
  publicEndpoint('GET', '/healthz', 'isUp', {
    summary: 'Check that the process is up',
    description: 'For whatever restarts the process. Answers without the database, and while the service starts.',
    isPolled: true,
    isAlwaysUp: true,
    answer: { description: 'The process is up.', schema: z.strictObject({ status: z.literal('ok') }) },
    handle: () => ({ status: 'ok' as const }),
  }),

  publicEndpoint('GET', '/readyz', 'isReady', {
    summary: 'Check that the database is reached, migrated and no standby',
    description:
      'For load balancers: a process that answers 503 gets no requests until it is ready again. It answers 503 as soon as the process is told to stop.',
    isPolled: true,
    answer: { description: 'The service is ready.', schema: z.strictObject({ status: z.literal('ready') }) },
    async handle() {
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
