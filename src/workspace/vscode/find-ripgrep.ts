import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative } from 'node:path';

export interface RipgrepPlaces {
  /** The editor's own folder (`vscode.env.appRoot`). */
  readonly appRoot: string;
  /** The PATH variable. */
  readonly path: string;
  /** Folders of the workspace: a program in one of them is never run. */
  readonly folders: readonly string[];
}

const program = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** The editor's own ripgrep, in each layout that it has had, or one on PATH; undefined when there is none. */
export async function findRipgrep({
  appRoot,
  path,
  folders,
}: RipgrepPlaces): Promise<string | undefined> {
  const onPath = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folders.some((each) => contains(each, folder)))
    .map((folder) => join(folder, program));
  for (const candidate of [...bundled(appRoot), ...onPath])
    if (await isProgram(candidate)) return candidate;
  return undefined;
}

function bundled(appRoot: string): string[] {
  const platform = `${process.platform}-${process.arch}`;
  const packages = [
    join('ripgrep', 'bin', program),
    join('ripgrep-universal', 'bin', platform, program),
    join(`ripgrep-${platform}`, 'bin', program),
  ];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) =>
    packages.map((path) => join(appRoot, modules, '@vscode', path)),
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[/\\]/u)[0] !== '..';
}
