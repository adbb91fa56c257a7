import { filterDiff, type CommitContext } from '../../conversation/commit-prompt.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import { type GitRepository, listUntrackedFiles } from '../../platform/git.ts';

/** Changes of a repository that a commit message describes. */
export interface CommitChanges {
  readonly context: CommitContext;
  /** True if no changes are staged. The commit message then describes all changes. */
  readonly isUnstaged: boolean;
  /** Number of files omitted because they may contain secrets. */
  readonly secretFileCount: number;
  readonly isEmpty: boolean;
}

const maxRecentSubjects = 12;

/**
 * Reads the staged changes. Reads all changes if no changes are staged. Omits files that may contain secrets.
 * @throws the error of Git
 */
export async function readChanges(repository: GitRepository): Promise<CommitChanges> {
  const isUnstaged = repository.state.indexChanges.length === 0;
  const [diff, recentSubjects] = await Promise.all([
    repository.diff(!isUnstaged),
    readRecentSubjects(repository),
  ]);
  const filteredDiff = filterDiff(diff, Number.POSITIVE_INFINITY);
  const allNewFiles = isUnstaged ? listUntrackedFiles(repository) : [];
  const newFiles = allNewFiles.filter((path) => !isLikelySecret(path));
  return {
    context: {
      diff: filteredDiff.text,
      newFiles,
      recentSubjects,
      draft: repository.inputBox.value,
    },
    isUnstaged,
    secretFileCount: filteredDiff.secretFiles + allNewFiles.length - newFiles.length,
    isEmpty: filteredDiff.text === '' && newFiles.length === 0,
  };
}

/**
 * Returns the subjects of the latest commits, newest first. Empty if the repository has no commits.
 */
export async function readRecentSubjects(
  repository: Pick<GitRepository, 'log'>,
): Promise<readonly string[]> {
  const commits = await repository.log({ maxEntries: maxRecentSubjects }).catch(() => []);
  return commits.map(({ message }) => message.split('\n', 1)[0] ?? '');
}
