import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { isSecretText, type SecretState, SecretScanner } from '../secret-text.ts';
import { textAfter } from '../text-lines.ts';
import { checkFile, type FileAccess, secretFile, uncheckedFile } from './judge-file.ts';
import type { EditorRule } from '../../reason.ts';
import { onDidChangeSettings, setting } from '../../../platform/settings.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { cellOf, openDocument } from '../../../workspace/vscode/documents.ts';
import { foldName, IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';

/** Scans open documents for secrets, on first use. */
export class DocumentSecrets implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #onDidChangeEmitter = this.#owned.add(new Emitter<void>());
  readonly #texts = new Map<vscode.TextDocument, SecretScanner>();

  constructor() {
    this.#owned.add(vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)));
    this.#owned.add(
      vscode.workspace.onDidCloseTextDocument((document) => void this.#texts.delete(document)),
    );
  }

  /** Fires when a clean document becomes secret or the reverse. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /** Returns the scan result; undefined while a part of the document is unscanned. */
  stateOf(document: vscode.TextDocument): SecretState | undefined {
    return this.#texts.get(document)?.state;
  }

  /** Scans the whole text. */
  read(document: vscode.TextDocument): Promise<SecretState> {
    const text =
      this.#texts.get(document) ??
      new SecretScanner(document, () => this.#onDidChangeEmitter.fire());
    if (!document.isClosed) this.#texts.set(document, text);
    return text.read();
  }

  dispose(): void {
    this.#owned.dispose();
    this.#texts.clear();
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    this.#texts.get(document)?.applyChanges(contentChanges);
  }
}

const gitignoreSetting = 'inferenceService.completion.respectGitignore';
const extensionIgnoreFile = '.inferenceignore';
const ignoreFile = /\/(?:\.gitignore|\.inferenceignore|\.git\/info\/exclude)$/u;

/** Normalizes names like Git, which ignores case on case-insensitive file systems. */
const foldForGit =
  process.platform === 'linux' ? (text: string): string => text.normalize('NFC') : foldName;

/** Lifetime of a file check in milliseconds. A link may change its target. */
const lifetimeMs = 5_000;
/** Interval between checks of the ignore files, in milliseconds. VS Code does not watch those above the workspace. */
const ignoreCheckIntervalMs = 2_000;
const maxChecked = 1_000;

interface CheckedFile {
  readonly access: FileAccess;
  readonly at: number;
}

/**
 * Decides which files may be sent. The first request for a file starts an asynchronous check, and
 * the file is blocked until the check completes. Open documents are also checked by their content,
 * including unsaved text.
 */
export class FileRules implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #clock: Clock;
  readonly #onDidChangeEmitter = this.#owned.add(new Emitter<void>());
  readonly #texts = this.#owned.add(new DocumentSecrets());
  readonly #git = new IgnoreFiles(['.git/info/exclude', '.gitignore'], foldForGit);
  readonly #extensionIgnore = new IgnoreFiles([extensionIgnoreFile]);
  readonly #checked = new Map<string, CheckedFile>();
  readonly #checking = new Map<string, Promise<void>>();
  /** Number of resets. */
  #generation = 0;
  #ignoreCheckedAt = -Infinity;
  #ignoreCheck: Promise<void> | undefined;
  #isDisposed = false;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
    this.#owned.add(this.#texts.onDidChange(() => this.#onDidChangeEmitter.fire()));
    const reset = (): void => this.#reset();
    const watcher = this.#owned.add(vscode.workspace.createFileSystemWatcher('**/*'));
    for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
      this.#owned.add(event((uri) => this.#recheck(uri)));
    this.#owned.add(
      // The save event is earlier than the file watcher, and includes files outside the workspace.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#recheck(uri)),
    );
    this.#owned.add(onDidChangeSettings([gitignoreSetting, 'files.exclude'], reset));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(reset));
    this.#owned.add(vscode.workspace.onDidRenameFiles(reset));
  }

  /** Fires when results may have changed, so that derived data must be cleared. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /**
   * Returns the rule against sending a file or document. Synchronous: returns `unchecked-file` and starts a check
   * while the result is unknown. {@link isKnown} distinguishes that from a failed check.
   */
  ruleFor(uri: vscode.Uri): EditorRule | undefined {
    return this.#accessOf(uri).rule;
  }

  /** Checks whether snippets of a file may be sent with another file. Synchronous; false while unknown. */
  isShareable(uri: vscode.Uri): boolean {
    return this.#accessOf(uri).isShareable;
  }

  /** Checks whether the file was checked recently. */
  isKnown(uri: vscode.Uri): boolean {
    const known = this.#known(uri);
    if (known === undefined) return false;
    const file = fileOf(uri);
    return file === undefined || known.rule !== undefined || this.#isFresh(file);
  }

  /** Returns the result of {@link ruleFor} after all checks. Never rejects. */
  async check(uri: vscode.Uri): Promise<EditorRule | undefined> {
    await this.#checkAll(uri);
    return this.ruleFor(uri);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#owned.dispose();
    this.#checked.clear();
  }

  #accessOf(uri: vscode.Uri): FileAccess {
    const known = this.#known(uri);
    if (known === undefined) void this.#checkAll(uri);
    return known ?? uncheckedFile;
  }

  /** Returns the permissions; undefined while the file or its text is unchecked. */
  #known(uri: vscode.Uri): FileAccess | undefined {
    const file = fileOf(uri);
    if (file === undefined) return secretFile;
    const checked = this.#checked.get(file.toString());
    if (checked === undefined) return isLikelySecret(file.path) ? secretFile : undefined;
    if (!this.#isFresh(file)) void this.#checkLocation(file);
    if (checked.access.rule !== undefined) return checked.access;
    const document = openDocument(uri.toString());
    if (document === undefined) return checked.access;
    const text = this.#texts.stateOf(document);
    if (text === undefined) return undefined;
    return text === 'secret' ? secretFile : checked.access;
  }

  #isFresh(file: vscode.Uri): boolean {
    const checked = this.#checked.get(file.toString());
    return checked !== undefined && this.#clock.now() - checked.at <= lifetimeMs;
  }

  async #checkAll(uri: vscode.Uri): Promise<void> {
    const file = fileOf(uri);
    const document = openDocument(uri.toString());
    await Promise.all([
      file !== undefined && !this.#isFresh(file) && this.#checkLocation(file),
      document !== undefined && this.#texts.read(document),
    ]);
  }

  /** Checks a file again after a change on disk, because a link may have replaced the file. */
  #recheck(uri: vscode.Uri): void {
    if (ignoreFile.test(uri.path)) return this.#reset();
    const key = uri.toString();
    const checked = this.#checked.get(key);
    if (checked === undefined) return;
    this.#checked.set(key, { ...checked, at: -Infinity });
    this.#checking.delete(key);
    void this.#checkLocation(uri);
  }

  /** Resets all results when another program changed an ignore file. */
  #checkIgnoreFiles(): Promise<void> | undefined {
    const now = this.#clock.now();
    if (now - this.#ignoreCheckedAt < ignoreCheckIntervalMs) return this.#ignoreCheck;
    this.#ignoreCheckedAt = now;
    this.#ignoreCheck = this.#compareIgnoreFiles(this.#generation);
    return this.#ignoreCheck;
  }

  async #compareIgnoreFiles(generation: number): Promise<void> {
    const changed = await Promise.all([
      this.#git.haveChanged(),
      this.#extensionIgnore.haveChanged(),
    ]);
    if (changed.includes(true) && generation === this.#generation) this.#reset();
  }

  #checkLocation(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    const running = this.#checking.get(key);
    if (running !== undefined) return running;
    const checking = this.#checkNow(file).finally(() => {
      if (this.#checking.get(key) === checking) this.#checking.delete(key);
    });
    this.#checking.set(key, checking);
    return checking;
  }

  /** Checks a file, and repeats the check if a rule changed meanwhile. */
  async #checkNow(file: vscode.Uri): Promise<void> {
    await this.#checkIgnoreFiles();
    for (let generation; generation !== this.#generation && !this.#isDisposed;) {
      generation = this.#generation;
      const git = setting(gitignoreSetting) ? this.#git : undefined;
      // A failed check does not prove the file harmless.
      const checking = checkFile(file, { git, own: this.#extensionIgnore }).catch(
        () => uncheckedFile,
      );
      const access = await checking;
      if (generation === this.#generation) this.#store(file.toString(), access);
    }
  }

  #store(key: string, access: FileAccess): void {
    const before = this.#checked.get(key)?.access;
    this.#checked.delete(key);
    this.#checked.set(key, { access, at: this.#clock.now() });
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > maxChecked && oldest !== undefined) this.#checked.delete(oldest);
    if (before === undefined) return;
    const isUnchanged = before.rule === access.rule && before.isShareable === access.isShareable;
    if (!isUnchanged) this.#onDidChangeEmitter.fire();
  }

  #reset(): void {
    this.#generation += 1;
    this.#git.forget();
    this.#extensionIgnore.forget();
    this.#checked.clear();
    this.#checking.clear();
    this.#onDidChangeEmitter.fire();
  }
}

/** Returns the file on disk; for a notebook cell, its notebook. Undefined for a cell without a notebook. */
function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') return uri;
  return cellOf(openDocument(uri.toString()) ?? { uri })?.notebook.uri;
}

/** Maximum file size in bytes. Larger files are rarely written by hand. */
const maxFileSize = 256 * 1_024;

/**
 * Returns the text of a shareable file, from the editor or the disk, with `\n` line ends; undefined
 * for other files. Does not open a document, because language services would start to process it.
 * Never rejects.
 */
export async function shareableText(
  rules: FileRules,
  uri: vscode.Uri,
): Promise<string | undefined> {
  await rules.check(uri);
  if (!rules.isShareable(uri)) return undefined;
  const text = openText(uri) ?? (await textOnDisk(uri));
  // The rules may have changed during the read.
  if (text === undefined || !rules.isShareable(uri) || isSecretText(text)) return undefined;
  return text.replaceAll(/\r\n?/gu, '\n');
}

function openText(uri: vscode.Uri): string | undefined {
  const document = openDocument(uri.toString());
  return document && textAfter(document, { line: 0, character: 0 }, maxFileSize);
}

async function textOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > maxFileSize) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
