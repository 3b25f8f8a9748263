import { describe, expect, it } from 'vitest';
import type { FieldLabels } from '../../src/dashboard/dashboard-words.ts';
import { TEMPLATE_TYPE } from '../../src/problems/problem-document.ts';
import { readProblem } from '../../src/problems/read-problem.ts';
import { startAgent, textsOf } from '../support/agent.ts';
import { formProblem, inViewWords, LABELS, sentenceOf } from '../support/english-dashboard.ts';
import { ownerCommands } from '../support/run-owner-commands.ts';
import { JSON_TYPE, UNKNOWN_ID } from '../support/test-service.ts';

/*
 * One error, and one notice, as each surface says it: the API, the command line, a tool of agents, and the dashboard.
 */

const { service, owner, run } = await ownerCommands();
const { call, errorOf } = await startAgent(service.url, owner.key);
const page = await owner.deploy({ slug: 'spring-fair' });
const deleted = await owner.deploy();
await owner.delete(`/deploy/${deleted.id}`).expect(200);
const { id } = page;

async function ask(accept: string, [method, path, body]: Case['request']): Promise<{ text: string; notice: string }> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${owner.key}`, ...JSON_TYPE, Accept: accept },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { text: await response.text(), notice: response.headers.get('formhost-notice') ?? '' };
}

type Case = {
  request: [method: string, path: string, body?: object];
  api: string;
  command: [words: string[], sentence: string];
  tool: [name: string, values: object, sentence: string];
  /** The labels of the form, and the text at a field. Without a field: the message. */
  view: [labels: FieldLabels, field: string | undefined, sentence: string];
};

const CORRECT = ' Correct the arguments, then call the tool again.';
const settings = (value: object, words: string[]): Pick<Case, 'request'> & { words: string[]; value: object } => ({
  request: ['PATCH', `/deploy/${id}`, value],
  words: ['settings', 'set', 'spring-fair', ...words],
  value: { id, ...value },
});

const half = settings({ confirmation: { field: 'email', text: 'x' } }, ['confirmation={"field":"email","text":"x"}']);
const captcha = settings({ spam: { captcha: { provider: 'x' } } }, ['spam={"captcha":{"provider":"x"}}']);
const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.org`);
const many = settings({ recipients: six }, [`recipients=${six.join(',')}`]);
const never = settings({ opens_at: '2030-02-01T00:00:00Z', closes_at: '2030-01-01T00:00:00Z' }, [
  'opens_at=2030-02-01T00:00:00Z',
  'closes_at=2030-01-01T00:00:00Z',
]);

const CASES: Readonly<Record<string, Case>> = {
  'a missing field': {
    request: half.request,
    api: 'confirmation.subject is not a string: send a text.',
    command: [half.words, 'confirmation.subject is not a string: give a text.'],
    tool: ['change_settings', half.value, `confirmation.subject is not a string: send a text.${CORRECT}`],
    view: [LABELS, 'confirmation.subject', 'Subject of the mail is not a string: enter a text.'],
  },
  'a part of a setting': {
    request: captcha.request,
    api: 'spam.captcha.provider is not known: send altcha, turnstile, hcaptcha, recaptcha.',
    command: [captcha.words, 'spam.captcha.provider is not known: give altcha, turnstile, hcaptcha, recaptcha.'],
    tool: [
      'change_settings',
      captcha.value,
      `spam.captcha.provider is not known: send altcha, turnstile, hcaptcha, recaptcha.${CORRECT}`,
    ],
    view: [LABELS, 'spam.captcha.provider', 'Captcha is not known: enter altcha, turnstile, hcaptcha, recaptcha.'],
  },
  'a list that is too long': {
    request: many.request,
    api: 'recipients is too long: send at most 5 addresses.',
    command: [many.words, 'recipients is too long: give at most 5 addresses.'],
    tool: ['change_settings', many.value, `recipients is too long: send at most 5 addresses.${CORRECT}`],
    view: [LABELS, 'recipients', 'Recipients is too long: enter at most 5 addresses.'],
  },
  'two times that exclude each other': {
    request: never.request,
    api: 'opens_at is not before closes_at: send an earlier opens_at, or a later closes_at.',
    command: [never.words, 'opens_at is not before closes_at: give an earlier opens_at, or a later closes_at.'],
    tool: [
      'change_settings',
      never.value,
      `opens_at is not before closes_at: send an earlier opens_at, or a later closes_at.${CORRECT}`,
    ],
    view: [LABELS, 'opens_at', 'Opens is not before Closes: enter an earlier Opens, or a later Closes.'],
  },
  'two options that exclude each other': {
    request: ['GET', `/deploy/${id}/stats?from=2026-11-02&to=2026-11-02`],
    api: 'from is not before to: send an earlier from, or a later to.',
    command: [
      ['stats', 'spring-fair', '--from', '2026-11-02', '--to', '2026-11-02'],
      '--from is not before --to: give an earlier --from, or a later --to.',
    ],
    tool: [
      'get_stats',
      { id, from: '2026-11-02', to: '2026-11-02' },
      `from is not before to: send an earlier from, or a later to.${CORRECT}`,
    ],
    view: [{ from: 'From', to: 'To' }, 'from', 'From is not before To: enter an earlier From, or a later To.'],
  },
  'a slug that is taken': {
    request: ['POST', `/trash/${deleted.id}/restore`, { slug: 'spring-fair' }],
    api: 'slug is taken: choose another, or leave it out.',
    command: [
      ['trash', 'restore', deleted.id, '--slug', 'spring-fair'],
      '--slug is taken: choose another, or leave it out.',
    ],
    tool: [
      'restore_page',
      { id: deleted.id, slug: 'spring-fair' },
      'slug is taken: choose another, or leave it out. Then call the tool again.',
    ],
    view: [{ slug: 'New slug' }, 'slug', 'New slug is taken: choose another, or leave it out.'],
  },
  'a parameter of a query': {
    request: ['GET', `/deploy/${id}/stats?from=x`],
    api: 'from is invalid: send a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22, once. In a URL, + is %2B.',
    command: [
      ['stats', 'spring-fair', '--from', 'x'],
      '--from is invalid: give a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22.',
    ],
    tool: [
      'get_stats',
      { id, from: 'x' },
      `from is invalid: send a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22.${CORRECT}`,
    ],
    view: [
      { from: 'From' },
      'from',
      'From is invalid: enter a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22.',
    ],
  },
  'a field with a value': {
    request: ['POST', `/webhooks/${id}`, { url: 'https://hooks.slack.com/services/x' }],
    api: 'url is a webhook of Slack, which takes messages in its own format only: send type: slack when you create the webhook.',
    command: [
      ['webhooks', 'add', 'spring-fair', 'https://hooks.slack.com/services/x'],
      '<url> is a webhook of Slack, which takes messages in its own format only: give --type slack when you create the webhook.',
    ],
    tool: [
      'add_webhook',
      { id, url: 'https://hooks.slack.com/services/x' },
      `url is a webhook of Slack, which takes messages in its own format only: send type: slack when you create the webhook.${CORRECT}`,
    ],
    view: [
      { url: 'Webhook URL', type: 'Receiver' },
      'url',
      'Webhook URL is a webhook of Slack, which takes messages in its own format only: enter Receiver: slack when you create the webhook.',
    ],
  },
  'a webhook that is not there': {
    request: ['DELETE', `/webhooks/${id}/wh_x`],
    api: 'No such webhook: check the id.',
    command: [
      ['webhooks', 'remove', 'spring-fair', 'wh_x'],
      'No such webhook: check the id. `formhost webhooks list` has the ids of the webhooks of a page, `formhost list` those of the pages.',
    ],
    tool: [
      'remove_webhook',
      { id, webhook_id: 'wh_x' },
      'No such webhook: check the id. list_webhooks has the ids of the webhooks of a page, list_pages those of the pages.',
    ],
    view: [{}, undefined, 'No such webhook: check the id.'],
  },
  'a deleted page that is not there': {
    request: ['POST', `/trash/${UNKNOWN_ID}/restore`],
    api: 'No such deleted deployment: choose one that GET /trash lists.',
    command: [['trash', 'restore', UNKNOWN_ID], 'No such deleted page: choose one that `formhost trash list` lists.'],
    tool: [
      'restore_page',
      { id: UNKNOWN_ID },
      'No such deleted page: choose one that list_trash lists. list_pages has the ids and slugs of the pages, list_trash those of deleted ones.',
    ],
    view: [{}, undefined, 'No such deleted page: choose one that the trash lists.'],
  },
};

describe('an error', () => {
  it.each(Object.entries(CASES))('%s', async (_, { request, api, command, tool, view }) => {
    const { error } = JSON.parse((await ask('*/*', request)).text);
    expect(error).toBe(api);
    const [words, ofCommand] = command;
    expect((await run(words)).stderr).toBe(`formhost: ${ofCommand}\n`);
    const [name, values, ofTool] = tool;
    expect(await errorOf(name, { ...values })).toBe(ofTool);
    const [labels, field, ofView] = view;
    const problem = readProblem(JSON.parse((await ask(TEMPLATE_TYPE, request)).text));
    const { message, atFields } = formProblem(problem ?? { code: '', detail: '', errors: [], next: undefined }, labels);
    expect([message, atFields]).toEqual(field === undefined ? [ofView, {}] : ['', { [field]: ofView }]);
  });

  it('of several values names each', async () => {
    const value = { redirect_url: 'x', retention_days: 'x' };
    const problem = readProblem(JSON.parse((await ask(TEMPLATE_TYPE, ['PATCH', `/deploy/${id}`, value])).text));
    const url = 'is not an absolute http or https URL: send one such as https://example.org/thanks, or';
    const days = 'is not a whole number: send days, or';
    const entered = (text: string): string => text.replace('send', 'enter');
    expect(problem && formProblem(problem, LABELS).atFields).toEqual({
      redirect_url: `Redirect URL ${entered(url)} leave it empty.`,
      retention_days: `Delete submissions after days ${entered(days)} leave it empty.`,
    });
    expect(problem && formProblem(problem, LABELS, sentenceOf)).toEqual({
      message: '',
      atFields: {
        redirect_url: 'Enter the address of a page, such as https://example.org/thanks, or leave it empty.',
        retention_days: 'Enter a whole number such as 365, or leave it empty.',
      },
    });
    const given = (text: string): string => text.replace('send', 'give');
    const { stderr } = await run(['settings', 'set', id, 'redirect_url=x', 'retention_days=x']);
    expect(stderr).toBe(`formhost: redirect_url ${given(url)} null. retention_days ${given(days)} null.\n`);
    expect(await errorOf('change_settings', { id, ...value })).toBe(
      `redirect_url ${url} null. retention_days ${days} null.${CORRECT}`,
    );
  });
});

it('a notice', async () => {
  const recipients = ['ada@example.org'];
  const request: Case['request'] = ['PATCH', `/deploy/${id}`, { recipients }];
  const notice = 'Mail is off: the operator must set SMTP_URL. Then send recipients again';
  expect((await ask('*/*', request)).notice).toBe(notice);
  expect((await run(['settings', 'set', id, 'recipients=ada@example.org'])).stderr).toContain(
    'Mail is off: the operator must set SMTP_URL. Then give recipients again\n',
  );
  expect(textsOf(await call('change_settings', { id, recipients }))).toContain(notice);
  expect(inViewWords((await ask(TEMPLATE_TYPE, request)).notice)).toBe(notice.replace('send', 'enter'));
});
