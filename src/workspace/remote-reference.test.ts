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

test.each([
  ['an image', '![tide](https://e.test/?q=secret)'],
  ['an image with brackets in its text', '![a [b] c](https://e.test/?q=1)'],
  ['an image with an address in angle brackets', '![a](<https://e.test/?q=1>)'],
  ['an image with an address on the next line of the source', '"![a](\\n",\n "https://e.test)"'],
  ['an image without a scheme', '![a](//e.test/a.png)'],
  ['an image with a backslash in its address', String.raw`![a](\\e.test\a.png)`],
  ['an image with a character reference', '![a](&#104;ttps://e.test)'],
  ['an image with an address in escape sequences', String.raw`![a](\u0068ttps:\/\/e.test)`],
  ['a definition of an image', '![a][x]\n\n[x]: https://e.test/?q=1'],
  ['a definition with brackets in its label', '![a][x]\n\n[x\\]y]: https://e.test/?q=1'],
  ['an HTML image', '<img src="https://e.test/?q=1">'],
  ['an HTML image in a JSON text', String.raw`"<img src=\"https://e.test/?q=1\">"`],
  ['an HTML image after a quoted bracket', '<img alt=">" src=https://e.test>'],
  ['an HTML image after an unbalanced quote', "<img alt=a' src=https://e.test>"],
  ['a background image', '<div style="background: url(https://e.test)">'],
  ['a background image of a link', '<a href="x" style="background: url(//e.test)">'],
  ['a style sheet', '<style>@import "https://e.test";</style>'],
  ['a script', '<script>fetch("/")</script>'],
  ['an event handler', '<b onclick="fetch(1)">'],
  ['an SVG image', '<svg><image href="https://e.test"/></svg>'],
  ['an output with HTML', '{ "data": { "text/html": ["<b>1</b>"] } }'],
  ['an output with a script', '{ "data": { "application/javascript": "1" } }'],
  ['an output of a widget', '{ "application/vnd.jupyter.widget-view+json": {} }'],
])('a notebook gains active content with %s', (_, text) => {
  expect(addsActiveContent(text)).toBe(true);
  const otherCells = '\n'.repeat(3_000);
  expect(addsActiveContent(`${text}${otherCells}x`, `y\n${text}${otherCells}z`)).toBe(false);
});

test.each([
  ['a link', '[tide](https://e.test) and https://e.test'],
  ['an HTML link', '<a href="https://e.test">tide</a>'],
  ['a local image', '![a](images/tide-1.png) ![b](./b.png) ![c](attachment:c.png)'],
  ['simple HTML', '<b>a</b><br><div class="note" align="center">'],
  ['a request in code', 'requests.get("https://e.test")\nif a<b and c == d: print("x")'],
  ['a type hint', 'tides: dict[str, int] = {}\nif tides["a"]: print("http://e.test")'],
  ['an output as text', '{ "data": { "text/plain": "1", "application/json": {} } }'],
])('a notebook gains no active content with %s', (_, text) => {
  expect(addsActiveContent(text)).toBe(false);
});

test('a notebook with more tags than the search reads gains active content with each change', () => {
  const text = '<b>'.repeat(30_000);
  expect(addsActiveContent(text, text)).toBe(true);
});
