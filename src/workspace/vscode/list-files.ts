import { listWithRipgrep } from './list-with-ripgrep.ts';
import { Breather } from './breather.ts';
import { walk } from './walk.ts';
import type { SearchPlace } from './search-scope.ts';

/**
 * Tells the path of every file in the place, in any order: by ripgrep, or folder by folder without it.
 * Ends early, without an error, when the signal fires.
 */
export async function listFiles(
  { scope, source, root }: SearchPlace,
  {
    program,
    signal,
    onPath,
  }: {
    readonly program: string | undefined;
    readonly signal: AbortSignal;
    readonly onPath: (path: string) => void;
  },
): Promise<void> {
  if (program !== undefined && root.scheme === 'file') {
    const all = (path: string): boolean => {
      onPath(path);
      return true;
    };
    const { kind } = await listWithRipgrep({ program, scope, signal, onPath: all });
    if (kind !== 'missing' && kind !== 'failed') return;
  }
  for await (const paths of walk(source, scope, { signal, breather: new Breather() })) {
    for (const path of paths) onPath(path);
  }
}
