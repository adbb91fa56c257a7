import type { FileScope } from '../search.ts';
import { escapeGlob } from './glob-text.ts';

/**
 * What makes ripgrep list or search these files: hidden ones too, no links, and nothing of an ignore file outside the
 * folder. The names come as a file type, because a glob of its own would bring back files that are ignored.
 */
export function scopeArguments(scope: FileScope): string[] {
  const globs = [
    '.git',
    ...scope.hidden,
    ...scope.excludes.map((glob) => below(scope.under, glob)),
  ];
  return [
    '--hidden',
    '--path-separator=/',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-parent',
    '--no-ignore-global',
    ...(scope.useIgnoreFiles ? [] : ['--no-ignore']),
    ...scope.ignoreFilesAbove.flatMap((file) => ['--ignore-file', file]),
    ...globs.flatMap((glob) => ['--glob', `!${glob}`]),
    ...(scope.names ?? []).flatMap((name) => ['--type-add', `wanted:${name}`]),
    ...(scope.names === undefined ? [] : ['--type', 'wanted']),
  ];
}

/** For after `--`: always begins with a dot, so that no name is taken for an option. */
export const scopeTarget = ({ under }: FileScope): string => `./${under}`;

/** A path as ripgrep prints it, relative to the folder. */
export const printedPath = (path: string): string => path.replace(/^\.\//u, '');

/** Without a slash, a glob means any folder; with one, it begins where the search does. */
function below(under: string, glob: string): string {
  if (!glob.slice(0, -1).includes('/')) return glob;
  const rest = glob.replace(/^\//u, '');
  return under === '' ? `/${rest}` : `/${escapeGlob(under)}/${rest}`;
}
