import { findUsage } from '../../../db/account/owners.ts';
import { findRefusedMail } from '../../../db/deliveries/mail-failures.ts';
import { VERSION } from '../../../lib/project.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { answerObject, countField, countOrNull, flagField, textField } from '../../request/fields.ts';
import { NOTICE_HEADER, refusedMailNotice, takeDownNotices } from '../../response/notice.ts';

const Me = answerObject('Me', {
  email: textField("The owner's e-mail address.", 'you@example.com'),
  plan: textField("The owner's plan.", 'free'),
  deployment_limit: countOrNull('How many live deployments the plan allows; null for any number.', 3),
  deployments: countField('How many live deployments there are.', 1),
  storage_limit: countOrNull('How many bytes the plan allows to be stored; null for any number.', 1_000_000_000),
  storage_used: countField(
    'How many bytes pages, their versions and files of submissions have, those in the trash and in spam included.',
    21_548,
  ),
  mail: flagField('Whether this service can send mail.', true),
  version: textField('The version of this service.', '1.0.0'),
});

/** The owner of the key. */
export function meEndpoint({ db, config }: App) {
  const { planLimits, storageLimits } = config;
  const notices = takeDownNotices(config.abuseContact?.text);

  return endpoint('GET', '/me', 'getMe', {
    summary: 'Get the owner of the key',
    description: 'With the plan, what it allows, and what this service can do.',
    answer: { description: 'Who you are, and what your plan allows.', headers: NOTICE_HEADER, schema: Me },
    async handle({ owner: { id, email, plan }, notify }) {
      const limit = planLimits.get(plan) ?? 0;
      const storageLimit = storageLimits.get(plan) ?? Number.POSITIVE_INFINITY;
      const { live, takenDown, storageUsed } = await findUsage(db, id, SIZES.notice.maxNamedPages);
      if (takenDown.total > 0) notify(notices.pages(takenDown));
      const refused = await findRefusedMail(db, id, SIZES.notice.maxNamedPages);
      if (refused.total > 0) notify(refusedMailNotice(refused));
      return {
        email,
        plan,
        deployment_limit: Number.isFinite(limit) ? limit : null,
        deployments: live,
        storage_limit: Number.isFinite(storageLimit) ? storageLimit : null,
        storage_used: storageUsed,
        mail: config.smtpUrl !== undefined,
        version: VERSION,
      };
    },
  });
}
