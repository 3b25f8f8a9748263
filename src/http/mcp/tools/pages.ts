import { READS, REPLACES, type Tool } from '../tool.ts';

const CHECKED = { endpoint: 'checkDeployment', field: 'problems' } as const;

export const PAGE_TOOLS: readonly Tool[] = [
  {
    name: 'publish_page',
    description:
      'Publishes an HTML page at a public address of its own. A form is received here with ' +
      '<form method="post" action="{{FORM_ACTION}}">, and a name for each field. Returns the id for the other tools, the ' +
      'url to give to people, and the problems of its forms (null: not checked): where one has the severity error, correct the HTML ' +
      'and call update_page. To change a page that exists, call update_page.',
    endpoint: 'createDeployment',
    followUp: CHECKED,
  },
  {
    name: 'update_page',
    description:
      'Replaces the whole HTML of a page (get_html has it as it is). Its address and its submissions stay, and the HTML before is ' +
      'kept as a version. With files, these replace all other files of the page, and removed_files names those that are gone; ' +
      'without, they stay. Returns the problems of its forms, as publish_page does.',
    endpoint: 'replaceHtml',
    followUp: CHECKED,
  },
  {
    name: 'check_html',
    description:
      'Reads HTML as browsers do, and returns its forms, their fields, and what keeps them from working. Publishes and stores nothing.',
    endpoint: 'checkHtml',
    hints: READS,
  },
  {
    name: 'list_pages',
    description: 'The pages of the owner, newest first.',
    endpoint: 'listDeployments',
    isBounded: true,
  },
  {
    name: 'get_page',
    description: 'The address of a page, its number of submissions, and when it was made and changed.',
    endpoint: 'getDeployment',
  },
  {
    name: 'get_html',
    description:
      'The HTML of a page as it was sent, with {{FORM_ACTION}}. A long one comes in parts: read on at next_offset until that is null, ' +
      'before you edit the whole and call update_page.',
    endpoint: 'getHtml',
    inParts: 'html',
  },
  {
    name: 'delete_page',
    description:
      'Takes a page offline. Ask the user before. It is in the trash with its submissions for some time: restore_page undoes this.',
    endpoint: 'deleteDeployment',
  },
  {
    name: 'list_trash',
    description: 'The pages in the trash, the last deleted first.',
    endpoint: 'listTrash',
    isBounded: true,
  },
  {
    name: 'restore_page',
    description: 'Brings a page back from the trash, with all that it had. Give a slug where its own is taken.',
    endpoint: 'restoreDeployment',
  },
  {
    name: 'list_versions',
    description: 'The versions of the HTML of a page that are kept, newest first, and which of them is live.',
    endpoint: 'listVersions',
    isBounded: true,
  },
  {
    name: 'restore_version',
    description: 'Undoes changes: the HTML of a version is live at once, as a new version.',
    endpoint: 'restoreVersion',
    hints: REPLACES,
  },
  {
    name: 'get_settings',
    description:
      'All settings: mail about submissions and its recipients, where visitors are sent, when the form is open, spam, and others.',
    endpoint: 'getSettings',
  },
  {
    name: 'change_settings',
    description:
      'Changes the settings that are given. To set up mail: email_notifications true, and recipients if others than the owner get ' +
      'it; use only addresses that the user has given. Then call test_mail.',
    endpoint: 'changeSettings',
  },
];
