import { describe, expect, it } from 'vitest';
import { Turn } from '../../src/http/response/turn.ts';

describe('Turn', () => {
  it('ends once for all who wait in it, after what was ready in it, and before the next one', async () => {
    const turn = new Turn();
    const events: string[] = [];
    const first = turn.end();
    expect(turn.end()).toBe(first);
    process.nextTick(() => events.push('tick'));
    setImmediate(() => events.push('next turn'));
    void Promise.resolve().then(() => {
      events.push('microtask');
      expect(turn.end()).toBe(first);
    });
    await first;
    expect(events.toSorted()).toEqual(['microtask', 'tick']);
    expect(turn.end()).not.toBe(first);
    await turn.end();
    expect(events.toSorted()).toEqual(['microtask', 'next turn', 'tick']);
  });
});
