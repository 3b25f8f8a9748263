import { ADDS, READS, REPLACES, type Tool } from '../tool.ts';

const CHECKED = { endpoint: 'checkDeployment', field: 'problems' } as const;

export const PAGE_TOOLS: readonly Tool[] = [
  {
    name: 'publish_page',
    title: 'Publish a page',
    description:
      'Publishes an HTML page at a public address of its own. A form whose action is {{FORM_ACTION}} and whose method is post is ' +
      'received here: <form method="post" action="{{FORM_ACTION}}">, each field with a name. Answers the id for the other tools, the ' +
      'url to give to people, and the problems of its forms (null: not checked): where one has the severity error, correct the HTML ' +
      'and call update_page. To change a page that exists, call update_page.',
    endpoint: 'createDeployment',
    followUp: CHECKED,
    hints: ADDS,
  },
  {
    name: 'update_page',
    title: 'Replace the HTML of a page',
    description:
      'Replaces the whole HTML of a page (get_html has it as it is). Its address and its submissions stay, and the HTML before is ' +
      'kept as a version. Answers the problems of its forms, as publish_page does.',
    endpoint: 'replaceHtml',
    followUp: CHECKED,
    hints: REPLACES,
  },
  {
    name: 'check_html',
    title: 'Check the forms of a page',
    description:
      'Reads HTML as browsers do, and answers its forms, their fields, and what keeps them from working. Publishes and stores nothing.',
    endpoint: 'checkHtml',
    hints: READS,
  },
  {
    name: 'list_pages',
    title: 'List the pages',
    description: 'The pages of the owner with their ids, addresses and numbers of submissions, newest first.',
    endpoint: 'listDeployments',
    isBounded: true,
    hints: READS,
  },
  {
    name: 'get_page',
    title: 'Get a page',
    description: 'The address of a page, its number of submissions, and when it was made and changed.',
    endpoint: 'getDeployment',
    hints: READS,
  },
  {
    name: 'get_html',
    title: 'Get the HTML of a page',
    description:
      'The whole HTML of a page as it was sent, with {{FORM_ACTION}}. To edit it, change it and call update_page.',
    endpoint: 'getHtml',
    hints: READS,
  },
  {
    name: 'delete_page',
    title: 'Delete a page',
    description:
      'Takes a page offline. It is in the trash with its submissions for some time: restore_page undoes this. Ask the user before ' +
      'you call this.',
    endpoint: 'deleteDeployment',
    hints: REPLACES,
  },
  {
    name: 'list_trash',
    title: 'List the deleted pages',
    description: 'The pages in the trash, the last deleted first.',
    endpoint: 'listTrash',
    isBounded: true,
    hints: READS,
  },
  {
    name: 'restore_page',
    title: 'Restore a deleted page',
    description: 'Brings a page back from the trash, with all that it had. Give a slug where its own is taken.',
    endpoint: 'restoreDeployment',
    hints: ADDS,
  },
  {
    name: 'list_versions',
    title: 'List the versions of a page',
    description: 'The versions of the HTML of a page that are kept, newest first, and which of them is live.',
    endpoint: 'listVersions',
    isBounded: true,
    hints: READS,
  },
  {
    name: 'restore_version',
    title: 'Restore a version of a page',
    description: 'Undoes changes: the HTML of a version is live at once, as a new version.',
    endpoint: 'restoreVersion',
    hints: REPLACES,
  },
  {
    name: 'get_settings',
    title: 'Get the settings of a page',
    description:
      'Who gets mail about submissions and has confirmed, where visitors are sent, when the form is open, what is spam, and the other settings.',
    endpoint: 'getSettings',
    hints: READS,
  },
  {
    name: 'change_settings',
    title: 'Change the settings of a page',
    description:
      'Changes the settings that are given. To set up mail: email_notifications true, and recipients if others than the owner get ' +
      'it; use only addresses that the user has given. Then call test_mail.',
    endpoint: 'changeSettings',
    hints: REPLACES,
  },
];
