import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const published = iconsIn(
  readFileSync(createRequire(import.meta.url).resolve('@vscode/codicons/dist/codicon.css'), 'utf8'),
);
const ours = iconsIn(readFileSync(new URL('icons.css', import.meta.url), 'utf8'));

test('every icon that the page names is there, and no other', () => {
  expect([...ours.keys()].toSorted()).toEqual([...named()].toSorted());
});

test('every icon is the one of that name', () => {
  for (const [name, code] of ours) expect([name, code]).toEqual([name, published.get(name)]);
});

/** Name → code point. */
function iconsIn(css: string): Map<string, string> {
  const rules = css.matchAll(
    /\.codicon-(?<name>[\w-]+)::?before\s*\{\s*content:\s*["']\\(?<code>\w+)/gu,
  );
  return new Map([...rules].map(({ groups }) => [groups?.['name'] ?? '', groups?.['code'] ?? '']));
}

/** Whatever stands as a whole string in the page's sources and is the name of an icon. */
function named(): Set<string> {
  const folder = new URL('..', import.meta.url).pathname;
  const sources = globSync('**/*.ts', { cwd: folder })
    // The image studio's are beside it; those of the wallet and of dictation have none.
    .filter((path) => !/\.(?:test|fixture)\.ts$|^(?:studio|wallet|dictation)\//u.test(path))
    .map((path) => readFileSync(folder + path, 'utf8'));
  const words = sources.flatMap(
    (text) => text.match(/(?<=['"`]|codicon-)[a-z][\w-]*(?=['"`])/gu) ?? [],
  );
  return new Set(words.filter((word) => published.has(word)));
}
