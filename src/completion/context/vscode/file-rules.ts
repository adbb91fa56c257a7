import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { isSecretText, type SecretScanResult, SecretScanner } from '../secret-text.ts';
import { getTextAfter } from '../text-lines.ts';
import { checkFile, type FileAccess, secretFileAccess, uncheckedFileAccess } from './check-file.ts';
import type { EditorCause } from '../../reason.ts';
import { onDidChangeSettings, getSetting } from '../../../platform/settings.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { findCell, findOpenDocument } from '../../../workspace/vscode/documents.ts';
import { foldName, IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';

/** Scans open documents for secrets. The scan of a document starts with the first request for its result. */
export class DocumentSecrets implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  readonly #scanners = new Map<vscode.TextDocument, SecretScanner>();

  constructor() {
    this.#disposables.add(
      vscode.workspace.onDidChangeTextDocument((event) => this.#handleDocumentChange(event)),
    );
    this.#disposables.add(
      vscode.workspace.onDidCloseTextDocument((document) => void this.#scanners.delete(document)),
    );
  }

  /** Fires when the result for a document changes from clean to secret or from secret to clean. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /** Returns the scan result of a document; undefined until all lines are scanned. */
  getResult(document: vscode.TextDocument): SecretScanResult | undefined {
    return this.#scanners.get(document)?.result;
  }

  /** Scans a document and returns the scan result. */
  scan(document: vscode.TextDocument): Promise<SecretScanResult> {
    const scanner =
      this.#scanners.get(document) ??
      new SecretScanner(document, () => this.#onDidChangeEmitter.fire());
    if (!document.isClosed) this.#scanners.set(document, scanner);
    return scanner.finishScan();
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#scanners.clear();
  }

  #handleDocumentChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    this.#scanners.get(document)?.applyChanges(contentChanges);
  }
}

const gitignoreSetting = 'inferenceService.completion.respectGitignore';
const extensionIgnoreFileName = '.inferenceignore';
const ignoreFilePattern = /\/(?:\.gitignore|\.inferenceignore|\.git\/info\/exclude)$/u;

/** Normalizes a file name as Git does. Git ignores case on case-insensitive file systems. */
const foldForGit =
  process.platform === 'linux' ? (text: string): string => text.normalize('NFC') : foldName;

/** Lifetime of a file check in milliseconds. A check must be repeated, because a symbolic link may get a new target. */
const fileCheckLifetimeMs = 5_000;
/**
 * Age of a check result in milliseconds after which a new check starts in the background. The old result is used until
 * it expires, so that suggestions need not wait for the new check while the user types.
 */
const fileRecheckAgeMs = 2_500;
/**
 * Interval between checks of the ignore files in milliseconds. Necessary, because VS Code does not watch ignore files
 * above the workspace.
 */
const ignoreCheckIntervalMs = 2_000;
const maxCheckedFiles = 1_000;

interface CheckedFile {
  readonly access: FileAccess;
  readonly checkedAt: number;
}

/**
 * Decides which files may be sent. The first request for a file starts a check in the background, and the file is
 * blocked until the check is complete. For open documents, also checks the text, including unsaved changes.
 */
export class FileRules implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #clock: Clock;
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  readonly #documentSecrets = this.#disposables.add(new DocumentSecrets());
  readonly #gitIgnore = new IgnoreFiles(['.git/info/exclude', '.gitignore'], foldForGit);
  readonly #extensionIgnore = new IgnoreFiles([extensionIgnoreFileName]);
  readonly #checkedFiles = new Map<string, CheckedFile>();
  readonly #runningChecks = new Map<string, Promise<void>>();
  /**
   * Number of times that all check results were discarded. If the number changed during an asynchronous check, the
   * result of this check is outdated.
   */
  #generation = 0;
  #ignoreCheckedAt = -Infinity;
  #ignoreCheckPromise: Promise<void> | undefined;
  #isDisposed = false;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
    this.#disposables.add(this.#documentSecrets.onDidChange(() => this.#onDidChangeEmitter.fire()));
    const reset = (): void => this.#resetCaches();
    const watcher = this.#disposables.add(vscode.workspace.createFileSystemWatcher('**/*'));
    for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
      this.#disposables.add(event((uri) => this.#recheckFile(uri)));
    this.#disposables.add(
      // This event is faster than the file watcher, and also covers files outside the workspace.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#recheckFile(uri)),
    );
    this.#disposables.add(onDidChangeSettings([gitignoreSetting, 'files.exclude'], reset));
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(reset));
    this.#disposables.add(vscode.workspace.onDidRenameFiles(reset));
  }

  /**
   * Fires when a rule may have changed. Listeners must then remove the data of files that are no
   * longer allowed.
   */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /**
   * Returns the rule that prevents sending a document; undefined if the document may be sent. If the document has not
   * been checked, returns `unchecked-file` immediately and starts a check. {@link isRuleKnown} distinguishes this case
   * from a failed check.
   */
  getBlockingCause(uri: vscode.Uri): EditorCause | undefined {
    return this.#getFileAccess(uri).blockingCause;
  }

  /**
   * Checks whether snippets of a file may be sent while the user edits another file. Returns false if the file has not
   * been checked.
   */
  isShareable(uri: vscode.Uri): boolean {
    return this.#getFileAccess(uri).isShareable;
  }

  /** Checks whether the rule for a document is known and up to date. */
  isRuleKnown(uri: vscode.Uri): boolean {
    const cachedAccess = this.#getCachedAccess(uri);
    if (cachedAccess === undefined) return false;
    const fileUri = toFileUri(uri);
    return (
      fileUri === undefined ||
      cachedAccess.blockingCause !== undefined ||
      this.#isCheckFresh(fileUri)
    );
  }

  /** Checks a document and returns the result of {@link getBlockingCause}. Never rejects. */
  async check(uri: vscode.Uri): Promise<EditorCause | undefined> {
    await this.#checkLocationAndText(uri);
    return this.getBlockingCause(uri);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#disposables.dispose();
    this.#checkedFiles.clear();
  }

  #getFileAccess(uri: vscode.Uri): FileAccess {
    const cachedAccess = this.#getCachedAccess(uri);
    if (cachedAccess === undefined) void this.#checkLocationAndText(uri);
    return cachedAccess ?? uncheckedFileAccess;
  }

  /** Returns the permissions of a document; undefined if the file or its text has not been checked. */
  #getCachedAccess(uri: vscode.Uri): FileAccess | undefined {
    const file = toFileUri(uri);
    if (file === undefined) return secretFileAccess;
    const checkedFile = this.#checkedFiles.get(file.toString());
    if (checkedFile === undefined) return isLikelySecret(file.path) ? secretFileAccess : undefined;
    if (!this.#isCheckFresh(file, fileRecheckAgeMs)) void this.#checkLocation(file);
    if (checkedFile.access.blockingCause !== undefined) return checkedFile.access;
    const document = findOpenDocument(uri.toString());
    if (document === undefined) return checkedFile.access;
    const text = this.#documentSecrets.getResult(document);
    if (text === undefined) return undefined;
    return text === 'secret' ? secretFileAccess : checkedFile.access;
  }

  #isCheckFresh(file: vscode.Uri, maxAgeMs = fileCheckLifetimeMs): boolean {
    const checkedFile = this.#checkedFiles.get(file.toString());
    return checkedFile !== undefined && this.#clock.now() - checkedFile.checkedAt <= maxAgeMs;
  }

  async #checkLocationAndText(uri: vscode.Uri): Promise<void> {
    const file = toFileUri(uri);
    const document = findOpenDocument(uri.toString());
    await Promise.all([
      file !== undefined && !this.#isCheckFresh(file) && this.#checkLocation(file),
      document !== undefined && this.#documentSecrets.scan(document),
    ]);
  }

  /** Repeats the check of a file that changed on disk, because the file may have become a symbolic link. */
  #recheckFile(uri: vscode.Uri): void {
    if (ignoreFilePattern.test(uri.path)) return this.#resetCaches();
    const key = uri.toString();
    const checkedFile = this.#checkedFiles.get(key);
    if (checkedFile === undefined) return;
    this.#checkedFiles.set(key, { ...checkedFile, checkedAt: -Infinity });
    this.#runningChecks.delete(key);
    void this.#checkLocation(uri);
  }

  /** Discards all results if an ignore file has changed outside of VS Code. */
  #checkIgnoreFiles(): Promise<void> | undefined {
    const now = this.#clock.now();
    if (now - this.#ignoreCheckedAt < ignoreCheckIntervalMs) return this.#ignoreCheckPromise;
    this.#ignoreCheckedAt = now;
    this.#ignoreCheckPromise = this.#compareIgnoreFiles(this.#generation);
    return this.#ignoreCheckPromise;
  }

  async #compareIgnoreFiles(generation: number): Promise<void> {
    const changeResults = await Promise.all([
      this.#gitIgnore.haveChanged(),
      this.#extensionIgnore.haveChanged(),
    ]);
    if (changeResults.includes(true) && generation === this.#generation) this.#resetCaches();
  }

  #checkLocation(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    const runningPromise = this.#runningChecks.get(key);
    if (runningPromise !== undefined) return runningPromise;
    const checkPromise = this.#checkFile(file).finally(() => {
      if (this.#runningChecks.get(key) === checkPromise) this.#runningChecks.delete(key);
    });
    this.#runningChecks.set(key, checkPromise);
    return checkPromise;
  }

  /** Checks a file against the rules. Repeats the check if the rules change before it is complete. */
  async #checkFile(file: vscode.Uri): Promise<void> {
    await this.#checkIgnoreFiles();
    for (let generation; generation !== this.#generation && !this.#isDisposed;) {
      generation = this.#generation;
      const gitIgnore = getSetting(gitignoreSetting) ? this.#gitIgnore : undefined;
      // A failed check does not prove that the file is harmless, so the file remains blocked.
      const accessPromise = checkFile(file, {
        gitIgnore,
        extensionIgnore: this.#extensionIgnore,
      }).catch(() => uncheckedFileAccess);
      const access = await accessPromise;
      if (generation === this.#generation) this.#storeAccess(file.toString(), access);
    }
  }

  #storeAccess(key: string, access: FileAccess): void {
    const previousAccess = this.#checkedFiles.get(key)?.access;
    this.#checkedFiles.delete(key);
    this.#checkedFiles.set(key, { access, checkedAt: this.#clock.now() });
    const [oldestKey] = this.#checkedFiles.keys();
    if (this.#checkedFiles.size > maxCheckedFiles && oldestKey !== undefined)
      this.#checkedFiles.delete(oldestKey);
    if (previousAccess === undefined) return;
    const isUnchanged =
      previousAccess.blockingCause === access.blockingCause &&
      previousAccess.isShareable === access.isShareable;
    if (!isUnchanged) this.#onDidChangeEmitter.fire();
  }

  #resetCaches(): void {
    this.#generation += 1;
    this.#gitIgnore.discardCache();
    this.#extensionIgnore.discardCache();
    this.#checkedFiles.clear();
    this.#runningChecks.clear();
    this.#onDidChangeEmitter.fire();
  }
}

/**
 * Returns the URI of the file that contains a document. For a notebook cell, returns the URI of the notebook, or
 * undefined if the notebook is not open.
 */
function toFileUri(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') return uri;
  return findCell(findOpenDocument(uri.toString()) ?? { uri })?.notebook.uri;
}

/** Maximum size in bytes of a file whose text may be shared. Larger files are rarely written by hand. */
const maxFileSize = 256 * 1_024;

/**
 * Returns the text of a file that may be shared, with `\n` line ends; undefined for other files. Uses unsaved text if
 * the file is open. Does not open the file as a document, because language services would process the document. Never
 * rejects.
 */
export async function readShareableText(
  rules: FileRules,
  uri: vscode.Uri,
): Promise<string | undefined> {
  await rules.check(uri);
  if (!rules.isShareable(uri)) return undefined;
  const text = getOpenText(uri) ?? (await readTextOnDisk(uri));
  // The rules may have changed while the file was read.
  if (text === undefined || !rules.isShareable(uri) || isSecretText(text)) return undefined;
  return text.replaceAll(/\r\n?/gu, '\n');
}

function getOpenText(uri: vscode.Uri): string | undefined {
  const document = findOpenDocument(uri.toString());
  return document && getTextAfter(document, { line: 0, character: 0 }, maxFileSize);
}

async function readTextOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > maxFileSize) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
