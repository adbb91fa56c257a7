import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { isSecretText, type SecretState, SecretScanner } from '../secret-text.ts';
import { textAfter } from '../text-lines.ts';
import { checkFile, type FileAccess, secretFile, uncheckedFile } from './judge-file.ts';
import type { EditorRule } from '../../reason.ts';
import { onDidChangeSettings, setting } from '../../../platform/settings.ts';
import { looksSecret } from '../../../workspace/secret-file.ts';
import { cellOf, openDocument } from '../../../workspace/vscode/documents.ts';
import { foldName, IgnoreFiles } from '../../../workspace/vscode/ignore-files.ts';

/** Judges open documents by what they say, as soon as somebody asks for them. */
export class DocumentSecrets implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #texts = new Map<vscode.TextDocument, SecretScanner>();

  constructor() {
    this.#owned.add(vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)));
    this.#owned.add(
      vscode.workspace.onDidCloseTextDocument((document) => void this.#texts.delete(document)),
    );
  }

  /** A document that was clean is secret now, or the other way round. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /** Undefined while the document was not read. */
  stateOf(document: vscode.TextDocument): SecretState | undefined {
    return this.#texts.get(document)?.state;
  }

  /** Resolves when the whole text was read. */
  read(document: vscode.TextDocument): Promise<SecretState> {
    const text =
      this.#texts.get(document) ?? new SecretScanner(document, () => this.#changed.fire());
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
const ownIgnoreFile = '.inferenceignore';
const ignoreFile = /\/(?:\.gitignore|\.inferenceignore|\.git\/info\/exclude)$/u;

/** Git minds case where file systems do. */
const foldForGit =
  process.platform === 'linux' ? (text: string): string => text.normalize('NFC') : foldName;

/** Milliseconds after which a file is judged again: a link may lead elsewhere by then. */
const longestAge = 5_000;
/** Milliseconds between two looks at the ignore files: nobody tells of those above the workspace. */
const betweenLooks = 2_000;
const mostJudged = 1_000;

interface Judged {
  readonly judgement: FileAccess;
  readonly at: number;
}

/**
 * Which files nothing may be told of. The answer is at hand after a file was asked for once; until then no file is
 * allowed. What people say in the editor counts: a document is also judged by its text.
 */
export class FileRules implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #clock: Clock;
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #texts = this.#owned.add(new DocumentSecrets());
  readonly #git = new IgnoreFiles(['.git/info/exclude', '.gitignore'], foldForGit);
  readonly #own = new IgnoreFiles([ownIgnoreFile]);
  readonly #judged = new Map<string, Judged>();
  readonly #judging = new Map<string, Promise<void>>();
  /** Counts how often everything was forgotten. */
  #generation = 0;
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;
  #isDisposed = false;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
    this.#owned.add(this.#texts.onDidChange(() => this.#changed.fire()));
    const forget = (): void => this.#forget();
    const watcher = this.#owned.add(vscode.workspace.createFileSystemWatcher('**/*'));
    for (const happens of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
      this.#owned.add(happens((uri) => this.#judgeAgain(uri)));
    this.#owned.add(
      // Sooner than the watcher tells it, and also above the workspace.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#judgeAgain(uri)),
    );
    this.#owned.add(onDidChangeSettings([gitignoreSetting, 'files.exclude'], forget));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
    this.#owned.add(vscode.workspace.onDidRenameFiles(forget));
  }

  /** Files may be judged in another way now: what was made from them is to be forgotten. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /**
   * Why nothing may be told of a file, or of a document. Answers at once; `unjudged-file` while it is not known, and
   * begins to find out. {@link isKnown} tells that apart from what cannot be found out.
   */
  ruleFor(uri: vscode.Uri): EditorRule | undefined {
    return this.#answer(uri).rule;
  }

  /** Whether pieces of the file may go along when another file is worked on. Answers at once; not while unknown. */
  isShareable(uri: vscode.Uri): boolean {
    return this.#answer(uri).isShareable;
  }

  /** Whether the answers about a file are final for now; they are not when it was judged a while ago. */
  isKnown(uri: vscode.Uri): boolean {
    const known = this.#known(uri);
    if (known === undefined) return false;
    const file = fileOf(uri);
    return file === undefined || known.rule !== undefined || this.#isFresh(file);
  }

  /** As {@link ruleFor}, after everything was read that it takes. Never rejects. */
  async check(uri: vscode.Uri): Promise<EditorRule | undefined> {
    await this.#judge(uri);
    return this.ruleFor(uri);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#owned.dispose();
    this.#judged.clear();
  }

  #answer(uri: vscode.Uri): FileAccess {
    const known = this.#known(uri);
    if (known === undefined) void this.#judge(uri);
    return known ?? uncheckedFile;
  }

  /** Undefined while something about the file, or its text, was not read. */
  #known(uri: vscode.Uri): FileAccess | undefined {
    const file = fileOf(uri);
    if (file === undefined) return secretFile;
    const judged = this.#judged.get(file.toString());
    if (judged === undefined) return looksSecret(file.path) ? secretFile : undefined;
    if (!this.#isFresh(file)) void this.#judgePlace(file);
    if (judged.judgement.rule !== undefined) return judged.judgement;
    const document = openDocument(uri.toString());
    if (document === undefined) return judged.judgement;
    const text = this.#texts.stateOf(document);
    if (text === undefined) return undefined;
    return text === 'secret' ? secretFile : judged.judgement;
  }

  #isFresh(file: vscode.Uri): boolean {
    const judged = this.#judged.get(file.toString());
    return judged !== undefined && this.#clock.now() - judged.at <= longestAge;
  }

  async #judge(uri: vscode.Uri): Promise<void> {
    const file = fileOf(uri);
    const document = openDocument(uri.toString());
    await Promise.all([
      file !== undefined && !this.#isFresh(file) && this.#judgePlace(file),
      document !== undefined && this.#texts.read(document),
    ]);
  }

  /** After a change on disk: it may be a link now. */
  #judgeAgain(uri: vscode.Uri): void {
    if (ignoreFile.test(uri.path)) return this.#forget();
    const key = uri.toString();
    const judged = this.#judged.get(key);
    if (judged === undefined) return;
    this.#judged.set(key, { ...judged, at: -Infinity });
    this.#judging.delete(key);
    void this.#judgePlace(uri);
  }

  /** Forgets everything when an ignore file was changed by a program that tells nobody. */
  #lookAtIgnoreFiles(): Promise<void> | undefined {
    const now = this.#clock.now();
    if (now - this.#lookedAt < betweenLooks) return this.#looking;
    this.#lookedAt = now;
    this.#looking = this.#compareIgnoreFiles(this.#generation);
    return this.#looking;
  }

  async #compareIgnoreFiles(generation: number): Promise<void> {
    const changed = await Promise.all([this.#git.haveChanged(), this.#own.haveChanged()]);
    if (changed.includes(true) && generation === this.#generation) this.#forget();
  }

  #judgePlace(file: vscode.Uri): Promise<void> {
    const key = file.toString();
    const running = this.#judging.get(key);
    if (running !== undefined) return running;
    const judging = this.#judgeNow(file).finally(() => {
      if (this.#judging.get(key) === judging) this.#judging.delete(key);
    });
    this.#judging.set(key, judging);
    return judging;
  }

  /** Again, when a rule changed meanwhile. */
  async #judgeNow(file: vscode.Uri): Promise<void> {
    await this.#lookAtIgnoreFiles();
    for (let generation; generation !== this.#generation && !this.#isDisposed;) {
      generation = this.#generation;
      const git = setting(gitignoreSetting) ? this.#git : undefined;
      // What cannot be looked at is not known to be harmless.
      const judging = checkFile(file, { git, own: this.#own }).catch(() => uncheckedFile);
      const judgement = await judging;
      if (generation === this.#generation) this.#keep(file.toString(), judgement);
    }
  }

  #keep(key: string, judgement: FileAccess): void {
    const before = this.#judged.get(key)?.judgement;
    this.#judged.delete(key);
    this.#judged.set(key, { judgement, at: this.#clock.now() });
    const [oldest] = this.#judged.keys();
    if (this.#judged.size > mostJudged && oldest !== undefined) this.#judged.delete(oldest);
    if (before === undefined) return;
    const isSame = before.rule === judgement.rule && before.isShareable === judgement.isShareable;
    if (!isSame) this.#changed.fire();
  }

  #forget(): void {
    this.#generation += 1;
    this.#git.forget();
    this.#own.forget();
    this.#judged.clear();
    this.#judging.clear();
    this.#changed.fire();
  }
}

/** The file on disk: of a cell, the notebook's that holds this very cell. Undefined for a cell of no notebook. */
function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') return uri;
  return cellOf(openDocument(uri.toString()) ?? { uri })?.notebook.uri;
}

/** Larger files are seldom written by people. */
const largestFile = 256 * 1_024;

/**
 * The text of a file that may go along, as it stands in the editor or on disk, with `\n` as line ends; undefined for
 * others. Opens no document: language services would begin to work on it. Never rejects.
 */
export async function shareableText(
  rules: FileRules,
  uri: vscode.Uri,
): Promise<string | undefined> {
  await rules.check(uri);
  if (!rules.isShareable(uri)) return undefined;
  const text = textOfOpen(uri) ?? (await textOnDisk(uri));
  // The rules may have changed while it was read.
  if (text === undefined || !rules.isShareable(uri) || isSecretText(text)) return undefined;
  return text.replaceAll(/\r\n?/gu, '\n');
}

function textOfOpen(uri: vscode.Uri): string | undefined {
  const document = openDocument(uri.toString());
  return document && textAfter(document, { line: 0, character: 0 }, largestFile);
}

async function textOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > largestFile) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
