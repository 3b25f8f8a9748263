import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { printAnswer, printable, printLine, printList, printOutcome, printTable, say } from '../output.ts';
import { type Connect, connectToPage } from './service.ts';

export function declareDomains(program: Command, connect: Connect): void {
  const group = program.command('domains').description('Domains of your own, which lead to a page');
  declareList(group, connect);
  declareAdd(group, connect);
  declareCheck(group, connect);
  declareRemove(group, connect);
}

/** Declares a command about one domain of a page. */
const forDomain = (group: Command, name: string, description: string, ...help: string[]) =>
  forPage(group, name, description, ...help, `$ domains ${name} contact forms.shop.example`).argument(
    '<domain>',
    'such as forms.shop.example',
  );

const declareList = (group: Command, connect: Connect): unknown =>
  forPage(group, 'list', 'List the domains of a page', '$ domains list contact').action(async (name, output) => {
    const { service, id } = await connectToPage(connect, name);
    await printList(
      [await service.answer(service.api.GET('/deploy/{id}/domains', { params: { path: { id } } }))],
      ['DOMAIN', 'STATUS', 'CHECKED', 'PROBLEM'],
      ({ domains }) => domains.map(({ domain, status, checked_at, problem }) => [domain, status, checked_at, problem]),
      output,
    );
  });

const declareAdd = (group: Command, connect: Connect): unknown =>
  forDomain(group, 'add', 'Add a domain, and print its DNS records').action(async (name, given, { json }) => {
    const { service, id } = await connectToPage(connect, name);
    const { data, text } = await service.answer(
      service.api.POST('/deploy/{id}/domains', { params: { path: { id } }, body: { domain: given } }),
    );
    if (json) return await printAnswer(text);
    await printTable(
      ['TYPE', 'NAME', 'VALUE'],
      data.records.map(({ type, name, value }) => [type, name, value]),
    );
    say(`add these records at your DNS provider, then: formhost domains check ${name} ${data.domain}`);
  });

const declareCheck = (group: Command, connect: Connect): unknown =>
  forDomain(
    group,
    'check',
    'Look at the DNS records of a domain now, and print its status',
    'The exit code is 1 unless the domain is live.',
  ).action(async (name, given, { json }) => {
    const { service, id } = await connectToPage(connect, name);
    const { data, text } = await service.answer(
      service.api.POST('/deploy/{id}/domains/{domain}/check', { params: { path: { id, domain: given } } }),
    );
    await (json ? printAnswer(text) : printLine(printable(data.status)));
    if (!json && data.problem !== null) say(data.problem);
    if (data.status !== 'live') process.exitCode = 1;
  });

const declareRemove = (group: Command, connect: Connect): unknown =>
  forDomain(group, 'remove', 'Remove a domain from a page').action(async (name, given, output) => {
    const { service, id } = await connectToPage(connect, name);
    const { data, text } = await service.answer(
      service.api.DELETE('/deploy/{id}/domains/{domain}', { params: { path: { id, domain: given } } }),
    );
    await printOutcome(text, data.domain, 'removed: delete its records at your DNS provider too', output);
  });
