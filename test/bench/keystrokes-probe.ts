/** Types into long documents and measures each key press. Runs in the extension host. */
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import type { ContextSnippet, ProvidedSuggestions } from '../../src/completion/ports.ts';
import { buildRequest } from '../../src/completion/prompt/build-request.ts';
import { ActiveRequests } from '../../src/completion/requests.ts';
import type { Snapshot } from '../../src/completion/snapshot.ts';
import { getConfiguredModel } from '../../src/completion/vscode/completion-settings.ts';
import { DocumentContext } from '../../src/completion/context/vscode/document-context.ts';
import { takeSnapshotForEditor } from '../../src/completion/vscode/take-snapshot.ts';
import { withSettings } from '../integration/account-fixture.ts';
import {
  type CompletionFixture,
  createCompletionFixture,
} from '../integration/completion-fixture.ts';
import { readSuiteEnvironment } from '../integration/environment.ts';
import { Control } from '../service/control.ts';
import {
  type KeystrokeFigures,
  keyCountVariable,
  type KeystrokePhase,
} from './keystroke-figures.ts';
import { ListenerTimes } from './listener-times.ts';
import { Stopwatch } from './stopwatch.ts';

const { service, resultsFile } = readSuiteEnvironment();
const keyCount = Number(process.env[keyCountVariable]);

/** Runs the measurement. VS Code calls this function in the extension host. */
export async function run(): Promise<void> {
  try {
    const figuresWithoutTabs = await measureTyping('long', []);
    const tabNames = Array.from({ length: 10 }, (_, index) => `tab${index}`);
    const figuresWithTabs = await measureTyping('long', tabNames);
    const figures = {
      '20,000 lines': figuresWithoutTabs,
      '20,000 lines beside ten tabs': figuresWithTabs,
    };
    writeFileSync(resultsFile, JSON.stringify(figures));
  } catch (error) {
    writeFileSync(resultsFile, String(error instanceof Error ? error.stack : error));
    throw error;
  }
}

function measureTyping(name: string, tabNames: readonly string[]): Promise<KeystrokeFigures> {
  return withSettings({ 'inferenceService.completion.enabled': true }, async () => {
    const environment = { INFERENCE_SERVICE_API_KEY: service.apiKey };
    // Start timing before the extension registers listeners.
    const listenerTimes = new ListenerTimes();
    using requestTimes = new RequestTimes();
    using fixture = await createCompletionFixture({ environment });
    await fixture.host.models.refresh();
    await fixture.suggestions.consent.add(fixture.account.profile);
    await fixture.suggestions.updateRuntime();
    listenerTimes.stopTiming();
    for (const tabName of tabNames) await openSample(tabName);
    const editor = await openSample(name);
    await moveCursorTo(editor, Math.floor(editor.document.lineCount / 20) * 10);
    // Wait until the extension has processed the tabs, one after another.
    await new Promise((resolve) => setTimeout(resolve, 1_000 + 100 * tabNames.length));
    const typist = new Typist({ editor, fixture, listenerTimes, requestTimes });
    await typist.typeStatements();
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const [firstTime = 0, ...laterTimes] = requestTimes.timesMs;
    const phaseTimes = { ...typist.phaseTimes, request: laterTimes, 'first request': [firstTime] };
    return { phaseTimes, listenerTimes: listenerTimes.timesByListener };
  });
}

async function openSample(name: string): Promise<vscode.TextEditor> {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  if (root === undefined) throw new Error('No folder is open.');
  const uri = vscode.Uri.joinPath(root.uri, 'keystrokes', `${name}.ts`);
  const document = await vscode.workspace.openTextDocument(uri);
  return vscode.window.showTextDocument(document, { preview: false });
}

async function moveCursorTo(editor: vscode.TextEditor, line: number): Promise<void> {
  const cursorMovePromise = waitForCursorMove(editor);
  const { range } = editor.document.lineAt(line + 1);
  editor.selection = new vscode.Selection(range.end, range.end);
  await cursorMovePromise;
}

function waitForCursorMove(editor: vscode.TextEditor): Promise<void> {
  return new Promise((resolve) => {
    const subscription = vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor !== editor) return;
      subscription.dispose();
      resolve();
    });
  });
}

/**
 * Records the processor time for the start of each request, and the source of the last suggestion. Also stores the
 * extension's function that collects context, so that the benchmark can call it.
 */
class RequestTimes implements Disposable {
  readonly timesMs: number[] = [];
  #lastSource: ProvidedSuggestions['source'] = 'none';
  readContext: ((snapshot: Snapshot) => readonly ContextSnippet[]) | undefined;
  readonly #restoreMethods: () => void;

  constructor() {
    // oxlint-disable-next-line typescript/unbound-method -- called with its object
    const { start } = ActiveRequests.prototype;
    // oxlint-disable-next-line typescript/unbound-method -- called with its object by the wrapper
    const { readContext } = DocumentContext.prototype;
    // oxlint-disable-next-line typescript/unbound-method -- called with its object by the wrapper
    const { provide } = CompletionPipeline.prototype;
    const times = this.timesMs;
    const captureSource = (source: ProvidedSuggestions['source']): void => {
      this.#lastSource = source;
    };
    const captureContext = (documentContext: DocumentContext): void => {
      this.readContext = (snapshot) => readContext.call(documentContext, snapshot);
    };
    ActiveRequests.prototype.start = function (...args) {
      const watch = new Stopwatch();
      const pendingCompletion = start.apply(this, args);
      times.push(watch.ms);
      return pendingCompletion;
    };
    DocumentContext.prototype.readContext = function (snapshot) {
      captureContext(this);
      return readContext.call(this, snapshot);
    };
    CompletionPipeline.prototype.provide = async function (...args) {
      const suggestions = await provide.apply(this, args);
      captureSource(suggestions.source);
      return suggestions;
    };
    this.#restoreMethods = () => {
      CompletionPipeline.prototype.provide = provide;
      ActiveRequests.prototype.start = start;
      DocumentContext.prototype.readContext = readContext;
    };
  }

  /**
   * Returns the source of the suggestion that was provided since the last call of this method. Returns `none` without a
   * suggestion.
   */
  takeSource(): ProvidedSuggestions['source'] {
    const source = this.#lastSource;
    this.#lastSource = 'none';
    return source;
  }

  [Symbol.dispose](): void {
    this.#restoreMethods();
  }
}

interface TypistOptions {
  readonly editor: vscode.TextEditor;
  readonly fixture: CompletionFixture;
  readonly listenerTimes: ListenerTimes;
  readonly requestTimes: RequestTimes;
}

/** Types suggestions key by key. Requests a suggestion after each key press, as VS Code does. */
class Typist {
  readonly phaseTimes: Record<Exclude<KeystrokePhase, 'request' | 'first request'>, number[]> = {
    listeners: [],
    'start of a call': [],
    'cached suggestion': [],
    key: [],
    context: [],
    prompt: [],
  };
  readonly #options: TypistOptions;
  readonly #control = new Control(service.controlUrl);

  constructor(options: TypistOptions) {
    this.#options = options;
  }

  async typeStatements(): Promise<void> {
    await this.#control.reset();
    const { length } = createStatement(0);
    const lineCount = Math.ceil(keyCount / (length + 1));
    // Create more answers than lines, because the extension prefetches some.
    const scripts = Array.from({ length: 3 * lineCount }, (_, index) => ({
      steps: [{ content: createStatement(index) }],
    }));
    await this.#control.addScripts(...scripts);
    for (let line = 0; line < lineCount; line += 1) {
      await this.#pressKey('\n');
      const text = (await this.#requestSuggestion()) ?? createStatement(900 + line);
      for (const key of text.slice(0, length)) {
        await this.#pressKey(key);
        await this.#requestSuggestion();
      }
    }
    const { length: cachedCount } = this.phaseTimes['cached suggestion'];
    if (cachedCount < keyCount / 2) throw new Error(`Only ${cachedCount} suggestions were cached.`);
  }

  async #pressKey(text: string): Promise<void> {
    const { editor, listenerTimes } = this.#options;
    const cursorMovePromise = waitForCursorMove(editor);
    await vscode.commands.executeCommand('type', { text });
    await cursorMovePromise;
    this.phaseTimes.listeners.push(listenerTimes.takeSumMs());
  }

  async #requestSuggestion(): Promise<string | undefined> {
    const { editor, fixture, requestTimes } = this.#options;
    const { document, selection } = editor;
    const position = selection.active;
    const provider = fixture.providers.findProvider(document);
    if (provider === undefined) throw new Error('No provider is registered.');
    requestTimes.takeSource();
    const watch = new Stopwatch();
    const itemsPromise = provider.provideInlineCompletionItems(
      document,
      position,
      automaticTrigger,
      neverCanceledToken,
    );
    this.phaseTimes['start of a call'].push(watch.ms);
    const items = await itemsPromise;
    const { ms } = watch;
    const [item] = Array.isArray(items) ? items : (items?.items ?? []);
    // A suggestion that is still being received takes as long as the service.
    if (item !== undefined && requestTimes.takeSource() === 'cached') {
      this.phaseTimes['cached suggestion'].push(ms);
      this.phaseTimes.key.push((this.phaseTimes.listeners.at(-1) ?? 0) + ms);
    }
    this.#measureRequest(document, position);
    return typeof item?.insertText === 'string' ? item.insertText : undefined;
  }

  /** Measures the parts of a request at `position` without sending the request. */
  #measureRequest(document: vscode.TextDocument, position: vscode.Position): void {
    const { fixture, requestTimes } = this.#options;
    const snapshot = takeSnapshotForEditor(document, position, undefined);
    const model = getConfiguredModel(fixture.host);
    if (snapshot === undefined || model === undefined) throw new Error('Nothing can be asked.');
    if (requestTimes.readContext === undefined) return;
    const watch = new Stopwatch();
    const context = requestTimes.readContext(snapshot);
    this.phaseTimes.context.push(watch.ms);
    const promptWatch = new Stopwatch();
    buildRequest({ snapshot, context, target: { model, route: 'chat' }, scope: 'block' });
    this.phaseTimes.prompt.push(promptWatch.ms);
  }
}

const createStatement = (index: number): string =>
  `sum${index + 100} += gauges.at(${index + 100}).read();`;

const automaticTrigger = {
  triggerKind: vscode.InlineCompletionTriggerKind.Automatic,
  selectedCompletionInfo: undefined,
} as vscode.InlineCompletionContext;
const neverCanceledToken = new vscode.CancellationTokenSource().token;
