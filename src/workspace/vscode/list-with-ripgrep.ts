import type { FileScope } from '../search.ts';
import { type RipgrepEnd, runRipgrep } from './ripgrep.ts';
import { printedPath, scopeArguments, scopeTarget } from './ripgrep-arguments.ts';

/**
 * Tells the path of every file of the scope, in any order, relative to its folder.
 * @param onPath Returns false when it wants no more.
 */
export function listWithRipgrep({
  program,
  scope,
  signal,
  onPath,
}: {
  readonly program: string;
  readonly scope: FileScope;
  readonly signal: AbortSignal;
  readonly onPath: (path: string) => boolean;
}): Promise<RipgrepEnd> {
  let rest = '';
  return runRipgrep({
    program,
    args: ['--files', '--null', ...scopeArguments(scope), '--', scopeTarget(scope)],
    cwd: scope.folder,
    signal,
    onText(text) {
      const paths = (rest + text).split('\0');
      rest = paths.pop() ?? '';
      return paths.every((path) => onPath(printedPath(path)));
    },
  });
}
