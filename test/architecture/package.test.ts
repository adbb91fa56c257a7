import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';

const shipped = [
  /^package(?:\.nls(?:\.[a-z-]+)?)?\.json$/iu,
  /^(?:README|CHANGELOG)\.md$/u,
  /^LICENSE(?:\.txt)?$/u,
  /^dist\/third-party-notices\.txt$/u,
  /^dist\/cli\/mint\.js$/u,
  /^dist\/(?:host|webview)\/(?:[\w.-]+\/)*[\w.-]+\.(?:js|css|ttf|woff2)$/u,
  /^dist\/host\/tree-sitter(?:-bash|-powershell)?\.wasm$/u,
  /^media\/(?:[\w.-]+\/)*[\w.-]+\.(?:svg|png|json|md)$/u,
];

// The packaging tool reads every file of the project.
test('the extension package contains only product files', { timeout: timeLimits.start }, () => {
  const files = packagedFiles();
  expect(files.filter((file) => !shipped.some((pattern) => pattern.test(file)))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['package.json', 'package.nls.json']));
});

test('the patterns of product files match no source, source map, test or environment file', () => {
  const unwantedFiles = [
    'src/extension.ts',
    'dist/host/extension.js.map',
    'test/support/bootstrap.mjs',
    '.env',
  ];
  expect(unwantedFiles.filter((file) => shipped.some((pattern) => pattern.test(file)))).toEqual([]);
});

// The packaging tool reads every file of the project.
test('the extension package contains the command line', { timeout: timeLimits.start }, () => {
  const arguments_ = ['esbuild.mjs', '--production', '--cli-only=dist/cli'];
  execFileSync(process.execPath, arguments_, { cwd: root });
  expect(packagedFiles()).toContain('dist/cli/mint.js');
});

function packagedFiles(): string[] {
  const listing = execFileSync('vsce', ['ls', '--no-dependencies'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listing.split('\n').filter(Boolean);
}
