import type { App } from '../app.ts';
import { refusalOf } from '../operation/access.ts';
import type { Endpoint } from '../operation/declaration.ts';
import { callTool, type Exchange } from './call-tool.ts';
import { type BoundTool, bindTools } from './descriptors.ts';

/** The result of a call in all versions of the protocol. `structured` is the JSON text of the structured content: it stays as it is. */
export type ToolResult = {
  result: { content: { type: 'text'; text: string }[]; isError?: true };
  structured: string | undefined;
};

/** The tools of the service: those that an owner's key may call, and their calls. */
export class ToolSet {
  readonly #app: Pick<App, 'config' | 'db' | 'log'>;
  readonly #tools: ReadonlyMap<string, BoundTool>;

  constructor(app: Pick<App, 'config' | 'db' | 'log'>, endpoints: readonly Endpoint[]) {
    this.#app = app;
    this.#tools = bindTools(endpoints);
  }

  descriptorsFor({ owner }: Pick<Exchange, 'owner'>): BoundTool['descriptor'][] {
    return Array.from(this.#tools.values()).flatMap(({ access, descriptor }) =>
      refusalOf(access, owner) ? [] : [descriptor],
    );
  }

  /** Calls a tool by its name. Returns undefined where there is none. */
  async call(name: string, args: Record<string, unknown> = {}, exchange: Exchange): Promise<ToolResult | undefined> {
    const tool = this.#tools.get(name);
    if (!tool) return undefined;
    const { texts, structured } = await callTool(tool, args, exchange, this.#app);
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    return { result: { content, ...(structured === undefined && { isError: true as const }) }, structured };
  }
}
