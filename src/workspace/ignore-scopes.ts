import { type IgnoreScope, isIgnored, readIgnoreFile } from './ignore-rules.ts';
import type { FileSource } from './file-source.ts';

/** As git and ripgrep have them; the later one has the last word. */
const ignoreFileNames = ['.gitignore', '.ignore'];

export const isIgnoreFile = (name: string): boolean => ignoreFileNames.includes(name);

/** Adds the ignore files of a folder to those above it. `present` are the names in the folder. */
export async function scopeBelow(
  source: FileSource,
  {
    parent,
    path,
    present,
  }: {
    readonly parent: IgnoreScope | undefined;
    readonly path: string;
    readonly present: readonly string[];
  },
): Promise<IgnoreScope | undefined> {
  const files = ignoreFileNames.filter((name) => present.includes(name));
  if (files.length === 0) return parent;
  const base = path === '' ? '' : `${path}/`;
  const rules = [];
  for (const name of files) {
    const bytes = await source.read(`${base}${name}`);
    rules.push(...readIgnoreFile(new TextDecoder().decode(bytes)));
  }
  return { base, rules, parent };
}

/** The ignore files from the root down to `folder`, itself included when `inclusive`. */
export async function scopeOf(
  source: FileSource,
  folder: string,
  inclusive: boolean,
): Promise<IgnoreScope | undefined> {
  let scope: IgnoreScope | undefined;
  for (const path of inclusive ? [...foldersAbove(folder), folder] : foldersAbove(folder))
    scope = await scopeBelow(source, { parent: scope, path, present: await names(source, path) });
  return scope;
}

/** Whether an ignore file leaves out the file, or a folder that it is in. */
export async function isIgnoredFile(source: FileSource, path: string): Promise<boolean> {
  let scope: IgnoreScope | undefined;
  for (const folder of foldersAbove(path)) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const present = await names(source, folder);
    scope = await scopeBelow(source, { parent: scope, path: folder, present });
  }
  return isIgnored(scope, path, false);
}

/** `a/b/c` → ``, `a`, `a/b`. Nothing is above the root. */
export function foldersAbove(path: string): string[] {
  if (path === '') return [];
  const names = path.split('/');
  return names.map((_, count) => names.slice(0, count).join('/'));
}

async function names(source: FileSource, path: string): Promise<string[]> {
  return (await source.entries(path)).map(({ name }) => name);
}
