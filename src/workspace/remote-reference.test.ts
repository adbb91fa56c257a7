import { expect, test } from 'vitest';
import { addsRemoteReference } from './remote-reference.ts';

const adds = (after: string, before = ''): boolean => addsRemoteReference({ before, after });

test.each([
  ['a schema of JSON', '{ "$schema": "https://e.test/?d=secret" }'],
  ['over http', '{ "$schema": "HTTP://e.test/s.json" }'],
  ['on another line', '{ "$schema"\n  :\n  "https://e.test/s.json" }'],
  ['behind comments', '{ "$schema" /* : */ : // why\n /* * */ "https://e.test/s.json" }'],
  ['behind a comment without an end', `{ "$schema": /*${' '.repeat(5_000)}*/ "https://e.test" }`],
  ['behind a long gap', `{ "$schema":${' '.repeat(5_000)}"https://e.test" }`],
  ['behind a comment that is long', `$schema: # ${'a b '.repeat(1_000)}\n  https://e.test\n`],
  ['folded behind a comment', '$schema: >- # why\n  https://e.test/s.json\n'],
  ['in escapes', String.raw`{ "\u0024sch\u0065ma": "h\u0074tps:\/\/e.test\/s" }`],
  ['with blanks in front', '{ "$schema": " https://e.test/s.json" }'],
  ['of another machine', '{ "$schema": "//e.test/s.json" }'],
  ['of a share', String.raw`{ "$schema": "\\\\e.test\\s.json" }`],
  ['of a file on another machine', '{ "$schema": "file://e.test/s.json" }'],
  ['through a file system of the editor', '{ "$schema": "vscode-vfs://github/o/r/s.json" }'],
  ['that a schema refers to', '{ "items": { "$ref": "https://e.test/s.json#/a" } }'],
  ['a schema of YAML', '# yaml-language-server: $schema=https://e.test/s.json\na: 1\n'],
  ['with a blank', '# yaml-language-server: $schema= https://e.test/s.json\n'],
  ['as a comment', '# $schema: https://e.test/s.json\n'],
  ['as a key of YAML', "'$schema': https://e.test/s.json\n"],
  ['folded', '$schema: >-\n  https://e.test/s.json\n'],
  ['with a tag and an anchor', '$schema: !!str &a https://e.test/s.json\n'],
  ['by an alias', 'x: &u https://e.test\n$schema: *u\n'],
  ['with escapes of YAML', String.raw`"\x24schema": "\U00000068ttps://e.test"`],
  ['over the end of a line', '"$schema": "htt\\\n  ps://e.test"'],
  ['a schema of TOML', '#:schema https://e.test/s.json\n'],
  ['a schema of XML', '<a xsi:schemaLocation="urn:a https://e.test/a.xsd">'],
  ['with another prefix', "<a\n  x:noNamespaceSchemaLocation\n=\n' http://e.test/a.xsd'>"],
  ['with entities', '<a xsi:schemaLocation="urn:a &#104;ttps://e.test/a.xsd">'],
  ['that is included', '<xs:include schemaLocation="https://e.test/a.xsd"/>'],
  ['a document type', '<!DOCTYPE a SYSTEM "https://e.test/a.dtd">'],
  ['a public one', '<!doctype a PUBLIC "-//A//B" "//e.test/a.dtd">'],
  ['an entity', '<!DOCTYPE a [\n<!ENTITY % x SYSTEM "https://e.test/?d=1"> ]>'],
  ['a model', '<?xml-model href="https://e.test/a.rng"?>'],
  ['a style sheet', "<?xml-stylesheet href='https://e.test/a.xsl'?>"],
])('%s', (_, after) => {
  expect(adds(after)).toBe(true);
});

test.each([
  ['a schema beside the file', '{ "$schema": "./schema.json" }'],
  ['one of this machine', '{ "$schema": "file:///w/schema.json" }'],
  ['one of the editor', '{ "$schema": "vscode://schemas/settings" }'],
  ['a reference inside the schema', '{ "$ref": "#/definitions/a" }'],
  ['an address that nobody fetches', '{ "homepage": "https://e.test" }'],
  ['the word', 'The `$schema` key, see https://e.test.'],
  ['a longer name', '{ "$schemaVersion": "https://e.test" }'],
  ['a document type of the web', '<!DOCTYPE html>\n<a href="https://e.test">x</a>'],
  ['a public name', '<!DOCTYPE a PUBLIC "-//A//B" "a.dtd">'],
  ['a schema beside the document', '<a xsi:schemaLocation="urn:a a.xsd" href="https://e.test">'],
  ['plain code', 'const a = await fetch("https://e.test");\n'],
])('not %s', (_, after) => {
  expect(adds(after)).toBe(false);
});

test('what was there already is not new; what becomes one by a change around it is', () => {
  const remote = '{\n  "$schema": "https://e.test/s.json"\n}\n';
  expect(adds(remote.replace('"\n}', '",\n  "a": 1\n}'), remote)).toBe(false);
  expect(adds('{}\n', remote)).toBe(false);
  expect(adds(remote, remote.replace('$schema', 'schema'))).toBe(true);
  expect(adds(remote, remote.replace('https://e.test/', './'))).toBe(true);
  expect(adds(remote.replace('s.json', 's.json?d=1'), remote)).toBe(true);
  expect(adds('a: &u https://e.test\n$schema: *u', 'a: &u x\n$schema: *u')).toBe(true);
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
])('a long text of %s is done with', (unit, found) => {
  expect(adds(unit.repeat(400_000))).toBe(found);
});
