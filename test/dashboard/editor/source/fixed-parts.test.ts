import { describe, expect, it } from 'vitest';
import { places } from '../../../../src/dashboard/editor/source/editable-places.ts';
import { untouchable } from '../../../../src/dashboard/editor/source/fixed-parts.ts';
import { readSource } from '../../../../src/dashboard/editor/source/page-source.ts';

const reasons = (html: string): string[] => untouchable(readSource(html)).map(({ line, why }) => `${line} ${why}`);

describe('untouchable', () => {
  it.each([
    ['<script src=a.js></script>', ['1 script']],
    ["<p id=a></p>\n<script>$('#a').text('made')</script>", ['2 script']],
    ["<script>$('#a').html(made)</script>", ['1 script']],
    ["<script>Vue.createApp({}).mount('#a')</script>", ['1 script']],
    ["<script>const a = await fetch('/a').then((r) => r.text())</script>", []],
    ['<script type=application/json>{"a": "innerHTML"}</script>', []],
    ['<p x-text=name>Name</p>', ['1 script']],
    ['<svg><text>a</text></svg><svg><path /></svg>', ['1 drawing']],
    ['<math><mi>x</mi></math>', ['1 formula']],
    ['<iframe src=a></iframe>\n<video src=a></video>\n<audio></audio>', ['1 embedded', '2 embedded', '3 embedded']],
    ['<canvas>a</canvas>\n<object data=a></object>', ['1 embedded', '2 embedded']],
    ['<textarea name=a>Text</textarea>\n<textarea name=b></textarea>', ['1 field']],
    ['<label>Name <input name=a placeholder="Mary"></label>', ['1 field']],
    // The settings of the page have it as the label of the field.
    ['<form><input name=a placeholder="Name"></form>', []],
    ['<table>no<tr><td>a</table>', ['1 nesting']],
  ])('has of %j %j', (html, wanted) => {
    expect(reasons(html)).toEqual(wanted);
  });

  it('has the texts that a script fills in, which are no places', () => {
    const html = '<p>{{ message }}</p>\n<p>Hello</p><a href=x>{{ more }}</a>';
    const scripted = `${html}<script type=module>a()</script>`;
    expect(reasons(scripted)).toEqual(['1 script', '2 script']);
    expect(places(readSource(scripted)).map(({ text }) => text)).toEqual(['Hello', undefined]);
    expect(reasons(html)).toEqual([]);
    expect(places(readSource(html)).map(({ text }) => text)).toEqual(['{{ message }}', 'Hello', '{{ more }}']);
  });
});
