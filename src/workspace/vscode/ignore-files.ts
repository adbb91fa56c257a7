import * as vscode from 'vscode';
import {
  foldersAbove,
  type IgnoreScope,
  ignoreText,
  isIgnored,
  readWholeIgnoreFile,
} from '../ignore-rules.ts';

type Rules = IgnoreScope['rules'];

/** What the ignore files of one folder say, as it stands and in the form of {@link foldName}. */
interface FolderRules {
  readonly exact: Rules;
  readonly folded: Rules;
  /** Of every file, also of those that are missing. */
  readonly stamps: readonly Stamp[];
}

interface Stamp {
  readonly file: vscode.Uri;
  /** Differs when the file was written anew. */
  readonly mark: string;
}

/** A larger one is not read, and then nothing below it is known. */
const largestIgnoreFile = 1_000_000;
const mostFolders = 2_000;

/** The form in which names are compared where case, and the way in which accents are written, do not count. */
export const foldName = (text: string): string => text.normalize('NFC').toLowerCase();

/** Ignore files of one kind, such as git's, read once each until {@link forget}. */
export class IgnoreFiles {
  readonly #names: readonly string[];
  readonly #fold: (text: string) => string;
  readonly #folders = new Map<string, Promise<FolderRules>>();

  /**
   * @param names Of the files of any folder; later ones have the last word.
   * @param fold The form in which a name fits a rule, too.
   */
  constructor(names: readonly string[], fold: (text: string) => string = foldName) {
    this.#names = names;
    this.#fold = fold;
  }

  /**
   * Whether an ignore file between the root and the file leaves it, or a folder that it is in, out.
   * @param path Of the file, below the root, with forward slashes.
   * @throws what the file system says when one that exists cannot be read, and an error for one that cannot be
   * understood: then nothing is known.
   */
  async leavesOut(root: vscode.Uri, path: string): Promise<boolean> {
    const folders = foldersAbove(path);
    const found = await Promise.all(folders.map((folder) => this.#rulesOf(root, folder)));
    const exact = found.map((each) => each.exact);
    const folded = found.map((each) => each.folded);
    return isLeftOut(path, exact) || isLeftOut(this.#fold(path), folded);
  }

  /** Whether a file that was read, or was missing, is another one by now. Never rejects. */
  async haveChanged(): Promise<boolean> {
    const known = await Promise.all(
      [...this.#folders.values()].map((each) => each.catch(() => {})),
    );
    const stamps = known.flatMap((each) => each?.stamps ?? []);
    const now = await Promise.all(stamps.map(({ file }) => markOf(file).catch(() => undefined)));
    return stamps.some(({ mark }, index) => mark !== now[index]);
  }

  forget(): void {
    this.#folders.clear();
  }

  #rulesOf(root: vscode.Uri, folder: string): Promise<FolderRules> {
    const uri = folder === '' ? root : vscode.Uri.joinPath(root, folder);
    const key = uri.toString();
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const reading = this.#readAll(uri);
    if (this.#folders.size >= mostFolders) this.#folders.clear();
    this.#folders.set(key, reading);
    reading.catch(() => this.#folders.delete(key));
    return reading;
  }

  async #readAll(folder: vscode.Uri): Promise<FolderRules> {
    const files = this.#names.map((name) => vscode.Uri.joinPath(folder, name));
    const read = await Promise.all(files.map(readIgnoreText));
    return {
      exact: read.flatMap(({ text }) => rulesOf(text)),
      folded: read.flatMap(({ text }) => rulesOf(this.#fold(text))),
      stamps: read.map(({ stamp }) => stamp),
    };
  }
}

/** By the rules of each folder above it, the topmost first. */
function isLeftOut(path: string, rulesAbove: readonly Rules[]): boolean {
  let scope: IgnoreScope | undefined;
  for (const [depth, folder] of foldersAbove(path).entries()) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const rules = rulesAbove[depth] ?? [];
    const base = folder === '' ? '' : `${folder}/`;
    if (rules.length > 0) scope = { base, rules, parent: scope };
  }
  return isIgnored(scope, path, false);
}

function rulesOf(text: string): Rules {
  const rules = readWholeIgnoreFile(text);
  if (rules === undefined) throw new Error('The ignore file cannot be understood.');
  return rules;
}

async function readIgnoreText(file: vscode.Uri): Promise<{ text: string; stamp: Stamp }> {
  // Before the text: what is written in between is seen later.
  const mark = await markOf(file);
  const stamp = { file, mark };
  if (mark === nothing) return { text: '', stamp };
  const text = ignoreText(await vscode.workspace.fs.readFile(file));
  if (text === undefined) throw new Error('The ignore file is no text.');
  return { text, stamp };
}

const nothing = 'nothing';

/** Of a file that can say something. */
async function markOf(file: vscode.Uri): Promise<string> {
  try {
    const { type, size, mtime } = await vscode.workspace.fs.stat(file);
    // A folder of that name says nothing.
    if ((type & vscode.FileType.File) === 0) return nothing;
    if (size > largestIgnoreFile) throw new Error('The ignore file is too large.');
    return `${mtime} ${size}`;
  } catch (error) {
    if (isMissing(error)) return nothing;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof vscode.FileSystemError &&
  (error.code === 'FileNotFound' || error.code === 'FileNotADirectory');
