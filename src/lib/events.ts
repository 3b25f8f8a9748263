/**
 * The events that a webhook can receive. A new event also needs a statement that creates its deliveries (src/db), a
 * payload (src/delivery/webhooks/payloads.ts; the compiler reports a missing one) and documentation: see CONTRIBUTING.md.
 */
export const EVENTS = ['submission'] as const;

export type Event = (typeof EVENTS)[number];
