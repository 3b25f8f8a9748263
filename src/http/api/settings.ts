import { z } from 'zod';
import { changeSettings, findSettings, type Settings } from '../../db/deployments.ts';
import { FIRST_OWNER, type Owner } from '../../db/owners.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { LANGUAGES } from '../../languages.ts';
import type { Log } from '../../log.ts';
import { SETTINGS_BYTES } from '../body.ts';
import { endpoint } from '../endpoint.ts';
import { deploymentId } from '../fields.ts';
import { NOTICE_HEADER, takeDownNotices } from '../notice.ts';
import { deploymentOr404, noSuchDeployment, ownDeployment } from './own-deployment.ts';

/** Every setting of a deployment: PATCH takes any of them, and GET answers all. */
const fields = {
  email_notifications: z
    .boolean('email_notifications is not a boolean: send true or false.')
    .meta({
      description: 'Whether the owner gets a mail for each submission, if the service has a mail server. Off at first.',
    })
    .exactOptional(),
  language: z
    .enum(LANGUAGES, `language is not one that pages for visitors have: send ${LANGUAGES.join(', ')} or null.`)
    .nullable()
    .meta({
      description:
        "The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one " +
        "of the browser's Accept-Language, else English. null at first.",
    })
    .exactOptional(),
} satisfies { [Name in keyof Settings]: z.ZodExactOptional<z.ZodType<Settings[Name]>> };

const Change = z.object(fields);
const All = z.strictObject(fields).required().meta({ id: 'Settings' });
const Changed = z.strictObject({ success: z.literal(true), id: deploymentId }).meta({ id: 'SettingsChanged' });

const example: Settings = { email_notifications: true, language: null };

const MAIL_IS_OFF = 'Mail is off: the operator must set SMTP_URL';
const NO_ADDRESS = `Your address is ${FIRST_OWNER}, which gets no mail: the operator must run npm run --silent owners -- set-email ${FIRST_OWNER} you@example.com with your address`;

/** The settings of a deployment. */
export function settingsEndpoints({
  db,
  log,
  onPageChange,
  reviewDeliveries,
  hasMail,
  abuseContact,
}: {
  db: Database;
  log: Pick<Log, 'warn'>;
  /** Called once a change of what is live under a slug is committed. */
  onPageChange(slug: string): void;
  /** Called with a deployment whose deliveries, or their receivers, have changed. */
  reviewDeliveries(deploymentId: string): void;
  /** Whether there is a mail server. */
  hasMail: boolean;
  abuseContact: string | undefined;
}) {
  const notices = takeDownNotices(abuseContact);

  /** Why mail would not reach this owner. */
  const mailProblems = ({ email }: Owner): string[] => [
    ...(hasMail ? [] : [MAIL_IS_OFF]),
    ...(email === FIRST_OWNER ? [NO_ADDRESS] : []),
  ];

  return {
    get: endpoint({
      method: 'GET',
      path: '/deploy/:id/settings',
      name: 'getSettings',
      tag: 'Deployments',
      summary: 'Get the settings of a deployment',
      description: 'All that can be changed by PATCH, as it is now.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      answer: { status: 200, description: 'All settings.', headers: NOTICE_HEADER, schema: All, example },
      errors: [noSuchDeployment],
      async handle({ owner, resource: { id, takenDownAt }, notify }) {
        const settings = deploymentOr404(await findSettings(db, owner.id, id));
        if (takenDownAt) notify(notices.page);
        return settings;
      },
    }),

    change: endpoint({
      method: 'PATCH',
      path: '/deploy/:id',
      name: 'changeSettings',
      tag: 'Deployments',
      summary: 'Change the settings of a deployment',
      description:
        'What is left out stays as it is. When mail is switched on and none can be sent, a header of the answer says why.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      body: { schema: Change, example, maxBytes: SETTINGS_BYTES },
      answer: {
        status: 200,
        description: 'The settings are changed.',
        headers: NOTICE_HEADER,
        schema: Changed,
        example: { success: true, id: 'd_0VbbZBZKKTcBD17YQfyDgVGm' },
      },
      errors: [noSuchDeployment],
      async handle({ owner, resource: { id }, body: changes, notify }) {
        const { slug } = deploymentOr404(await changeSettings(db, owner.id, id, changes));
        if (changes.language !== undefined) onPageChange(slug);
        reviewDeliveries(id);
        const problems = changes.email_notifications ? mailProblems(owner) : [];
        for (const problem of problems) notify(problem);
        if (problems.length > 0) {
          log.warn({ deployment: id }, `mail was switched on, and none will arrive: ${problems.join('; ')}`);
        }
        return { success: true as const, id };
      },
    }),
  };
}
