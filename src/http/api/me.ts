import { z } from 'zod';
import { findRefusedMail } from '../../db/mail-failures.ts';
import { countDeployments } from '../../db/owners.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { SIZES } from '../../limits.ts';
import { VERSION } from '../../project.ts';
import { endpoint } from '../endpoint.ts';
import { NOTICE_HEADER, refusedMailNotice, takeDownNotices } from '../notice.ts';

const Me = z
  .strictObject({
    email: z.string().meta({ description: "The owner's e-mail address.", example: 'you@example.com' }),
    plan: z.string().meta({ description: "The owner's plan.", example: 'free' }),
    deployment_limit: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'How many live deployments the plan allows; null for any number.' }),
    deployments: z.int().min(0).meta({ description: 'How many live deployments there are.' }),
    mail: z.boolean().meta({ description: 'Whether this service can send mail.' }),
    version: z.string().meta({ description: 'The version of this service.' }),
  })
  .meta({ id: 'Me' });

/** The owner of the key. */
export function meEndpoints({
  db,
  planLimits,
  hasMail,
  abuseContact,
}: {
  db: Database;
  planLimits: ReadonlyMap<string, number>;
  /** Whether there is a mail server. */
  hasMail: boolean;
  abuseContact: string | undefined;
}) {
  const notices = takeDownNotices(abuseContact);

  return {
    get: endpoint({
      method: 'GET',
      path: '/me',
      name: 'getMe',
      tag: 'Account',
      summary: 'Get the owner of the key',
      description: 'With the plan, what it allows, and what this service can do.',
      answer: {
        status: 200,
        description: 'Who you are, and what your plan allows.',
        headers: NOTICE_HEADER,
        schema: Me,
        example: {
          email: 'you@example.com',
          plan: 'free',
          deployment_limit: 3,
          deployments: 1,
          mail: true,
          version: '1.0.0',
        },
      },
      async handle({ owner: { id, email, plan }, notify }) {
        const limit = planLimits.get(plan) ?? 0;
        const { live, takenDown } = await countDeployments(db, id, SIZES.notice.maxNamedPages);
        if (takenDown.total > 0) notify(notices.pages(takenDown));
        const refused = await findRefusedMail(db, id, SIZES.notice.maxNamedPages);
        if (refused.total > 0) notify(refusedMailNotice(refused));
        return {
          email,
          plan,
          deployment_limit: Number.isFinite(limit) ? limit : null,
          deployments: live,
          mail: hasMail,
          version: VERSION,
        };
      },
    }),
  };
}
