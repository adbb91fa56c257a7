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
/** Creates a path inside the workspace that resolves through a link to another path in it. */
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
  ['a missing file', missing(at('src/new.ts'))],
  [
    'a package through a link inside the workspace',
    linked('node_modules/a/a.ts', 'packages/a/a.ts'),
  ],
  ['a link to another file in the workspace', link(linked('latest.md', 'docs/1.md'))],
  ['a build manifest', at('package.json')],
  ['agent instructions', at('AGENTS.md')],
  ['VS Code settings', at('.vscode/settings.json')],
])('judgePath allows reading %s', (_, facts) => {
  expect(judgePath(facts, 'read')).toEqual({ decision: 'allow', reasons: [], rememberable: true });
});

test.each([
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    outside('/work/app-evil/a.ts'),
    'outside-workspace',
    true,
  ],
  ['a system header', outside('/usr/include/stdio.h'), 'outside-workspace', true],
  [
    'a file through a link that leaves the workspace',
    escaping('link/a.md', '/data/a.md'),
    'outside-workspace',
    true,
  ],
  [
    'a file outside through a link into the workspace',
    { ...outside('/x/a.ts'), realInside: true },
    'outside-workspace',
    true,
  ],
  ["the system's user accounts", outside('/etc/passwd'), 'outside-workspace', false],
  ['the process environment', outside('/proc/self/environ'), 'outside-workspace', false],
  [
    "a dotfile in the user's home folder",
    outside('/home/a/.config/x.toml'),
    'outside-workspace',
    false,
  ],
  ['a file in the Library folder', outside('/Users/a/Library/Mail/x'), 'outside-workspace', false],
  ['application data', outside('C:/Users/a/AppData/Roaming/x'), 'outside-workspace', false],
  [
    "the system's user accounts through a link",
    escaping('link/passwd', '/etc/passwd'),
    'outside-workspace',
    false,
  ],
  ['an environment file', at('.env'), 'secret', false],
  ['an uppercase environment file', at('sub/.ENV.local'), 'secret', false],
  ['a link to an environment file', linked('notes.txt', '.env'), 'secret', false],
  ['a certificate', at('tls/server.pem'), 'secret', false],
  ['a private key', at('deploy/id_ed25519'), 'secret', false],
  ['a password database', at('a.kdbx'), 'secret', false],
  [
    'a wallet key store',
    at('UTC--2026--00000000000000000000000000000000000000aa'),
    'secret',
    false,
  ],
  ['registry tokens', at('sub/.npmrc'), 'secret', false],
  ['saved logins', at('.netrc'), 'secret', false],
  ['cloud credentials', at('backup/.aws/anything'), 'secret', false],
  ['a folder of SSH keys', folder(at('backup/.ssh')), 'secret', false],
  ['a Kubernetes configuration', at('.kube/config'), 'secret', false],
  ['the Git configuration', at('.git/config'), 'git-internals', false],
  ['an uppercase Git folder', at('.GIT/FETCH_HEAD'), 'git-internals', false],
  ['a link to the Git configuration', linked('a/config', '.git/config'), 'git-internals', false],
])('requires approval to read %s', (_, facts, code, rememberable) => {
  const verdict = judgePath(facts, 'read');
  expect(verdict.decision).toBe('ask');
  expect(verdict.rememberable).toBe(rememberable);
  expect(verdict.reasons.map((reason) => reason.code)).toContain(code);
});

test.each([
  ['writing a file', file, 'write', ['write']],
  ['creating a file', missing(at('src/new.ts')), 'write', ['write']],
  ['deleting a file', file, 'delete', ['delete']],
] as const)('%s requires approval, which can be stored', (_, facts, access, reasons) => {
  expect(judgePath(facts, access)).toMatchObject({ decision: 'ask', rememberable: true });
  expect(codes(facts, access)).toEqual(reasons);
});

test.each([
  ['a settings file', at('.vscode/settings.json'), 'sensitive'],
  ['a missing settings file', missing(at('.vscode/settings.json')), 'sensitive'],
  ['a task configuration', missing(at('.vscode/tasks.json')), 'sensitive'],
  ['an MCP server configuration', missing(at('.vscode/mcp.json')), 'sensitive'],
  ['a Git hook', missing(at('.git/hooks/pre-commit')), 'sensitive'],
  [
    'a Git hook through a link',
    missing(linked('a/pre-commit', '.git/hooks/pre-commit')),
    'sensitive',
  ],
  [
    'a dotfile through a link that leaves the workspace',
    escaping('x/.bashrc', '/home/a/.bashrc'),
    'sensitive',
  ],
  [
    'the hosts file through a link that leaves the workspace',
    escaping('link/hosts', '/etc/hosts'),
    'outside-workspace',
  ],
  ['package scripts', at('package.json'), 'sensitive'],
  ['missing agent instructions', missing(at('AGENTS.md')), 'sensitive'],
  ['Copilot instructions', at('.github/copilot-instructions.md'), 'sensitive'],
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    outside('/work/app-evil/a.ts'),
    'outside-workspace',
  ],
  [
    'the user settings of VS Code',
    outside('/home/a/.config/Code/User/settings.json'),
    'outside-workspace',
  ],
  ['a file with secrets', at('.env.local'), 'secret'],
  ['a file through a link inside the workspace', linked('node_modules/a/a.ts', 'a/a.ts'), 'link'],
  ['a folder', folder(at('src')), 'directory'],
])('changing %s requires approval every time', (_, facts, code) => {
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
  [
    'deleting the workspace through a link',
    link(folder(linked('self', ''))),
    'delete',
    'workspace-folder',
  ],
  [
    'a path with an invisible character',
    at('.vs\u200Ccode/tasks.json'),
    'read',
    'hidden-character',
  ],
  ['a path with a full-width dot', at('\uFF0Egit/config'), 'write', 'look-alike'],
  ['a path with an NTFS stream', at('.git::$INDEX_ALLOCATION/config'), 'write', 'colon'],
] as const)('judgePath rejects %s', (_, facts, access, code) => {
  expect(judgePath(facts, access)).toMatchObject({ decision: 'refuse', rememberable: false });
  expect(codes(facts, access)).toContain(code);
});

test('allows only read access inside the workspace without approval', () => {
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

test('a change that adds a remote schema requires approval every time, regardless of the file name', () => {
  const change = { before: '{}', after: '{ "$schema": "https://e.test/?d=1" }' };
  for (const path of ['data/a.json', 'a.yaml', 'notes.txt']) {
    const verdict = judgePath(at(path), 'write', change);
    expect(verdict).toMatchObject({ decision: 'ask', rememberable: false });
    expect(verdict.reasons.map(({ code }) => code)).toContain('remote-schema');
  }
  const harmless = { before: change.after, after: '{ "$schema": "./a.json" }' };
  expect(judgePath(at('data/a.json'), 'write', harmless).rememberable).toBe(true);
});
