import { compileGlob } from '../glob.ts';
import { type IgnoreScope, isIgnored, scopeBelow, scopeOf } from '../ignore-rules.ts';
import type { FileScope, FileSource, FolderEntry } from '../search.ts';
import type { Breather } from './breather.ts';

interface Folder {
  readonly path: string;
  readonly scope: IgnoreScope | undefined;
}

/**
 * The files of the scope, folder by folder, paths relative to its folder. Follows no link, and lets others have
 * their turn. Ends early when the signal fires.
 */
export async function* walk(
  source: FileSource,
  scope: FileScope,
  { signal, breather }: { readonly signal: AbortSignal; readonly breather: Breather },
): AsyncGenerator<readonly string[]> {
  const leavesOut = hiddenBy(scope);
  const above = scope.useIgnoreFiles ? await scopeOf(source, scope.under, false) : undefined;
  const open: Folder[] = [{ path: scope.under, scope: above }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (signal.aborted) return;
    if (breather.due) await breather.breathe();
    const answer = source.entries(folder.path);
    const entries = answer instanceof Promise ? await answer : answer;
    const inner = scope.useIgnoreFiles ? await innerScope(source, folder, entries) : undefined;
    const files: string[] = [];
    for (const { name, kind } of entries) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      if (kind === 'other' || name === '.git' || leavesOut(path)) continue;
      if (isIgnored(inner, path, kind === 'folder')) continue;
      if (kind === 'file') files.push(path);
      else open.push({ path, scope: inner });
    }
    if (files.length > 0) yield files;
  }
}

/** Whether the settings, or the call, leave out an entry; a folder goes with all that it holds. */
export function hiddenBy({ hidden, excludes, under }: FileScope): (path: string) => boolean {
  const fromFolder = hidden.map(compileGlob);
  const fromUnder = excludes.map(compileGlob);
  const start = under === '' ? 0 : under.length + 1;
  return (path) =>
    fromFolder.some((matches) => matches(path)) ||
    fromUnder.some((matches) => matches(path.slice(start)));
}

async function innerScope(
  source: FileSource,
  { path, scope }: Folder,
  entries: readonly FolderEntry[],
): Promise<IgnoreScope | undefined> {
  const present = entries.map(({ name }) => name);
  return scopeBelow(source, { parent: scope, path, present });
}
