import { expect, test } from 'vitest';
import { addsRemoteReference } from './remote-reference.ts';

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
