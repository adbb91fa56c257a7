import { execFileSync } from 'node:child_process';

/** Makes the folder a Git repository, with one commit of all that is in it. */
export function makeRepository(folder: string, message: string): void {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  for (const args of [['init'], ['add', '.'], [...author, 'commit', '--message', message]])
    execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}
