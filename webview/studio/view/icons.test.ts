import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const codicons = readCodePoints(
  readFileSync(createRequire(import.meta.url).resolve('@vscode/codicons/dist/codicon.css'), 'utf8'),
);
const chatIcons = readCodePoints(
  readFileSync(new URL('../../base/icons.css', import.meta.url), 'utf8'),
);
const styleSheetIcons = readCodePoints(readFileSync(new URL('icons.css', import.meta.url), 'utf8'));

test('the studio style sheet contains exactly the icons that the studio uses and the chat does not', () => {
  const missingIcons = [...findUsedIconNames()].filter((name) => !chatIcons.has(name));
  expect([...styleSheetIcons.keys()].toSorted()).toEqual(missingIcons.toSorted());
});

test('the studio style sheet maps every icon name to its glyph', () => {
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

/** Returns all string literals in the studio's source files that are icon names. */
function findUsedIconNames(): Set<string> {
  const folder = new URL('..', import.meta.url).pathname;
  const sources = globSync('**/*.ts', { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(folder + path, 'utf8'));
  const matches = sources.flatMap((text) => [
    ...text.matchAll(
      /(?:icon: |\b(?:renderIcon|codicon|renderBadge|iconButton)\()'(?<name>[\w-]+)'/gu,
    ),
    ...text.matchAll(/\b(?:renderIcon|codicon)\([^'()]*'(?<name>[\w-]+)' : '(?<other>[\w-]+)'/gu),
  ]);
  const names = matches.flatMap(({ groups }) => [groups?.['name'], groups?.['other']]);
  return new Set(names.filter((name) => name !== undefined));
}
