import * as vscode from 'vscode';
import {
  listAncestorFolders,
  type IgnoreScope,
  decodeIgnoreFile,
  isIgnored,
  parseIgnoreFileStrictly,
} from '../ignore-rules.ts';

type ParsedRules = IgnoreScope['rules'];

/**
 * Ignore rules of one folder. `exactRules` contain the names as written in the ignore files, and `foldedRules` contain
 * normalized names.
 */
interface FolderRules {
  readonly exactRules: ParsedRules;
  readonly foldedRules: ParsedRules;
  /** Versions of the folder's ignore files. Includes files that do not exist, so that a new file is detected. */
  readonly fileVersions: readonly FileVersion[];
}

interface FileVersion {
  readonly file: vscode.Uri;
  /** Text that changes whenever the file is written. */
  readonly version: string;
}

/**
 * Maximum size of an ignore file in bytes. A larger file causes an error for all files in its
 * folder.
 */
const maxIgnoreFileBytes = 1_000_000;
const maxFolders = 2_000;

/** Normalizes a name, so that comparisons ignore letter case and Unicode normalization forms. */
export const foldName = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Reads ignore files of one kind, such as Git ignore files. Caches each file until {@link discardCache}
 * is called.
 */
export class IgnoreFiles {
  readonly #fileNames: readonly string[];
  readonly #normalizeName: (text: string) => string;
  readonly #folders = new Map<string, Promise<FolderRules>>();

  /**
   * @param names Names of the ignore files to read in every folder. Rules of files with later names take precedence.
   * @param normalizeName Normalizes names, so that a rule also matches other spellings of a name.
   */
  constructor(names: readonly string[], normalizeName: (text: string) => string = foldName) {
    this.#fileNames = names;
    this.#normalizeName = normalizeName;
  }

  /**
   * Checks whether an ignore file excludes a file or one of its parent folders. Reads the ignore files in the root, and
   * in the folders between the root and the file.
   * @param path Path of the file relative to the root, with forward slashes.
   * @throws Error if an ignore file cannot be read or has invalid content, because it is then unknown whether the file
   * is ignored
   */
  async isIgnored(root: vscode.Uri, path: string): Promise<boolean> {
    const folders = listAncestorFolders(path);
    const folderRules = await Promise.all(folders.map((folder) => this.#getRules(root, folder)));
    const exactRules = folderRules.map((rules) => rules.exactRules);
    const foldedRules = folderRules.map((rules) => rules.foldedRules);
    return (
      isIgnoredByRules(path, exactRules) || isIgnoredByRules(this.#normalizeName(path), foldedRules)
    );
  }

  /** Checks whether any ignore file was changed, created or deleted since it was read. Never rejects. */
  async haveChanged(): Promise<boolean> {
    const loadedRules = await Promise.all(
      [...this.#folders.values()].map((rulesPromise) => rulesPromise.catch(() => {})),
    );
    const fileVersions = loadedRules.flatMap((rules) => rules?.fileVersions ?? []);
    const currentVersions = await Promise.all(
      fileVersions.map(({ file }) => readVersion(file).catch(() => undefined)),
    );
    return fileVersions.some(({ version }, index) => version !== currentVersions[index]);
  }

  discardCache(): void {
    this.#folders.clear();
  }

  #getRules(root: vscode.Uri, folder: string): Promise<FolderRules> {
    const uri = folder === '' ? root : vscode.Uri.joinPath(root, folder);
    const key = uri.toString();
    const cachedPromise = this.#folders.get(key);
    if (cachedPromise !== undefined) return cachedPromise;
    const rulesPromise = this.#readRules(uri);
    if (this.#folders.size >= maxFolders) this.#folders.clear();
    this.#folders.set(key, rulesPromise);
    rulesPromise.catch(() => this.#folders.delete(key));
    return rulesPromise;
  }

  async #readRules(folder: vscode.Uri): Promise<FolderRules> {
    const fileUris = this.#fileNames.map((name) => vscode.Uri.joinPath(folder, name));
    const ignoreTexts = await Promise.all(fileUris.map(readIgnoreText));
    return {
      exactRules: ignoreTexts.flatMap(({ text }) => parseRules(text)),
      foldedRules: ignoreTexts.flatMap(({ text }) => parseRules(this.#normalizeName(text))),
      fileVersions: ignoreTexts.map(({ fileVersion }) => fileVersion),
    };
  }
}

/**
 * Checks the path against the rules of its parent folders. `rulesByDepth` is ordered from the root
 * down.
 */
function isIgnoredByRules(path: string, rulesByDepth: readonly ParsedRules[]): boolean {
  let scope: IgnoreScope | undefined;
  for (const [depth, folder] of listAncestorFolders(path).entries()) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const rules = rulesByDepth[depth] ?? [];
    const base = folder === '' ? '' : `${folder}/`;
    if (rules.length > 0) scope = { base, rules, parent: scope };
  }
  return isIgnored(scope, path, false);
}

function parseRules(text: string): ParsedRules {
  const rules = parseIgnoreFileStrictly(text);
  if (rules === undefined) throw new Error('The ignore file cannot be understood.');
  return rules;
}

async function readIgnoreText(
  file: vscode.Uri,
): Promise<{ text: string; fileVersion: FileVersion }> {
  // Reads the version before the text, so that a later check detects a write in between.
  const version = await readVersion(file);
  const fileVersion = { file, version };
  if (version === missingVersion) return { text: '', fileVersion };
  const text = decodeIgnoreFile(await vscode.workspace.fs.readFile(file));
  if (text === undefined) throw new Error('The ignore file is no text.');
  return { text, fileVersion };
}

const missingVersion = 'nothing';

/** Returns the version of an ignore file, or `missingVersion` for a missing file or a folder. */
async function readVersion(file: vscode.Uri): Promise<string> {
  try {
    const { type, size, mtime } = await vscode.workspace.fs.stat(file);
    // The entry can be a folder, which has no rules.
    if ((type & vscode.FileType.File) === 0) return missingVersion;
    if (size > maxIgnoreFileBytes) throw new Error('The ignore file is too large.');
    return `${mtime} ${size}`;
  } catch (error) {
    if (isMissingFileError(error)) return missingVersion;
    throw error;
  }
}

const isMissingFileError = (error: unknown): boolean =>
  error instanceof vscode.FileSystemError &&
  (error.code === 'FileNotFound' || error.code === 'FileNotADirectory');
