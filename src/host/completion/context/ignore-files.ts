import * as vscode from 'vscode';
import { type IgnoreScope, isIgnored, readIgnoreFile } from '../../../agent/search/ignore-rules.ts';
import { foldersAbove } from '../../agent/scan/ignore-scopes.ts';

type Rules = IgnoreScope['rules'];

/** A larger one is not read, and then nothing below it is known. */
const largestIgnoreFile = 1_000_000;

/** Ignore files of one kind, such as git's, read once each until {@link forget}. */
export class IgnoreFiles {
  readonly #names: readonly string[];
  readonly #namesAtRoot: readonly string[];
  readonly #rules = new Map<string, Promise<Rules>>();

  /**
   * @param names Of the files of any folder; later ones have the last word.
   * @param namesAtRoot Others, of the root alone, that the first ones may overrule.
   */
  constructor(names: readonly string[], namesAtRoot: readonly string[] = []) {
    this.#names = names;
    this.#namesAtRoot = namesAtRoot;
  }

  /**
   * Whether an ignore file between the root and the file leaves it, or a folder that it is in, out.
   * @param path Of the file, below the root, with forward slashes.
   * @throws what the file system says when one that exists cannot be read: then nothing is known.
   */
  async leavesOut(root: vscode.Uri, path: string): Promise<boolean> {
    let scope: IgnoreScope | undefined;
    for (const folder of foldersAbove(path)) {
      if (folder !== '' && isIgnored(scope, folder, true)) return true;
      const rules = await this.#rulesOf(root, folder);
      const base = folder === '' ? '' : `${folder}/`;
      if (rules.length > 0) scope = { base, rules, parent: scope };
    }
    return isIgnored(scope, path, false);
  }

  forget(): void {
    this.#rules.clear();
  }

  #rulesOf(root: vscode.Uri, folder: string): Promise<Rules> {
    const uri = folder === '' ? root : vscode.Uri.joinPath(root, folder);
    const names = folder === '' ? [...this.#namesAtRoot, ...this.#names] : this.#names;
    const key = `${folder === ''} ${uri.toString()}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const reading = readAll(names.map((name) => vscode.Uri.joinPath(uri, name)));
    this.#rules.set(key, reading);
    reading.catch(() => this.#rules.delete(key));
    return reading;
  }
}

async function readAll(files: readonly vscode.Uri[]): Promise<Rules> {
  return (await Promise.all(files.map(readRules))).flat();
}

async function readRules(file: vscode.Uri): Promise<Rules> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(file);
    // A folder of that name says nothing.
    if ((type & vscode.FileType.File) === 0) return [];
    if (size > largestIgnoreFile) throw new Error('The ignore file is too large.');
    return readIgnoreFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof vscode.FileSystemError &&
  (error.code === 'FileNotFound' || error.code === 'FileNotADirectory');
