import { SIZES } from '../../../sizes.ts';
import { READS_VISITORS, type Tool } from '../tool.ts';

/** wait_for_submission waits as long when the agent does not say: less than clients wait for an answer. */
const WAIT_SECONDS = 20;

export const SUBMISSION_TOOLS: readonly Tool[] = [
  {
    name: 'list_submissions',
    description: 'The submissions of a page, newest first; get_submission has one in full.',
    endpoint: 'listSubmissions',
    isBounded: true,
    hints: READS_VISITORS,
  },
  {
    name: 'search_submissions',
    description: 'Finds a text in submissions, or those of a time, newest first.',
    endpoint: 'searchSubmissions',
    fields: ['q', 'from', 'to', 'cursor', 'limit'],
    isBounded: true,
    hints: READS_VISITORS,
  },
  {
    name: 'wait_for_submission',
    description:
      'Returns the submissions after a cursor, oldest first, and waits while there are none. Without a cursor it begins with the ' +
      'first submission of the page; for only those to come, give the id of the newest (list_submissions) as the cursor. Give `next` ' +
      'of each answer to the next call, also after an answer without submissions.',
    endpoint: 'listSubmissionsAfter',
    defaults: { cursor: '0', wait: WAIT_SECONDS },
    isBounded: true,
    hints: READS_VISITORS,
  },
  { name: 'get_submission', description: 'One submission in full.', endpoint: 'getSubmission', hints: READS_VISITORS },
  {
    name: 'read_file',
    description:
      'The name, type and size of a file, and its text. text is null for a file that is no text in UTF-8, or has more than ' +
      `${SIZES.file.chunkBytes} bytes: its url, with the API key, has it.`,
    endpoint: 'getFile',
    isBounded: true,
    hints: READS_VISITORS,
  },
  {
    name: 'get_stats',
    description: 'How many submissions a page has received in each hour or day.',
    endpoint: 'getStatistics',
    isBounded: true,
  },
  {
    name: 'submit_test',
    description:
      'Stores a submission that is marked as a test, as if a visitor had sent it: webhooks and mail get it. The spam check is left ' +
      'out. list_deliveries and list_mails show the outcome.',
    endpoint: 'submitTest',
  },
  {
    name: 'list_spam',
    description: 'Submissions that are kept apart as spam, with the reason, newest first.',
    endpoint: 'listSpam',
    isBounded: true,
    hints: READS_VISITORS,
  },
  {
    name: 'release_spam',
    description: 'Accepts a submission of list_spam as if it came now: it is listed, and sent to webhooks and by mail.',
    endpoint: 'releaseSpam',
    ifMissing: 'list_spam has what can be released.',
  },
];
