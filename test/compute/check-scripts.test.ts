import { describe, expect, it } from 'vitest';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { checkScript } from '../../src/compute/check/script-problems.ts';

const ADDRESSES = {
  baseUrl: 'https://forms.test',
  pagesDomain: 'pages.test',
  page: { url: 'https://sale.pages.test', action: 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm' },
};

/** Problems of a script that is a file, as `severity code line:column`. */
const inFile = (text: string): string[] =>
  checkScript({ text: Buffer.from(text), addresses: ADDRESSES }).problems.map(
    ({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`,
  );
const onPage = (html: string) =>
  (checkPage({ html: Buffer.from(html), addresses: ADDRESSES, maxFields: 50 })?.problems ?? []).map(
    ({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`,
  );

it('takes the address for forms made for other services for that of the page', () => {
  const foreign = 'https://forms.test/f/d_0VbbZBZKKTcBD17YQfyDgVGm';
  const posting = (action: string) =>
    onPage(`<form method="post" action="${action}"><input name="a"><button>Send</button></form>`);
  expect([posting(foreign), posting(`${foreign}.json`)]).toEqual([[], []]);
  const another = 'https://forms.test/f/d_0VbbZBZKKTcBD17YQfyDgVGn';
  expect(posting(another)).toEqual(posting(another.replace('/f/', '/submit/')));
  expect(posting(another)).not.toEqual([]);
  const byScript = (address: string) =>
    onPage(`<form><input name="a"><button>Send</button></form><script>send('${address}')</script>`);
  expect(byScript(foreign)).toEqual([]);
  expect(byScript(another)).not.toEqual([]);
});

const POSTED = "{ method: 'POST', body: new FormData(form) }";

describe('script-goes-elsewhere', () => {
  it.each([
    ['Formspree', `fetch('https://formspree.io/f/mqkrzabc', ${POSTED})`],
    ['Formspree by a variable', `const to = "https://formspree.io/f/mqkrzabc";\nfetch(to, ${POSTED})`],
    [
      'Formspree by a property',
      `const c = { endpoint: 'https://formspree.io/f/a' }; post(c.endpoint); fetch(c.endpoint, ${POSTED})`,
    ],
    ['Formspree put together', `fetch('https://formspree.io/f/' + id, ${POSTED})`],
    [
      'Formspree by its library',
      'const e=o||"https://formspree.io",u=`\u0024{e}/f/\u0024{k}`;fetch(u,{method:"POST"})',
    ],
    ['FormSubmit', `fetch(\`https://formsubmit.co/ajax/ada@example.org\`, ${POSTED})`],
    ['FormSubmit with the address of a person', `fetch(\`https://formsubmit.co/\${mail}\`, ${POSTED})`],
    ['Getform', `axios.post('https://getform.io/f/abc', data)`],
    ['Basin', `$.ajax({ url: 'https://usebasin.com/f/1234', method: 'POST', data })`],
    ['Web3Forms', `const x = new XMLHttpRequest(); x.open('POST', 'https://api.web3forms.com/submit'); x.send(d)`],
    ['Web3Forms with escapes', String.raw`fetch("https:\/\/api.web3forms.com\/submit", {method:"POST"})`],
    ['a function of Netlify', `fetch('/.netlify/functions/contact', ${POSTED})`],
    ['Formcarry', `navigator.sendBeacon("//formcarry.com/s/abc", data)`],
    ['Google Forms', `fetch('https://docs.google.com/forms/d/e/1FAIp/formResponse', ${POSTED})`],
    ['Google Apps Script', `fetch("https://script.google.com/macros/s/AKf/exec", ${POSTED})`],
    ['the action of a form', `form.action = 'https://usebasin.com/f/1'`],
    ['an attribute', `form.setAttribute('action', 'https://usebasin.com/f/1')`],
    ['a form that a framework makes', `e("form",{action:"https://formspree.io/f/a",method:"POST"})`],
    ['a form in a text', `root.innerHTML = '<form class="a" action="https://formspree.io/f/a" method="post"></form>'`],
    ['EmailJS', `emailjs.sendForm('service', 'template', form)`],
  ])('%s', (_, script) => {
    expect(inFile(script)).toEqual([expect.stringMatching(/^error script-goes-elsewhere 1:\d+$/)]);
    expect(onPage(`<form id="form"></form><script>${script}</script>`)).toEqual([
      expect.stringMatching(/^error script-goes-elsewhere 1:\d+$/),
    ]);
  });

  it('is at the text, in a file, in a page and in an attribute', () => {
    expect(inFile(`// é😀\n  fetch('https://formspree.io/f/a', ${POSTED})`)).toEqual([
      'error script-goes-elsewhere 2:9',
    ]);
    expect(onPage(`<p>\r\n<script>\r\n fetch('https://formspree.io/f/a', ${POSTED})</script>`)).toEqual([
      'error script-goes-elsewhere 3:8',
    ]);
    expect(onPage(`<p>\n <a onclick="fetch('https://formspree.io/f/a', ${POSTED})">Send</a>`)).toEqual([
      'error script-goes-elsewhere 2:2',
    ]);
  });

  it('is a warning where a script sends here as well, and names the service and what to write', () => {
    const both = `fetch('{{FORM_ACTION}}', ${POSTED}); fetch('https://formspree.io/f/a', ${POSTED})`;
    expect(inFile(both)).toEqual([expect.stringMatching(/^warning script-goes-elsewhere/)]);
    expect(checkScript({ text: Buffer.from(both), addresses: ADDRESSES }).problems[0]?.message).toMatch(
      /^The script sends to Formspree \(https:\/\/formspree\.io\/f\/a\), and not to this service: write \{\{FORM_ACTION\}\} /,
    );
  });

  it.each([
    ['https://formspree.io/f/a', 'Formspree'],
    ['https://formsubmit.co/ajax/ada@home.example', 'FormSubmit'],
    ['https://getform.io/f/a', 'Getform'],
    ['https://usebasin.com/f/a.json', 'Basin'],
    ['https://api.web3forms.com/submit', 'Web3Forms'],
    ['https://api.web3forms.com/v1/submit', 'Web3Forms'],
  ])('names the address at which the script gets the answer that it reads: %s', (url, name) => {
    const text = `fetch('${url}', ${POSTED})`;
    const advice = (page?: typeof ADDRESSES.page) => {
      const addresses = { ...ADDRESSES, page };
      const html = Buffer.from(`<form id="form"></form><script>${text}</script>`);
      const found = [
        ...checkScript({ text: Buffer.from(text), addresses }).problems,
        ...(checkPage({ html, addresses, maxFields: 50 })?.problems ?? []),
      ];
      return found.map(({ message }) => / Where it reads .*/.exec(message)?.[0].trim());
    };
    const published = `Where it reads the answer of ${name}, write https://forms.test/f/d_0VbbZBZKKTcBD17YQfyDgVGm instead.`;
    expect(advice(ADDRESSES.page)).toEqual([published, published]);
    const unpublished = `Where it reads the answer of ${name}, write https://forms.test/f/ and the id that the page gets instead.`;
    expect(advice()).toEqual([unpublished, unpublished]);
  });

  it('names no other address for a service whose answers are not known', () => {
    const text = `fetch('https://formcarry.com/s/a', ${POSTED})`;
    const [problem] = checkScript({ text: Buffer.from(text), addresses: ADDRESSES }).problems;
    expect(problem?.message).toMatch(/ send the fields of the form with POST\.$/);
  });

  it.each([
    `// fetch('https://formspree.io/f/a', ${POSTED})\nfetch('{{FORM_ACTION}}', ${POSTED})`,
    `/* fetch("https://formspree.io/f/a", ${POSTED}) */ fetch('{{FORM_ACTION}}', ${POSTED})`,
    `a.href = 'https://formspree.io/f/a'; fetch('{{FORM_ACTION}}', ${POSTED})`,
    `const help = 'https://formspree.io/f/a'; a.href = help; fetch('{{FORM_ACTION}}', ${POSTED})`,
    `const c = { help: 'https://formspree.io/f/a' }; a.href = c.help; fetch('{{FORM_ACTION}}', ${POSTED})`,
    `e("a",{href:"https://formspree.io/f/a"}); fetch('{{FORM_ACTION}}', ${POSTED})`,
    `p.innerHTML = '<a href="https://formspree.io/f/a">Old form</a>'; fetch('{{FORM_ACTION}}', ${POSTED})`,
    `window.open('https://docs.google.com/forms/d/e/1FAIp/formResponse'); fetch('{{FORM_ACTION}}', ${POSTED})`,
    `f.src = 'https://docs.google.com/forms/d/e/1FAIp/viewform'; fetch('{{FORM_ACTION}}', ${POSTED})`,
    `console.log('https://formspree.io/f/a'); fetch('{{FORM_ACTION}}', ${POSTED})`,
    `if (form.action.includes('https://formspree.io/f/')) form.action = '{{FORM_ACTION}}'; fetch(form.action, ${POSTED})`,
    `const credits = ['https://formspree.io', 'https://formsubmit.co/', 'https://web3forms.com']; fetch('{{FORM_ACTION}}', ${POSTED})`,
    "const at = 'https://formspree.io/f/a';",
    'fetch("https://script.google.com/macros/s/AKf/exec").then((answer) => answer.json())',
    `const re = /'https:\\/\\/formspree.io\\/f\\/a'/; fetch('{{FORM_ACTION}}', ${POSTED})`,
    'fetch("/", { method: "POST", body: new URLSearchParams({ "form-name": "contact" }) })',
  ])('raises no alarm: %s', (script) => {
    expect(inFile(script)).toEqual([]);
    expect(
      onPage(`<form method="post"><input name="a"><button>Send</button></form><script>${script}</script>`),
    ).toEqual([]);
  });

  it('raises no alarm about data, or about what a comment of the page has', () => {
    const script = `fetch('https://formspree.io/f/a', ${POSTED})`;
    const form = '<form method="post"><input name="a"><button>Send</button></form>';
    expect(onPage(`${form}<!-- <script>${script}</script> -->`)).toEqual([]);
    expect(
      onPage(
        `${form}<script type="application/json">"${script}"</script><template><script>${script}</script></template>`,
      ),
    ).toEqual([]);
  });

  it('reads what Babel is to compile', () => {
    const jsx = `<script type="text/babel">const F = () => <form action="https://formspree.io/f/a" method="POST">Don't</form>;</script>`;
    const form = '<form method="post"><input name="a"><button>Send</button></form>';
    expect(onPage(form + jsx)).toEqual([expect.stringMatching(/^error script-goes-elsewhere 1:/)]);
  });
});

describe('a misspelt placeholder in a script', () => {
  it.each([
    `fetch('{{ FORM_ACTION }}', ${POSTED})`,
    `fetch("%7B%7BFORM_ACTION%7D%7D", ${POSTED})`,
    String.raw`fetch("\u007b\u007bFORM_ACTION\u007d\u007d")`,
    String.raw`fetch("\x7b{FORM_ACTION}}")`,
    'fetch(`{{form_action}}?a=1`)',
    `root.innerHTML = '<form method="post" action="{{ FORM_ACTION }}">'`,
  ])('is found: %s', (script) => {
    expect(inFile(`\n${script}`)).toEqual([expect.stringMatching(/^error placeholder-misspelt 2:\d+$/)]);
  });

  it.each([
    `fetch('{{FORM_ACTION}}', ${POSTED})`,
    `// fetch('{{ form_action }}')\nfetch('{{FORM_ACTION}}', ${POSTED})`,
    'const form_action = "{{FORM_ACTION}}"; fetch(`\u0024{form_action}`)',
    'render("{{name}}"); const text = "write {{ form_action }} into the form"; ',
  ])('is none: %s', (script) => {
    expect(inFile(script)).toEqual([]);
  });
});
