import type { Tool } from '../tool.ts';

export const NOTIFICATION_TOOLS: readonly Tool[] = [
  {
    name: 'add_webhook',
    description:
      'Posts each submission from now on to an address that the user has given, and to no other: it may be personal data. ' +
      'Then call test_webhook.',
    endpoint: 'createWebhook',
    fields: ['url', 'type'],
  },
  {
    name: 'list_webhooks',
    description: 'The webhooks of a page with their ids, oldest first, and whether they are active.',
    endpoint: 'listWebhooks',
    isBounded: true,
  },
  {
    name: 'test_webhook',
    description: 'Sends a sample submission to a webhook, and stores none. Then call list_deliveries for the outcome.',
    endpoint: 'testWebhook',
  },
  {
    name: 'remove_webhook',
    description: 'Ends the deliveries to a webhook, those that wait included. Ask the user before you call this.',
    endpoint: 'deleteWebhook',
  },
  {
    name: 'list_deliveries',
    description: 'The requests to a webhook, newest first, and their outcome: status, attempts, the last error.',
    endpoint: 'listDeliveries',
    isBounded: true,
  },
  {
    name: 'test_mail',
    description: 'Sends a sample to everybody who gets mail about a page. Then call list_mails for the outcome.',
    endpoint: 'testMail',
  },
  {
    name: 'list_mails',
    description: 'The mails about a page, newest first, their recipients, and the outcome.',
    endpoint: 'listMails',
    isBounded: true,
  },
];
