import { ADDS, READS, REPLACES, type Tool } from '../tool.ts';

export const NOTIFICATION_TOOLS: readonly Tool[] = [
  {
    name: 'add_webhook',
    title: 'Add a webhook',
    description:
      'Has each submission from now on posted to an address on the web. Use only an address that the user has given: submissions ' +
      'may be personal data. Then call test_webhook.',
    endpoint: 'createWebhook',
    fields: ['url', 'type'],
    hints: ADDS,
  },
  {
    name: 'list_webhooks',
    title: 'List the webhooks of a page',
    description: 'The webhooks of a page with their ids, oldest first, and whether they are active.',
    endpoint: 'listWebhooks',
    isBounded: true,
    hints: READS,
  },
  {
    name: 'test_webhook',
    title: 'Send a sample to a webhook',
    description: 'Sends a sample submission to a webhook, and stores none. Then call list_deliveries for the outcome.',
    endpoint: 'testWebhook',
    hints: ADDS,
  },
  {
    name: 'remove_webhook',
    title: 'Remove a webhook',
    description: 'Ends the deliveries to a webhook, those that wait included. Ask the user before you call this.',
    endpoint: 'deleteWebhook',
    hints: REPLACES,
  },
  {
    name: 'list_deliveries',
    title: 'List the deliveries of a webhook',
    description: 'What was sent to a webhook, newest first, and the outcome: status, attempts, the last error.',
    endpoint: 'listDeliveries',
    isBounded: true,
    hints: READS,
  },
  {
    name: 'test_mail',
    title: 'Send a sample mail',
    description: 'Sends a sample to everybody who gets mail about a page. Then call list_mails for the outcome.',
    endpoint: 'testMail',
    hints: ADDS,
  },
  {
    name: 'list_mails',
    title: 'List the mails about a page',
    description: 'What was mailed about a page, newest first, to whom, and the outcome.',
    endpoint: 'listMails',
    isBounded: true,
    hints: READS,
  },
];
