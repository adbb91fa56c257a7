import { execFileSync } from 'node:child_process';

/** Initializes a Git repository in the folder and commits all its files. */
export function makeRepository(folder: string, message: string): void {
  const authorOptions = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  for (const args of [['init'], ['add', '.'], [...authorOptions, 'commit', '--message', message]])
    execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}
