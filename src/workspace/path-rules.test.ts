import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { judgePath, type PathAccess, type PathFacts } from './path-rules.ts';

const file: PathFacts = {
  path: 'src/app.ts',
  inside: true,
  realPath: 'src/app.ts',
  realInside: true,
  isLink: false,
  kind: 'file',
};
const at = (path: string): PathFacts => ({ ...file, path, realPath: path });
const outside = (path: string): PathFacts => ({ ...at(path), inside: false, realInside: false });
/** A place in the workspace whose name, or a parent's, is a link to another place in it. */
const linked = (path: string, realPath: string): PathFacts => ({ ...file, path, realPath });
const escaping = (path: string, realPath: string): PathFacts => ({
  ...linked(path, realPath),
  realInside: false,
});
const missing = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'missing' });
const folder = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'directory' });
const link = (facts: PathFacts): PathFacts => ({ ...facts, isLink: true });

const codes = (facts: PathFacts, access: PathAccess): string[] =>
  judgePath(facts, access).reasons.map(({ code }) => code);

test.each([
  ['a file', file],
  ['the workspace folder', folder(at(''))],
  ['a folder', folder(at('src'))],
  ['what does not exist', missing(at('src/new.ts'))],
  ['a package through a link of the workspace', linked('node_modules/a/a.ts', 'packages/a/a.ts')],
  ['a link to another file of the workspace', link(linked('latest.md', 'docs/1.md'))],
  ['a file that steers builds', at('package.json')],
  ['instructions', at('AGENTS.md')],
  ['settings of the editor', at('.vscode/settings.json')],
])('reading %s may run', (_, facts) => {
  expect(judgePath(facts, 'read')).toEqual({ decision: 'allow', reasons: [], rememberable: true });
});

test.each([
  [
    'a neighbour with the same beginning',
    outside('/work/app-evil/a.ts'),
    'outside-workspace',
    true,
  ],
  ['a header of the system', outside('/usr/include/stdio.h'), 'outside-workspace', true],
  ['a file through a link out', escaping('link/a.md', '/data/a.md'), 'outside-workspace', true],
  [
    'a link from outside in',
    { ...outside('/x/a.ts'), realInside: true },
    'outside-workspace',
    true,
  ],
  ['accounts of the system', outside('/etc/passwd'), 'outside-workspace', false],
  ['the environment', outside('/proc/self/environ'), 'outside-workspace', false],
  ['a dotfile of the person', outside('/home/a/.config/x.toml'), 'outside-workspace', false],
  ['a library folder', outside('/Users/a/Library/Mail/x'), 'outside-workspace', false],
  ['program data', outside('C:/Users/a/AppData/Roaming/x'), 'outside-workspace', false],
  ['accounts through a link', escaping('link/passwd', '/etc/passwd'), 'outside-workspace', false],
  ['an environment file', at('.env'), 'secret', false],
  ['an environment file in capitals', at('sub/.ENV.local'), 'secret', false],
  ['an environment file behind a link', linked('notes.txt', '.env'), 'secret', false],
  ['a certificate', at('tls/server.pem'), 'secret', false],
  ['a key', at('deploy/id_ed25519'), 'secret', false],
  ['a vault', at('a.kdbx'), 'secret', false],
  ['a key store', at('UTC--2026--00000000000000000000000000000000000000aa'), 'secret', false],
  ['tokens of a registry', at('sub/.npmrc'), 'secret', false],
  ['logins', at('.netrc'), 'secret', false],
  ['credentials of a cloud', at('backup/.aws/anything'), 'secret', false],
  ['a folder of keys', folder(at('backup/.ssh')), 'secret', false],
  ['a cluster', at('.kube/config'), 'secret', false],
  ['addresses with tokens', at('.git/config'), 'git-internals', false],
  ['addresses with tokens in capitals', at('.GIT/FETCH_HEAD'), 'git-internals', false],
  [
    'addresses with tokens behind a link',
    linked('a/config', '.git/config'),
    'git-internals',
    false,
  ],
])('reading %s must ask', (_, facts, code, rememberable) => {
  const verdict = judgePath(facts, 'read');
  expect(verdict.decision).toBe('ask');
  expect(verdict.rememberable).toBe(rememberable);
  expect(verdict.reasons.map((reason) => reason.code)).toContain(code);
});

test.each([
  ['writing a file', file, 'write', ['write']],
  ['creating a file', missing(at('src/new.ts')), 'write', ['write']],
  ['deleting a file', file, 'delete', ['delete']],
] as const)('%s asks and may be granted', (_, facts, access, reasons) => {
  expect(judgePath(facts, access)).toMatchObject({ decision: 'ask', rememberable: true });
  expect(codes(facts, access)).toEqual(reasons);
});

test.each([
  ['a settings file', at('.vscode/settings.json'), 'sensitive'],
  ['a settings file that does not exist', missing(at('.vscode/settings.json')), 'sensitive'],
  ['tasks', missing(at('.vscode/tasks.json')), 'sensitive'],
  ['servers of tools', missing(at('.vscode/mcp.json')), 'sensitive'],
  ['a hook', missing(at('.git/hooks/pre-commit')), 'sensitive'],
  ['a hook through a link', missing(linked('a/pre-commit', '.git/hooks/pre-commit')), 'sensitive'],
  ['a dotfile through a link out', escaping('x/.bashrc', '/home/a/.bashrc'), 'sensitive'],
  ['hosts through a link out', escaping('link/hosts', '/etc/hosts'), 'outside-workspace'],
  ['package scripts', at('package.json'), 'sensitive'],
  ['instructions of ours', missing(at('AGENTS.md')), 'sensitive'],
  ['instructions of ours', at('.github/copilot-instructions.md'), 'sensitive'],
  ['a neighbour with the same beginning', outside('/work/app-evil/a.ts'), 'outside-workspace'],
  [
    'the settings of the editor',
    outside('/home/a/.config/Code/User/settings.json'),
    'outside-workspace',
  ],
  ['a secret', at('.env.local'), 'secret'],
  ['a file through a link of the workspace', linked('node_modules/a/a.ts', 'a/a.ts'), 'link'],
  ['a folder', folder(at('src')), 'directory'],
])('changing %s asks every time', (_, facts, code) => {
  for (const access of ['write', 'delete'] as const) {
    expect(judgePath(facts, access)).toMatchObject({ decision: 'ask', rememberable: false });
    expect(codes(facts, access)).toContain(code);
  }
});

test.each([
  ['writing through a link', link(linked('a.ts', 'b.ts')), 'write', 'link'],
  ['writing through a dangling link', link(missing(escaping('new', '/home/a/x'))), 'write', 'link'],
  ['reading a device', { ...file, kind: 'other' }, 'read', 'special-file'],
  ['writing to a device', { ...outside('/dev/sda'), kind: 'other' }, 'write', 'special-file'],
  ['deleting a socket', { ...file, kind: 'other' }, 'delete', 'special-file'],
  ['deleting the workspace', folder(at('')), 'delete', 'workspace-folder'],
  ['deleting it through a link', link(folder(linked('self', ''))), 'delete', 'workspace-folder'],
  ['a hidden character', at('.vs\u200Ccode/tasks.json'), 'read', 'hidden-character'],
  ['a wide dot', at('\uFF0Egit/config'), 'write', 'look-alike'],
  ['a stream', at('.git::$INDEX_ALLOCATION/config'), 'write', 'colon'],
] as const)('%s is refused', (_, facts, access, code) => {
  expect(judgePath(facts, access)).toMatchObject({ decision: 'refuse', rememberable: false });
  expect(codes(facts, access)).toContain(code);
});

test('only reading inside is ever allowed without a question', () => {
  const anyFacts = fc.record({
    path: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    inside: fc.boolean(),
    realPath: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    realInside: fc.boolean(),
    isLink: fc.boolean(),
    kind: fc.constantFrom('file', 'directory', 'missing', 'other'),
  });
  const anyAccess = fc.constantFrom('read', 'write', 'delete');
  fc.assert(
    fc.property(anyFacts, anyAccess, (facts, access) => {
      const { decision, reasons } = judgePath(facts, access);
      const plain = facts.inside && facts.realInside && facts.kind !== 'other';
      expect(decision !== 'allow' || (access === 'read' && plain)).toBe(true);
      expect(reasons.length > 0).toBe(decision !== 'allow');
    }),
  );
});

test('a change that makes the editor fetch an address asks each time, whatever the file is called', () => {
  const change = { before: '{}', after: '{ "$schema": "https://e.test/?d=1" }' };
  for (const path of ['data/a.json', 'a.yaml', 'notes.txt']) {
    const verdict = judgePath(at(path), 'write', change);
    expect(verdict).toMatchObject({ decision: 'ask', rememberable: false });
    expect(verdict.reasons.map(({ code }) => code)).toContain('remote-schema');
  }
  const harmless = { before: change.after, after: '{ "$schema": "./a.json" }' };
  expect(judgePath(at('data/a.json'), 'write', harmless).rememberable).toBe(true);
});
