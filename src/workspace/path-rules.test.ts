import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { judgePath, type PathAccess, type PathFacts } from './path-rules.ts';

const file: PathFacts = {
  path: 'src/app.ts',
  isInWorkspace: true,
  realPath: 'src/app.ts',
  isRealPathInWorkspace: true,
  isLink: false,
  kind: 'file',
};
const fileAt = (path: string): PathFacts => ({ ...file, path, realPath: path });
const outsidePath = (path: string): PathFacts => ({
  ...fileAt(path),
  isInWorkspace: false,
  isRealPathInWorkspace: false,
});
/** Creates a path in the workspace that links to another path in the workspace. */
const linked = (path: string, realPath: string): PathFacts => ({ ...file, path, realPath });
const escaping = (path: string, realPath: string): PathFacts => ({
  ...linked(path, realPath),
  isRealPathInWorkspace: false,
});
const missing = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'missing' });
const folder = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'directory' });
const link = (facts: PathFacts): PathFacts => ({ ...facts, isLink: true });

const codes = (facts: PathFacts, access: PathAccess): string[] =>
  judgePath(facts, access).reasons.map(({ code }) => code);

test.each([
  ['a file', file],
  ['the workspace folder', folder(fileAt(''))],
  ['a folder', folder(fileAt('src'))],
  ['a missing file', missing(fileAt('src/new.ts'))],
  [
    'a package through a link inside the workspace',
    linked('node_modules/a/a.ts', 'packages/a/a.ts'),
  ],
  ['a link to another file in the workspace', link(linked('latest.md', 'docs/1.md'))],
  ['a build manifest', fileAt('package.json')],
  ['agent instructions', fileAt('AGENTS.md')],
  ['VS Code settings', fileAt('.vscode/settings.json')],
])('judgePath allows reading %s', (_, facts) => {
  expect(judgePath(facts, 'read')).toEqual({ decision: 'allow', reasons: [], rememberable: true });
});

test.each([
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    outsidePath('/work/app-evil/a.ts'),
    'outside-workspace',
    true,
  ],
  ['a system header', outsidePath('/usr/include/stdio.h'), 'outside-workspace', true],
  [
    'a file through a link that leaves the workspace',
    escaping('link/a.md', '/data/a.md'),
    'outside-workspace',
    true,
  ],
  [
    'a file outside through a link into the workspace',
    { ...outsidePath('/x/a.ts'), isRealPathInWorkspace: true },
    'outside-workspace',
    true,
  ],
  ["the system's user accounts", outsidePath('/etc/passwd'), 'outside-workspace', false],
  ['the process environment', outsidePath('/proc/self/environ'), 'outside-workspace', false],
  [
    "a dotfile in the user's home folder",
    outsidePath('/home/a/.config/x.toml'),
    'outside-workspace',
    false,
  ],
  [
    'a file in the Library folder',
    outsidePath('/Users/a/Library/Mail/x'),
    'outside-workspace',
    false,
  ],
  ['application data', outsidePath('C:/Users/a/AppData/Roaming/x'), 'outside-workspace', false],
  [
    "the system's user accounts through a link",
    escaping('link/passwd', '/etc/passwd'),
    'outside-workspace',
    false,
  ],
  ['an environment file', fileAt('.env'), 'secret', false],
  ['an uppercase environment file', fileAt('sub/.ENV.local'), 'secret', false],
  ['a link to an environment file', linked('notes.txt', '.env'), 'secret', false],
  ['a certificate', fileAt('tls/server.pem'), 'secret', false],
  ['a private key', fileAt('deploy/id_ed25519'), 'secret', false],
  ['a password database', fileAt('a.kdbx'), 'secret', false],
  [
    'a wallet key store',
    fileAt('UTC--2026--00000000000000000000000000000000000000aa'),
    'secret',
    false,
  ],
  ['registry tokens', fileAt('sub/.npmrc'), 'secret', false],
  ['saved logins', fileAt('.netrc'), 'secret', false],
  ['cloud credentials', fileAt('backup/.aws/anything'), 'secret', false],
  ['a folder of SSH keys', folder(fileAt('backup/.ssh')), 'secret', false],
  ['a Kubernetes configuration', fileAt('.kube/config'), 'secret', false],
  ['the Git configuration', fileAt('.git/config'), 'git-internals', false],
  ['an uppercase Git folder', fileAt('.GIT/FETCH_HEAD'), 'git-internals', false],
  ['a link to the Git configuration', linked('a/config', '.git/config'), 'git-internals', false],
])('requires approval to read %s', (_, facts, code, rememberable) => {
  const verdict = judgePath(facts, 'read');
  expect(verdict.decision).toBe('ask');
  expect(verdict.rememberable).toBe(rememberable);
  expect(verdict.reasons.map((reason) => reason.code)).toContain(code);
});

test.each([
  ['writing a file', file, 'write', ['write']],
  ['creating a file', missing(fileAt('src/new.ts')), 'write', ['write']],
  ['deleting a file', file, 'delete', ['delete']],
] as const)(
  '%s requires approval, which can be stored for later calls',
  (_, facts, access, reasons) => {
    expect(judgePath(facts, access)).toMatchObject({ decision: 'ask', rememberable: true });
    expect(codes(facts, access)).toEqual(reasons);
  },
);

test.each([
  ['a settings file', fileAt('.vscode/settings.json'), 'sensitive'],
  ['a missing settings file', missing(fileAt('.vscode/settings.json')), 'sensitive'],
  ['a task configuration', missing(fileAt('.vscode/tasks.json')), 'sensitive'],
  ['an MCP server configuration', missing(fileAt('.vscode/mcp.json')), 'sensitive'],
  ['a Git hook', missing(fileAt('.git/hooks/pre-commit')), 'sensitive'],
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
  ['package scripts', fileAt('package.json'), 'sensitive'],
  ['missing agent instructions', missing(fileAt('AGENTS.md')), 'sensitive'],
  ['Copilot instructions', fileAt('.github/copilot-instructions.md'), 'sensitive'],
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    outsidePath('/work/app-evil/a.ts'),
    'outside-workspace',
  ],
  [
    'the user settings of VS Code',
    outsidePath('/home/a/.config/Code/User/settings.json'),
    'outside-workspace',
  ],
  ['a file with secrets', fileAt('.env.local'), 'secret'],
  ['a file through a link inside the workspace', linked('node_modules/a/a.ts', 'a/a.ts'), 'link'],
  ['a folder', folder(fileAt('src')), 'directory'],
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
  ['writing to a device', { ...outsidePath('/dev/sda'), kind: 'other' }, 'write', 'special-file'],
  ['deleting a socket', { ...file, kind: 'other' }, 'delete', 'special-file'],
  ['deleting the workspace', folder(fileAt('')), 'delete', 'workspace-folder'],
  [
    'deleting the workspace through a link',
    link(folder(linked('self', ''))),
    'delete',
    'workspace-folder',
  ],
  [
    'a path with an invisible character',
    fileAt('.vs\u200Ccode/tasks.json'),
    'read',
    'hidden-character',
  ],
  ['a path with a full-width dot', fileAt('\uFF0Egit/config'), 'write', 'look-alike'],
  ['a path with an NTFS stream', fileAt('.git::$INDEX_ALLOCATION/config'), 'write', 'colon'],
] as const)('judgePath rejects %s', (_, facts, access, code) => {
  expect(judgePath(facts, access)).toMatchObject({ decision: 'refuse', rememberable: false });
  expect(codes(facts, access)).toContain(code);
});

test('judgePath allows only read access inside the workspace without approval', () => {
  const anyFacts = fc.record({
    path: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    isInWorkspace: fc.boolean(),
    realPath: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    isRealPathInWorkspace: fc.boolean(),
    isLink: fc.boolean(),
    kind: fc.constantFrom('file', 'directory', 'missing', 'other'),
  });
  const anyAccess = fc.constantFrom('read', 'write', 'delete');
  fc.assert(
    fc.property(anyFacts, anyAccess, (facts, access) => {
      const { decision, reasons } = judgePath(facts, access);
      const plain = facts.isInWorkspace && facts.isRealPathInWorkspace && facts.kind !== 'other';
      expect(decision !== 'allow' || (access === 'read' && plain)).toBe(true);
      expect(reasons.length > 0).toBe(decision !== 'allow');
    }),
  );
});

test('judgePath requires approval for every change that adds a remote schema, regardless of the file name', () => {
  const change = { before: '{}', after: '{ "$schema": "https://e.test/?d=1" }' };
  for (const path of ['data/a.json', 'a.yaml', 'notes.txt']) {
    const verdict = judgePath(fileAt(path), 'write', change);
    expect(verdict).toMatchObject({ decision: 'ask', rememberable: false });
    expect(verdict.reasons.map(({ code }) => code)).toContain('remote-schema');
  }
  const localChange = { before: change.after, after: '{ "$schema": "./a.json" }' };
  expect(judgePath(fileAt('data/a.json'), 'write', localChange).rememberable).toBe(true);
});
