import { describe, expect, it } from 'vitest';
import {
  editImage,
  editLink,
  editText,
  type Place,
  places,
} from '../../../../src/dashboard/editor/source/editable-places.ts';
import { markForFrame } from '../../../../src/dashboard/editor/source/frame-marks.ts';
import { readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { applyEdits, type Edit } from '../../../../src/dashboard/editor/source/source-edits.ts';

const placesIn = (html: string): Place[] => places(readSource(html));
/** Places as `kind "text"`. */
const brief = (html: string): string[] => placesIn(html).map(({ kind, text }) => `${kind} ${JSON.stringify(text)}`);
/** HTML after edits of its place with this id. */
function changed(html: string, change: (source: ReturnType<typeof readSource>) => Edit[]): string {
  return applyEdits(html, change(readSource(html)));
}
const withText = (html: string, text: string, id = 0): string => changed(html, (source) => editText(source, id, text));

describe('places', () => {
  it('are texts, links, images and buttons, with where they stand', () => {
    expect(placesIn('<h1>Hi</h1>\r\n<a href="/x">Go</a><img src="a.png"><input type=submit value=Send>')).toEqual([
      { id: 0, kind: 'text', text: 'Hi', from: 4, to: 6, line: 1, column: 5 },
      { id: 1, kind: 'link', text: 'Go', href: '/x', from: 13, to: 32, line: 2, column: 1 },
      { id: 2, kind: 'image', src: 'a.png', alt: '', from: 32, to: 49, line: 2, column: 20 },
      { id: 3, kind: 'button', text: 'Send', from: 49, to: 79, line: 2, column: 37 },
    ]);
  });

  it('are several where elements stand in a text', () => {
    expect(brief('<p>Hello <b>you</b>, there</p>')).toEqual(['text "Hello"', 'text "you"', 'text ", there"']);
    expect(brief('<a href=x>Go <b>on</b></a><button>Send <i>it</i></button>')).toEqual([
      ...['link undefined', 'text "Go"', 'text "on"', 'text "Send"', 'text "it"'],
    ]);
  });

  it.each([
    '<!-- no --><script>no</script><style>no</style><template><p>no</template><noscript>no</noscript>',
    '<svg><text>no</text></svg><math><mi>no</mi></math><textarea>no</textarea><select><option>no</select>',
    '<title>no</title><iframe>no</iframe><object>no</object><p title=no hidden> </p>',
    // The tree is not as the HTML.
    '<table>no<tr><td></td></tr></table><table><b>no</b><tr></table>',
    '<p><b><p>no</b>',
    '<a href=x><p></a>no</p>',
    '<p>no</b>no</p>',
  ])('are not in %s', (html) => {
    expect(brief(html)).toEqual([]);
  });

  it.each([
    ['<ul><li>one<li>two</ul><p>three<p>four', ['text "one"', 'text "two"', 'text "three"', 'text "four"']],
    ['<table><tr><th>A<td>B</table>', ['text "A"', 'text "B"']],
    ['\ufeffText</body>\n</html>\n', ['text "Text"']],
    ['<P CLASS=a ID=b id=c>A\0B &eacute &amp</P>', ['text "AB é &"']],
    ['<body class=a>\n<p>A<p>B', ['text "A"', 'text "B"']],
    ['<body><p>A</p></html>\n<!-- end -->', ['text "A"']],
    ['<pre>\n\n  a\r\n  b\n</pre>', ['text "a\\n  b"']],
  ])('are in %j', (html, expected) => {
    expect(brief(html)).toEqual(expected);
  });
});

describe('editText', () => {
  it.each([
    ['<p>\n  Hello &amp; welcome\n</p>', 'Hello & goodbye', '<p>\n  Hello &amp; goodbye\n</p>'],
    ['<p>a &copy b</p>', 'a © c', '<p>a &copy c</p>'],
    ['<p>a & b</p>', 'a & c < d', '<p>a & c &lt; d</p>'],
    ['<p>&am</p>', '&amp;', '<p>&amp;amp;</p>'],
    ['<p>a\r\nb</p>', 'a\nb\nc', '<p>a\r\nb\r\nc</p>'],
    ['<pre>One\n  two\nthree</pre>', 'One\n  two\nthree!', '<pre>One\n  two\nthree!</pre>'],
    ['<p>&eacute;\r\nb\r  &eacute;\nd</p>', '!é\nb\n  é\nd!', '<p>!&eacute;\r\nb\r  &eacute;\nd!</p>'],
    ['<p>a\r\nb\r\nc</p>', 'a b\nc', '<p>a b\r\nc</p>'],
    ['<a href=x></a>', 'Go', '<a href=x>Go</a>'],
    ['<p>😀</p>', '😁', '<p>😁</p>'],
    ['<p> a </p>', '', '<p>  </p>'],
    ['<button>Send</button>', 'Go', '<button>Go</button>'],
    ['<input type=submit>', 'Go "now"', '<input type=submit value="Go &quot;now&quot;">'],
    ['<input type=submit value=Send>', 'Go on', '<input type=submit value="Go on">'],
  ])('in %j writes %j', (html, text, expected) => {
    expect(withText(html, text)).toBe(expected);
  });
});

describe('editLink and editImage', () => {
  it('change attributes, and keep how they are quoted', () => {
    expect(changed("<a href='?a=1&b=2'>x</a>", (source) => editLink(source, 0, { href: "?a=1&b=3'" }))).toBe(
      "<a href='?a=1&b=3&#39;'>x</a>",
    );
    expect(changed('<a href=x>y</a>', (source) => editLink(source, 0, { text: 'z', href: '/w' }))).toBe(
      '<a href="/w">z</a>',
    );
    expect(changed('<img src=a alt>', (source) => editImage(source, 0, { alt: 'A cat' }))).toBe(
      '<img src=a alt="A cat">',
    );
    expect(changed('<IMG SRC=a/>', (source) => editImage(source, 0, { alt: 'A' }))).toBe('<IMG alt="A" SRC=a/>');
  });

  it('leave an image no other source', () => {
    const html = '<picture><source srcset="b.webp"><img src="a.png" srcset="c.png 2x" sizes="1px"></picture>';
    expect(changed(html, (source) => editImage(source, 0, { src: 'd.png' }))).toBe(
      '<picture><source><img src="d.png"></picture>',
    );
  });
});

describe('markForFrame', () => {
  const marked = (html: string): string => markForFrame(readSource(html));

  it('marks places, and puts an element around a text beside others', () => {
    expect(marked('<p class=a>x</p><p>a <b>b</b></p><a href=x>y</a><img src=z>')).toBe(
      '<p data-formhost-place="0" class=a>x</p>' +
        '<p><formhost-text data-formhost-place="1">a</formhost-text> <b data-formhost-place="2">b</b></p>' +
        '<a data-formhost-place="3" href=x>y</a><img data-formhost-place="4" src=z>',
    );
  });

  it.each([
    ['<script src=a type=module>x()</script>', '<script type="text/formhost-off">x()</script>'],
    ['<svg onload=x()><script href=a /></svg>', '<svg><script type="text/formhost-off"/></svg>'],
    ['<br ONCLICK=x onclick=y class="a&quot;">', '<br class="a&quot;">'],
    ['<meta http-equiv=refresh content="0;url=//evil">', '<meta content="0;url=//evil">'],
    ['<iframe srcdoc="<script>" src=x></iframe><embed src=x>', '<iframe></iframe><embed>'],
    ['<form action=" java\nscript:x()"></form>', '<form></form>'],
    ['<p data-formhost-place=7> </p>', '<p> </p>'],
    ['<body><body onload=x()>', '<body><body>'],
    ['\ufeff<!doctype html><br>', '<!doctype html><br>'],
  ])('leaves out what runs, and a byte order mark, in %j', (html, expected) => {
    expect(marked(html)).toBe(expected);
  });
});
