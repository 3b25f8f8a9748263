import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Endpoint } from '../../request/declaration.ts';
import { publicEndpoint } from '../../request/endpoint.ts';
import { unavailable } from '../../response/errors.ts';

const Up = z.strictObject({ status: z.literal('ok') });
const Ready = z.strictObject({ status: z.literal('ready') });

/** Health checks. */
export const healthEndpoints = ({ readiness }: App): Endpoint[] => [
  publicEndpoint({
    method: 'GET',
    path: '/healthz',
    name: 'isUp',
    tag: 'Service',
    summary: 'Check that the process is up',
    description: 'For whatever restarts the process. Answers without the database, and while the service starts.',
    isPolled: true,
    answersWhileStarting: true,
    isAlwaysUp: true,
    answer: { status: 200, description: 'The process is up.', schema: Up, example: { status: 'ok' } },
    handle: () => ({ status: 'ok' as const }),
  }),

  publicEndpoint({
    method: 'GET',
    path: '/readyz',
    name: 'isReady',
    tag: 'Service',
    summary: 'Check that the database is reached, migrated and no standby',
    description:
      'For load balancers: a process that answers 503 gets no requests until it is ready again. It answers 503 as soon as the process is told to stop.',
    isPolled: true,
    answersWhileStarting: true,
    answer: { status: 200, description: 'The service is ready.', schema: Ready, example: { status: 'ready' } },
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
