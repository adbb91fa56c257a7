import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const codicons = readCodePoints(
  readFileSync(createRequire(import.meta.url).resolve('@vscode/codicons/dist/codicon.css'), 'utf8'),
);
const styleSheetIcons = readCodePoints(readFileSync(new URL('icons.css', import.meta.url), 'utf8'));

test('the style sheet of the pages contains exactly the icons that the pages use', () => {
  expect([...styleSheetIcons.keys()].toSorted()).toEqual([...findUsedIconNames()].toSorted());
});

test('the style sheet of the pages maps every icon name to its glyph', () => {
  for (const [name, code] of styleSheetIcons)
    expect([name, code]).toEqual([name, codicons.get(name)]);
});

/** Reads the style sheet of the icon font. Returns the code point of each icon by name. */
function readCodePoints(css: string): Map<string, string> {
  const rules = css.matchAll(
    /\.codicon-(?<name>[\w-]+)::?before\s*\{\s*content:\s*["']\\(?<code>\w+)/gu,
  );
  return new Map([...rules].map(({ groups }) => [groups?.['name'] ?? '', groups?.['code'] ?? '']));
}

/**
 * Matches code in which a string equals an icon name but has another meaning: an ARIA role, a comparison with a kind of
 * attachment, a property name or a model group.
 */
const nonIconPattern =
  /\bkind === '\w+'|\brole: '\w+'|\b(?:role|aria-haspopup)="\w+"|'preview'|'pinned'/gu;

/** Returns all string literals in the page's source files that are icon names. */
function findUsedIconNames(): Set<string> {
  const folder = new URL('..', import.meta.url).pathname;
  const sources = globSync('**/*.ts', { cwd: folder })
    // The image studio has its own style sheet and test. The wallet and dictation pages have no icons.
    .filter((path) => !/\.(?:test|fixture)\.ts$|^(?:studio|wallet|dictation)\//u.test(path))
    .map((path) => readFileSync(folder + path, 'utf8'));
  const matches = sources.flatMap(
    (text) =>
      text.replaceAll(nonIconPattern, '').match(/(?<=['"`]|codicon-)[a-z][\w-]*(?=['"`])/gu) ?? [],
  );
  return new Set(matches.filter((word) => codicons.has(word)));
}
