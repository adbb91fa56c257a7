import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildInTemporaryFolder } from '../bench/production-build.ts';
import { Zip } from '../service/files/zip.ts';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';

const shippedFilePatterns = [
  /^package(?:\.nls(?:\.[a-z-]+)?)?\.json$/iu,
  /^(?:README|CHANGELOG)\.md$/u,
  /^LICENSE(?:\.txt)?$/u,
  /^docs\/[\w-]+\.md$/u,
  /^dist\/third-party-notices\.txt$/u,
  /^dist\/cli\/mint\.js$/u,
  /^dist\/(?:host|webview)\/(?:[\w.-]+\/)*[\w.-]+\.(?:js|css|ttf|woff2)$/u,
  /^dist\/host\/tree-sitter(?:-bash|-powershell)?\.wasm$/u,
  /^docs\/inline-suggestions\.svg$/u,
  /^media\/(?!screenshots\/)(?:[\w.-]+\/)*[\w.-]+\.(?:svg|png|json|md)$/u,
];

// The packaging tool reads every file of the project.
test('the extension package contains only product files', { timeout: timeLimits.start }, () => {
  const files = listPackagedFiles();
  expect(
    files.filter((file) => !shippedFilePatterns.some((pattern) => pattern.test(file))),
  ).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['package.json', 'package.nls.json']));
});

test('the patterns for product files match no source, source map, test or environment file', () => {
  const unwantedFiles = [
    'src/extension.ts',
    'dist/host/extension.js.map',
    'test/support/bootstrap.mjs',
    '.env',
    'media/screenshots/chat-dark.png',
  ];
  expect(
    unwantedFiles.filter((file) => shippedFilePatterns.some((pattern) => pattern.test(file))),
  ).toEqual([]);
});

// The packaging tool reads every file of the project.
test(
  'the extension package contains the command-line program',
  { timeout: timeLimits.start },
  () => {
    const arguments_ = ['esbuild.mjs', '--production', '--cli-only=dist/cli'];
    execFileSync(process.execPath, arguments_, { cwd: root });
    expect(listPackagedFiles()).toContain('dist/cli/mint.js');
  },
);

test('the extension package contains each image of its documentation pages, so that VS Code can preview them', () => {
  const files = listPackagedFiles();
  const images = files
    .filter((file) => /^docs\/.*\.md$/u.test(file))
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/!\[[^\]]*\]\((?<image>[^)]+)\)/gu),
    ])
    .map(({ groups }) => `docs/${groups?.['image']}`);
  expect(images).not.toEqual([]);
  expect(images.filter((image) => !files.includes(image))).toEqual([]);
});

test('the README in a package with a known repository loads all images from that repository over HTTPS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-readme-'));
  try {
    const { name, version, publisher, engines } = JSON.parse(
      await readFile(join(root, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    const repository = 'https://github.com/you/inference-service';
    const manifest = { name, version, publisher, engines, repository };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE'])
      await cp(join(root, file), join(folder, file));
    execFileSync('vsce', ['package', '--no-dependencies', '--out', 'x.vsix'], { cwd: folder });
    const readme = new Zip(await readFile(join(folder, 'x.vsix'))).readText('extension/readme.md');
    const links = [...(readme ?? '').matchAll(/\]\((?<link>[^)#]+)/gu)].map(
      ({ groups }) => groups?.['link'] ?? '',
    );
    const files = links.map((link) => link.replace(/^.*\/(?:blob|raw)\/HEAD\//u, ''));
    expect(links.filter((link) => !link.startsWith(`${repository}/`))).toEqual([]);
    expect(files.filter((file) => file.startsWith('media/screenshots/'))).not.toEqual([]);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('the extension package is at most 4 MiB', { timeout: timeLimits.start }, async () => {
  await using build = await buildInTemporaryFolder();
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-package-'));
  try {
    await cp(build.dist, join(folder, 'dist'), { recursive: true });
    const names = listPackagedFiles().filter((file) => !file.startsWith('dist/'));
    await Promise.all(
      [...names, '.vscodeignore'].map((name) => cp(join(root, name), join(folder, name))),
    );
    const options = ['--no-dependencies', '--allow-missing-repository'];
    const file = join(folder, 'extension.vsix');
    execFileSync('vsce', ['package', ...options, '--no-rewrite-relative-links', '--out', file], {
      cwd: folder,
    });
    expect((await stat(file)).size).toBeLessThanOrEqual(4 * 1024 * 1024);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

function listPackagedFiles(): string[] {
  const listing = execFileSync('vsce', ['ls', '--no-dependencies'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listing.split('\n').filter(Boolean);
}
