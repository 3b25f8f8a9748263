import type { Vocabulary } from '../../problems/sentence.ts';
import type { Endpoint } from '../operation/declaration.ts';

/*
 * The words of agents for what the API names: they give arguments, call tools, and know a deployment as a page.
 */

/** The argument for a parameter of a path: a page is `id` in all tools, and `webhookId` becomes `webhook_id`. */
export const argumentFor = (parameter: string): string =>
  parameter === 'deployId' ? 'id' : parameter.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the vocabulary of agents for a list of endpoints. */
export function agentWords(endpoints: readonly Endpoint[]): Vocabulary {
  const names = new Map<string, string>();
  const routes = new Map(endpoints.map(({ name, method, path }) => [name, `${method} ${path}`]));
  for (const { tool } of endpoints) {
    // An operation without a tool of its own may be called after another one.
    const route = tool?.followUp && routes.get(tool.followUp.operation);
    if (tool?.followUp && route) names.set(route, `the ${tool.followUp.field} that ${tool.name} returns`);
  }
  for (const { method, path, tool } of endpoints) if (tool) names.set(`${method} ${path}`, tool.name);
  return {
    words: { deployment: 'page', Deployment: 'Page', once: '', plus: '' },
    field: (name) => (/^[a-z]+(?:[A-Z][a-z]*)+$/.test(name) ? argumentFor(name) : undefined),
    operation: (route) => names.get(route),
  };
}
