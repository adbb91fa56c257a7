import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fc } from '../../test/support/property.ts';
import {
  listAncestorFolders,
  type IgnoreScope,
  isIgnored,
  parseIgnoreFile,
} from './ignore-rules.ts';

const patternTokens = [
  ...['a', 'b', 'ab', '.', '*', '?', '/', '/', '**', '***', '{a,b}', ']'],
  ...['[ab]', '[!a]', '[^a]', '[a-c]', '[a-]', '[]]', String.raw`[a\-c]`, String.raw`[\]]`],
  ...[String.raw`\a`, String.raw`\*`],
];

const patternArbitrary = fc.array(fc.constantFrom(...patternTokens), {
  minLength: 1,
  maxLength: 5,
});
const ruleArbitrary = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    patternArbitrary,
    fc.constantFrom('', '', '/', '/**', ' ', '\r'),
  )
  .map(([negation, parts, patternEnd]) => `${negation}${parts.join('')}${patternEnd}`)
  // Git also matches `**` across folders next to other characters, unlike this parser.
  .filter((text) => !/[^/!]\*{2,}\/|\/\*{2,}[^/*\s]/u.test(text));
const ruleFilesArbitrary = fc.array(fc.array(ruleArbitrary, { minLength: 1, maxLength: 3 }), {
  minLength: 80,
  maxLength: 80,
});

const pathNames = ['a', 'b', 'ab', 'ba', '.a', 'c', 'a.b', '*', '{a,b}', 'b]', 'aa', 'A', '-', '7'];
const candidatePaths = pathNames.flatMap((name, index) => [
  name,
  `${pathNames[(index + 3) % pathNames.length]}/${name}`,
  `${pathNames[(index * 5) % pathNames.length]}/${pathNames[(index + 2) % pathNames.length]}/${name}`,
]);

test('isIgnored ignores the same paths as Git', () => {
  const root = mkdtempSync(join(tmpdir(), 'ignore-rules-'));
  try {
    execFileSync('git', ['init', '-q', root]);
    fc.assert(
      fc.property(ruleFilesArbitrary, (ruleFiles) => {
        const texts = ruleFiles.map((rules) => `${rules.join('\n')}\n`);
        const expected = findGitIgnoredPaths(root, texts);
        for (const [index, text] of texts.entries())
          expect([text, findIgnoredPaths(text)]).toEqual([text, expected[index]]);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** Returns the paths that git ignores for each text. Writes each text as the ignore file of a separate folder. */
function findGitIgnoredPaths(root: string, texts: readonly string[]): string[][] {
  for (const [index, text] of texts.entries()) {
    mkdirSync(join(root, String(index)), { recursive: true });
    writeFileSync(join(root, String(index), '.gitignore'), text);
  }
  const testPaths = texts.flatMap((_, index) => candidatePaths.map((path) => `${index}/${path}`));
  const output = execFileSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: root,
    input: testPaths.join('\0'),
    encoding: 'utf8',
  });
  const ignoredPaths = new Set(output.split('\0'));
  return texts.map((_, index) =>
    candidatePaths.filter((path) => ignoredPaths.has(`${index}/${path}`)),
  );
}

function findIgnoredPaths(text: string): string[] {
  const scope: IgnoreScope = { base: '', rules: parseIgnoreFile(text), parent: undefined };
  return candidatePaths.filter((path) => {
    const folders = listAncestorFolders(path).filter((folder) => folder !== '');
    return (
      folders.some((folder) => isIgnored(scope, folder, true)) || isIgnored(scope, path, false)
    );
  });
}
