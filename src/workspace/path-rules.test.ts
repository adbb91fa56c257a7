import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { evaluatePathAccess, type PathAccess, type PathFacts } from './path-rules.ts';

const plainFile: PathFacts = {
  path: 'src/app.ts',
  isInWorkspace: true,
  realPath: 'src/app.ts',
  isRealPathInWorkspace: true,
  isLink: false,
  kind: 'file',
};
const createFile = (path: string): PathFacts => ({ ...plainFile, path, realPath: path });
const createOutsideFile = (path: string): PathFacts => ({
  ...createFile(path),
  isInWorkspace: false,
  isRealPathInWorkspace: false,
});
/** Creates the path facts of a link in the workspace whose target is another path in the workspace. */
const createInternalLink = (path: string, realPath: string): PathFacts => ({
  ...plainFile,
  path,
  realPath,
});
const createEscapingLink = (path: string, realPath: string): PathFacts => ({
  ...createInternalLink(path, realPath),
  isRealPathInWorkspace: false,
});
const toMissingFile = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'missing' });
const toFolder = (facts: PathFacts): PathFacts => ({ ...facts, kind: 'directory' });
const toLink = (facts: PathFacts): PathFacts => ({ ...facts, isLink: true });

const listReasonCodes = (facts: PathFacts, access: PathAccess): string[] =>
  evaluatePathAccess(facts, access).reasons.map(({ code }) => code);

test.each([
  ['a file', plainFile],
  ['the workspace folder', toFolder(createFile(''))],
  ['a folder', toFolder(createFile('src'))],
  ['a missing file', toMissingFile(createFile('src/new.ts'))],
  [
    'a package through a link inside the workspace',
    createInternalLink('node_modules/a/a.ts', 'packages/a/a.ts'),
  ],
  ['a link to another file in the workspace', toLink(createInternalLink('latest.md', 'docs/1.md'))],
  ['a build manifest', createFile('package.json')],
  ['agent instructions', createFile('AGENTS.md')],
  ['VS Code settings', createFile('.vscode/settings.json')],
])('evaluatePathAccess allows reading %s', (_, facts) => {
  expect(evaluatePathAccess(facts, 'read')).toEqual({
    decision: 'allow',
    reasons: [],
    isRememberable: true,
  });
});

test.each([
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    createOutsideFile('/work/app-evil/a.ts'),
    'outside-workspace',
    true,
  ],
  ['a system header', createOutsideFile('/usr/include/stdio.h'), 'outside-workspace', true],
  [
    'a file through a link that leaves the workspace',
    createEscapingLink('link/a.md', '/data/a.md'),
    'outside-workspace',
    true,
  ],
  [
    'a file outside through a link into the workspace',
    { ...createOutsideFile('/x/a.ts'), isRealPathInWorkspace: true },
    'outside-workspace',
    true,
  ],
  ["the system's user accounts", createOutsideFile('/etc/passwd'), 'outside-workspace', true],
  [
    "a folder of the system's settings",
    toFolder(createOutsideFile('/etc/profile.d')),
    'outside-workspace',
    false,
  ],
  [
    'a settings file outside through a link into the workspace',
    { ...createOutsideFile('/etc/a.conf'), isRealPathInWorkspace: true },
    'outside-workspace',
    false,
  ],
  ['a device setting', createOutsideFile('/sys/class/net/a/address'), 'outside-workspace', false],
  ['the process environment', createOutsideFile('/proc/self/environ'), 'outside-workspace', false],
  [
    "a dotfile in the user's home folder",
    createOutsideFile('/home/a/.config/x.toml'),
    'outside-workspace',
    true,
  ],
  [
    'a file in the Library folder',
    createOutsideFile('/Users/a/Library/Mail/x'),
    'outside-workspace',
    true,
  ],
  [
    'application data',
    createOutsideFile('C:/Users/a/AppData/Roaming/x'),
    'outside-workspace',
    true,
  ],
  [
    "the system's user accounts through a link",
    createEscapingLink('link/passwd', '/etc/passwd'),
    'outside-workspace',
    true,
  ],
  ['an environment file', createFile('.env'), 'secret', false],
  ['an uppercase environment file', createFile('sub/.ENV.local'), 'secret', false],
  ['a link to an environment file', createInternalLink('notes.txt', '.env'), 'secret', false],
  ['a certificate', createFile('tls/server.pem'), 'secret', false],
  ['a private key', createFile('deploy/id_ed25519'), 'secret', false],
  ['a password database', createFile('a.kdbx'), 'secret', false],
  [
    'a wallet key store',
    createFile('UTC--2026--00000000000000000000000000000000000000aa'),
    'secret',
    false,
  ],
  ['registry tokens', createFile('sub/.npmrc'), 'secret', false],
  ['saved logins', createFile('.netrc'), 'secret', false],
  ['cloud credentials', createFile('backup/.aws/anything'), 'secret', false],
  ['a folder of SSH keys', toFolder(createFile('backup/.ssh')), 'secret', false],
  ['a Kubernetes configuration', createFile('.kube/config'), 'secret', false],
  ['the Git configuration', createFile('.git/config'), 'git-internals', false],
  ['an uppercase Git folder', createFile('.GIT/FETCH_HEAD'), 'git-internals', false],
  [
    'a link to the Git configuration',
    createInternalLink('a/config', '.git/config'),
    'git-internals',
    false,
  ],
])('evaluatePathAccess requires approval to read %s', (_, facts, code, isRememberable) => {
  const verdict = evaluatePathAccess(facts, 'read');
  expect(verdict.decision).toBe('ask');
  expect(verdict.isRememberable).toBe(isRememberable);
  expect(verdict.reasons.map((reason) => reason.code)).toContain(code);
});

test.each([
  ['writing a file', plainFile, 'write', ['write']],
  ['creating a file', toMissingFile(createFile('src/new.ts')), 'write', ['write']],
  ['deleting a file', plainFile, 'delete', ['delete']],
] as const)(
  'evaluatePathAccess requires approval for %s, and the approval can be stored for later calls',
  (_, facts, access, reasons) => {
    expect(evaluatePathAccess(facts, access)).toMatchObject({
      decision: 'ask',
      isRememberable: true,
    });
    expect(listReasonCodes(facts, access)).toEqual(reasons);
  },
);

test.each([
  ['a settings file', createFile('.vscode/settings.json'), 'sensitive'],
  ['a missing settings file', toMissingFile(createFile('.vscode/settings.json')), 'sensitive'],
  ['a task configuration', toMissingFile(createFile('.vscode/tasks.json')), 'sensitive'],
  ['an MCP server configuration', toMissingFile(createFile('.vscode/mcp.json')), 'sensitive'],
  ['a Git hook', toMissingFile(createFile('.git/hooks/pre-commit')), 'sensitive'],
  [
    'a Git hook through a link',
    toMissingFile(createInternalLink('a/pre-commit', '.git/hooks/pre-commit')),
    'sensitive',
  ],
  [
    'a dotfile through a link that leaves the workspace',
    createEscapingLink('x/.bashrc', '/home/a/.bashrc'),
    'sensitive',
  ],
  [
    'the hosts file through a link that leaves the workspace',
    createEscapingLink('link/hosts', '/etc/hosts'),
    'outside-workspace',
  ],
  ['package scripts', createFile('package.json'), 'sensitive'],
  ['missing agent instructions', toMissingFile(createFile('AGENTS.md')), 'sensitive'],
  ['Copilot instructions', createFile('.github/copilot-instructions.md'), 'sensitive'],
  [
    'a sibling folder whose name starts with the name of the workspace folder',
    toFolder(createOutsideFile('/work/app-evil')),
    'outside-workspace',
  ],
  [
    'a file outside through a link into the workspace',
    { ...createOutsideFile('/x/a.ts'), isRealPathInWorkspace: true },
    'outside-workspace',
  ],
  [
    'a link of a virtual file system with an unknown target',
    createEscapingLink('link/a.ts', 'link/a.ts'),
    'outside-workspace',
  ],
  [
    'the user settings of VS Code',
    createOutsideFile('/home/a/.config/Code/User/settings.json'),
    'outside-workspace',
  ],
  ['a file with secrets', createFile('.env.local'), 'secret'],
  [
    'a file through a link inside the workspace',
    createInternalLink('node_modules/a/a.ts', 'a/a.ts'),
    'link',
  ],
  ['a folder', toFolder(createFile('src')), 'directory'],
])('evaluatePathAccess requires approval every time for changing %s', (_, facts, code) => {
  for (const access of ['write', 'delete'] as const) {
    expect(evaluatePathAccess(facts, access)).toMatchObject({
      decision: 'ask',
      isRememberable: false,
    });
    expect(listReasonCodes(facts, access)).toContain(code);
  }
});

test.each([
  ['writing through a link', toLink(createInternalLink('a.ts', 'b.ts')), 'write', 'link'],
  [
    'writing through a dangling link',
    toLink(toMissingFile(createEscapingLink('new', '/home/a/x'))),
    'write',
    'link',
  ],
  ['reading a device', { ...plainFile, kind: 'other' }, 'read', 'special-file'],
  [
    'writing to a device',
    { ...createOutsideFile('/dev/sda'), kind: 'other' },
    'write',
    'special-file',
  ],
  ['deleting a socket', { ...plainFile, kind: 'other' }, 'delete', 'special-file'],
  ['deleting the workspace', toFolder(createFile('')), 'delete', 'workspace-folder'],
  [
    'deleting the workspace through a link',
    toLink(toFolder(createInternalLink('self', ''))),
    'delete',
    'workspace-folder',
  ],
  [
    'a path with an invisible character',
    createFile('.vs\u200Ccode/tasks.json'),
    'read',
    'hidden-character',
  ],
  ['a path with a full-width dot', createFile('\uFF0Egit/config'), 'write', 'look-alike'],
  ['a path with an NTFS stream', createFile('.git::$INDEX_ALLOCATION/config'), 'write', 'colon'],
] as const)('evaluatePathAccess rejects %s', (_, facts, access, code) => {
  expect(evaluatePathAccess(facts, access)).toMatchObject({
    decision: 'refuse',
    isRememberable: false,
  });
  expect(listReasonCodes(facts, access)).toContain(code);
});

test('evaluatePathAccess allows only read access inside the workspace without approval', () => {
  const factsArbitrary = fc.record({
    path: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    isInWorkspace: fc.boolean(),
    realPath: fc.constantFrom('a.ts', '', '.env', '.git/x', '.vscode/a', '/etc/x', 'b/c'),
    isRealPathInWorkspace: fc.boolean(),
    isLink: fc.boolean(),
    kind: fc.constantFrom('file', 'directory', 'missing', 'other'),
  });
  const accessArbitrary = fc.constantFrom('read', 'write', 'delete');
  fc.assert(
    fc.property(factsArbitrary, accessArbitrary, (facts, access) => {
      const { decision, reasons } = evaluatePathAccess(facts, access);
      const isPlainFile =
        facts.isInWorkspace && facts.isRealPathInWorkspace && facts.kind !== 'other';
      expect(decision !== 'allow' || (access === 'read' && isPlainFile)).toBe(true);
      expect(reasons.length > 0).toBe(decision !== 'allow');
    }),
  );
});

test('evaluatePathAccess requires approval for every change that adds a remote schema, regardless of the file name', () => {
  const change = { before: '{}', after: '{ "$schema": "https://e.test/?d=1" }' };
  for (const path of ['data/a.json', 'a.yaml', 'notes.txt']) {
    const verdict = evaluatePathAccess(createFile(path), 'write', change);
    expect(verdict).toMatchObject({ decision: 'ask', isRememberable: false });
    expect(verdict.reasons.map(({ code }) => code)).toContain('remote-schema');
  }
  const localChange = { before: change.after, after: '{ "$schema": "./a.json" }' };
  expect(evaluatePathAccess(createFile('data/a.json'), 'write', localChange).isRememberable).toBe(
    true,
  );
});

test('evaluatePathAccess requires approval for active content only in notebooks', () => {
  const source = '![tide](https://e.test/?q=1)';
  const change = { before: '', after: source, cells: { before: [], after: [source] } };
  const codes = (path: string): readonly string[] =>
    evaluatePathAccess(createFile(path), 'write', change).reasons.map(({ code }) => code);
  expect(codes('tides.IPYNB')).toContain('remote-schema');
  expect(codes('README.md')).not.toContain('remote-schema');
});
