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

const addsActiveContent = (after: string, before = ''): boolean =>
  addsActiveNotebookContent({ before, after });

const createNotebook = (cell: object): string => JSON.stringify({ cells: [cell], nbformat: 4 });

test.each([
  ['an image', '![tide](https://e.test/?q=secret)'],
  ['an image with brackets in its text', '![a [b] c](https://e.test/?q=1)'],
  ['an image with a long text', `![${'a'.repeat(5_000)}](https://e.test/?q=1)`],
  ['an image without a scheme', '![a](//e.test/a.png)'],
  ['an image with a backslash in its address', String.raw`![a](\\e.test\a.png)`],
  ['an image with a character reference', '![a](&#104;ttps:e.test)'],
  ['an image whose address has no slashes', '![a](https:e.test)'],
  ['an image whose address has a line break', '<img src="ht\ntps:e.test">'],
  ['a definition of an image', '![a][x]\n\n[x]: https://e.test/?q=1'],
  ['a definition in angle brackets', '![a][x]\n\n[x]: <https://e.test/?q=1>'],
  ['a definition in a list', '![a][x]\n\n- [x]: https://e.test/?q=1'],
  ['a definition whose label has a line break', '![a][x y]\n\n[x\ny]: https://e.test/'],
  ['an HTML image', '<img\nsrc="https://e.test/?q=1">'],
  ['a background image', `<div title="${'a'.repeat(5_000)}" style="background: url(//e.test)">`],
  ['a style sheet', '<style>@import "https://e.test";</style>'],
  ['an SVG image', '<svg><image href="https://e.test"/></svg>'],
])('a notebook gains active content with %s', (_, text) => {
  expect(addsActiveContent(text)).toBe(true);
  expect(addsActiveContent(`${text}\nmore`, text)).toBe(false);
  for (const source of [text, text.split(/(?<=\n)/u)]) {
    expect(addsActiveContent(createNotebook({ cell_type: 'markdown', source }))).toBe(true);
    expect(addsActiveContent(createNotebook({ cell_type: 'code', source }))).toBe(false);
    const escapedNotebook = createNotebook({ cell_type: 'raw', source }).replaceAll('!', '\\u0021');
    expect(addsActiveContent(`\uFEFF${escapedNotebook}`)).toBe(true);
  }
});

test.each(['text/html', 'image/svg+xml', 'application/javascript', 'application/vnd.a+json'])(
  'a notebook gains active content with an output of the type %s',
  (type) => {
    const notebook = createNotebook({ cell_type: 'code', outputs: [{ data: { [type]: ['a'] } }] });
    expect(addsActiveContent(notebook)).toBe(true);
    expect(addsActiveContent(notebook, notebook)).toBe(false);
    expect(addsActiveContent(notebook.replace('"a"', '"a","b"'), notebook)).toBe(true);
  },
);

test.each([
  ['a link', '[tide](https://e.test) and https://e.test'],
  ['a local image', '![Tide](images/tide-1.png)\n\nNote: high water.'],
  ['HTML without an address', '<b>a</b><br><h1 style="color:blue" align="center">'],
  ['a comparison', 'if a<b: once = True'],
])('a notebook gains no active content with %s', (_, text) => {
  expect(addsActiveContent(text)).toBe(false);
  expect(addsActiveContent(createNotebook({ cell_type: 'markdown', source: text }))).toBe(false);
});

test('a notebook gains no active content with code and plain outputs', () => {
  const source = 'while lo<hi:\n    requests.get("https://e.test")';
  expect(addsActiveNotebookContent({ before: '', after: source, isCode: true })).toBe(false);
  const outputs = [{ text: ['https://e.test'] }, { data: { 'text/plain': '1', 'image/png': 'x' } }];
  expect(addsActiveContent(createNotebook({ cell_type: 'code', source, outputs }))).toBe(false);
});
