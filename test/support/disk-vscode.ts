import { posix } from 'node:path';

/**
 * Substitute for `vscode` in unit tests of modules that resolve files on disk. Contains a `Uri` class for files, and a
 * Git extension that reports the first `git` in the `PATH`.
 */
export { l10n } from './vscode-stub.ts';

/** URI of a file on disk. */
export class Uri {
  readonly scheme = 'file';
  readonly authority = '';
  readonly query = '';
  readonly fragment = '';
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static file(path: string): Uri {
    return new Uri(path);
  }

  static joinPath({ path }: Uri, ...segments: readonly string[]): Uri {
    return new Uri(posix.join(path, ...segments));
  }

  get fsPath(): string {
    return this.path;
  }

  with({ path = this.path }: { readonly path?: string }): Uri {
    return new Uri(path);
  }

  toString(): string {
    return `file://${this.path}`;
  }
}

const fakeGitExtension = {
  activate: () =>
    Promise.resolve({ enabled: true, getAPI: () => ({ git: { path: 'git' }, repositories: [] }) }),
};

export const extensions = {
  getExtension: (id: string): typeof fakeGitExtension | undefined =>
    id === 'vscode.git' ? fakeGitExtension : undefined,
};
