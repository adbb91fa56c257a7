/** Access to repositories, used to check their settings. */
export interface GitPorts {
  /**
   * Runs Git and returns its output.
   * @param folder Full path.
   * @param input Text on standard input; empty by default.
   * @throws if Git is not available or fails
   */
  readonly runGit: (folder: string, args: readonly string[], input?: string) => Promise<string>;
  /** Checks whether a file exists. `path` is relative to `folder`, or a full path. */
  readonly fileExists: (folder: string, path: string) => Promise<boolean>;
}

/** A Git setting that can make a command run a program or contact another machine. */
interface ProgramSetting {
  readonly keyPattern: RegExp;
  /** Names of the Git commands that use the setting; by default, all read-only commands. */
  readonly commands?: readonly string[];
  /** Matches values with which Git starts no program. */
  readonly harmlessValuePattern?: RegExp;
  /**
   * Matches values that are harmless in the settings of the user or the machine: Git starts no program from the
   * workspace.
   */
  readonly harmlessUserValuePattern?: RegExp;
}

const anyValuePattern = /^/u;
/**
 * Matches the name or full path of a program, without arguments. Does not match a relative path, which could lead to a
 * program in the workspace.
 */
const installedProgramPattern = /^(?:[\w.+-]+|(?:\/|[A-Za-z]:[\\/]).*)$/su;

/**
 * Git commands that compare files with the index. Git can then run programs that convert file contents, and can write
 * the index.
 */
const indexComparingCommands = ['status', 'diff', 'ls-files', 'describe'];
const changeShowingCommands = ['diff', 'log', 'show'];

/**
 * Git settings that affect read-only commands. Omits settings that no read-only command uses, such as editors, merge
 * tools, aliases, credential helpers, and hooks other than {@link indexHook}. Omits programs for remotes, which Git
 * uses only in a partial clone, and pagers, because the output is not a terminal. Also omits `trace2.*` and
 * `uploadpack.packObjectsHook`, because Git ignores them in repositories.
 */
const programSettings: readonly ProgramSetting[] = [
  // Converts files of the working folder. The values are those of `git lfs install --local`.
  {
    keyPattern: /^filter\.lfs\.(?:clean|smudge|process)$/su,
    commands: indexComparingCommands,
    harmlessValuePattern:
      /^git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)$/u,
  },
  {
    keyPattern: /^filter\.(?!lfs\.[a-z]+$).*\.(?:clean|smudge|process)$/su,
    commands: indexComparingCommands,
  },
  // Git LFS runs these programs, and writes to this folder, in its own filter.
  {
    keyPattern: /^lfs\.(?:storage|extension|customtransfer|standalonetransferagent)\b/su,
    commands: indexComparingCommands,
  },
  // Lists changed files. The environment of commands disables it too.
  {
    keyPattern: /^core\.fsmonitor$/u,
    commands: indexComparingCommands,
    harmlessValuePattern: /^(?:true|false|yes|no|on|off|[01]?)$/iu,
    harmlessUserValuePattern: anyValuePattern,
  },
  // Hooks of the configuration, since Git 2.54.
  { keyPattern: /^hook\..*\.command$/su },
  // Compares files, or converts them to text. A command that needs no approval has options that prevent this.
  {
    keyPattern: /^diff\.(?:external|.*\.(?:command|textconv))$/su,
    commands: changeShowingCommands,
    harmlessUserValuePattern: anyValuePattern,
  },
  // Checks signatures: a default format can request them.
  {
    keyPattern: /^gpg\.(?:.*\.)?(?:program|defaultkeycommand)$/su,
    harmlessUserValuePattern: installedProgramPattern,
  },
  // Fetches missing objects, with the address and the programs of the remote.
  { keyPattern: /^(?:extensions\.partialclone|remote\..*\.(?:promisor|partialclonefilter))$/su },
];

/** Hook that runs when Git updates the index after a comparison. Repositories contain no such file by default. */
const indexHook = 'hooks/post-index-change';

/** Maximum number of repositories to check, including the submodules of the repository. */
const maxRepositories = 30;

/**
 * Searches the settings of a repository and its submodules for a program that a Git command would run. Includes the
 * settings of a worktree and of included files. Accepts two kinds of programs in the settings of the user and the
 * machine: a program outside the workspace that loads no workspace file, and a filter that no attribute selects. Runs
 * none of the programs.
 * @param folder Full path of the command's working directory.
 * @param command Name of the Git command.
 * @returns the name of the setting or hook; undefined if none exists
 * @throws if the settings cannot be determined
 */
export async function findConfiguredProgram(
  folder: string,
  command: string,
  git: GitPorts,
): Promise<string | undefined> {
  const folders = [folder];
  for (let index = 0; index < folders.length; index += 1) {
    if (index >= maxRepositories) throw new Error('There are too many submodules.');
    const currentFolder = folders[index] ?? folder;
    const repository = await inspectRepository(currentFolder, git);
    const settings = filterProgramSettings(await listSettings(currentFolder, git), command, {
      isRoot: index > 0 || repository.isRoot,
      isSubmodule: index > 0,
    });
    const foundSetting = settings.find(({ isUserSetting }) => !isUserSetting);
    if (foundSetting !== undefined) return foundSetting.key;
    const usedUserSetting = await findUsedSetting(settings, currentFolder, git);
    if (usedUserSetting !== undefined) return usedUserSetting.key;
    if (
      indexComparingCommands.includes(command) &&
      (await git.fileExists(currentFolder, repository.indexHook))
    )
      return indexHook;
    for (const name of await listSubmodulePaths(currentFolder, git)) {
      const submodule = `${repository.topFolder}/${name}`;
      if (await git.fileExists(submodule, '.git')) folders.push(submodule);
    }
  }
  return undefined;
}

interface Repository {
  readonly topFolder: string;
  /** True if `topFolder` is the folder in which the command runs. */
  readonly isRoot: boolean;
  /** Path of the hook that Git runs when it updates the index, either full or relative to the working directory. */
  readonly indexHook: string;
}

async function inspectRepository(folder: string, git: GitPorts): Promise<Repository> {
  const options = ['--show-toplevel', '--is-inside-work-tree', '--show-cdup'];
  const output = await git.runGit(folder, ['rev-parse', ...options, '--git-path', indexHook]);
  const [topFolder = '', insideText, pathToTop, hookPath = '', ...rest] = output.split(/\r?\n/u);
  if (insideText !== 'true' || hookPath === '' || rest.join('') !== '')
    throw new Error('The folder is not in a repository.');
  return { topFolder, isRoot: pathToTop === '', indexHook: hookPath };
}

interface GitSetting {
  readonly key: string;
  readonly value: string;
  /** True for a setting of the user, the machine or the environment; false for a setting of the repository. */
  readonly isUserSetting: boolean;
}

/** Lists all Git settings that apply in a folder. */
async function listSettings(folder: string, git: GitPorts): Promise<readonly GitSetting[]> {
  const output = await git.runGit(folder, ['config', '--list', '--show-scope', '--includes', '-z']);
  const scopesAndEntries = output.split('\0');
  return scopesAndEntries.flatMap((scope, index) => {
    const entry = scopesAndEntries[index + 1];
    if (index % 2 !== 0 || entry === undefined) return [];
    const isUserSetting = /^(?:system|global|command)$/u.test(scope);
    const end = entry.indexOf('\n');
    return end < 0
      ? [{ key: entry, value: '', isUserSetting }]
      : [{ key: entry.slice(0, end), value: entry.slice(end + 1), isUserSetting }];
  });
}

function filterProgramSettings(
  settings: readonly GitSetting[],
  command: string,
  { isRoot, isSubmodule }: { readonly isRoot: boolean; readonly isSubmodule: boolean },
): readonly GitSetting[] {
  return settings.filter(({ key, value, isUserSetting }) => {
    // The command would access the files of another folder.
    if (key === 'core.worktree') return !isRoot && !isSubmodule;
    return programSettings.some(
      (setting) =>
        setting.keyPattern.test(key) &&
        (setting.commands?.includes(command) ?? true) &&
        setting.harmlessValuePattern?.test(value) !== true &&
        !(isUserSetting && setting.harmlessUserValuePattern?.test(value) === true),
    );
  });
}

/**
 * Returns the first setting whose program Git would use; undefined if none exists. The program of a filter is used only
 * if an attribute selects the filter for a file of the index.
 */
async function findUsedSetting(
  settings: readonly GitSetting[],
  folder: string,
  git: GitPorts,
): Promise<GitSetting | undefined> {
  if (settings.length === 0) return undefined;
  const fileOutput = await git.runGit(folder, ['ls-files', '-z', '--', ':/']);
  const attributeOutput = await git.runGit(
    folder,
    ['check-attr', '-z', '--stdin', 'filter'],
    fileOutput,
  );
  // Each attribute of a file has three parts: path, name and value.
  const filterNames = new Set(attributeOutput.split('\0').filter((_, index) => index % 3 === 2));
  return settings.find(({ key }) => {
    const name = /^filter\.(?<name>.*)\.[a-z]+$/su.exec(key)?.groups?.['name'];
    return name === undefined || filterNames.has(name);
  });
}

/** Lists the paths of the submodules, relative to the top folder of the repository. */
async function listSubmodulePaths(folder: string, git: GitPorts): Promise<readonly string[]> {
  const output = await git.runGit(folder, ['ls-files', '--stage', '-z', '--full-name', '--', ':/']);
  return output
    .split('\0')
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
}
