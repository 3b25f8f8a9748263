import { describe, expect, it } from 'vitest';
import { untilInterrupted } from '../../../src/commands/owner/interrupt.ts';
import { checkNames } from '../../../src/commands/owner/local-names.ts';

describe('names of files on other systems', () => {
  it.each([
    'notes:today.html',
    'a/what?.png',
    'aux',
    'img/NUL.txt',
    'com1.js',
    'draft.',
    'folder /a.css',
    'a|b',
    'lpt¹',
  ])('Windows has no file %s', (path) => {
    expect(() => checkNames(['index.html', path], 'win32')).toThrow(`${path} cannot be stored on Windows`);
    expect(() => checkNames(['index.html', path], 'linux')).not.toThrow();
  });

  it.each([
    ['A.html', 'a.html'],
    ['img/a.png', 'IMG/b.png'],
    ['docs', 'Docs/index.html'],
  ])('%s and %s are one on Windows and macOS', (...paths) => {
    for (const platform of ['win32', 'darwin'] as const) {
      expect(() => checkNames(paths, platform)).toThrow('would be one here');
    }
    expect(() => checkNames(paths, 'linux')).not.toThrow();
  });

  it('takes what they can store', () => {
    const paths = ['index.html', 'img/a.png', 'img/b.png', 'console.js', 'com10.js', '.well-known/x', 'é.html'];
    for (const platform of ['win32', 'darwin'] as const) expect(() => checkNames(paths, platform)).not.toThrow();
  });
});

it('a signal that comes twice at once, from the terminal and from npm, interrupts once', async () => {
  const before = process.listenerCount('SIGINT');
  await untilInterrupted(async (signal) => {
    process.emit('SIGINT');
    // Without a listener the second one would end the process.
    expect([signal.aborted, process.listenerCount('SIGINT')]).toEqual([true, before + 1]);
    process.emit('SIGTERM');
    expect(process.exitCode).toBe(130);
    throw new Error('cleaned up');
  });
  expect(process.listenerCount('SIGINT')).toBe(before);
  process.exitCode = undefined;
});
