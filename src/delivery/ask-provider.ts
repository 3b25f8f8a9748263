import type { AskProvider, createSiteverify, Siteverify, SiteverifyUrls } from './siteverify.ts';

export type { SiteverifyUrls };

/** Asks providers of captchas. What that needs is loaded at the first question. */
export function createAskProvider(parts: Parameters<typeof createSiteverify>[0]): Siteverify {
  let siteverify: Promise<Siteverify> | undefined;

  async function open(): Promise<Siteverify> {
    const { createSiteverify } = await import('./siteverify.ts');
    return createSiteverify(parts);
  }

  const ask: AskProvider = async (question) => {
    siteverify ??= open();
    return (await siteverify).ask(question);
  };

  return {
    ask,
    async close() {
      await (await siteverify)?.close();
    },
  };
}
