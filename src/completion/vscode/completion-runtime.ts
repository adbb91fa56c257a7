import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { onDidChangeSettings, getSetting } from '../../platform/settings.ts';
import type { KeyState } from '../../account/key-state.ts';
import type { Profile } from '../../account/profile.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { isRecord } from '../../base/json.ts';
import { initialRates, AcceptanceStatistics, type AcceptanceRates } from '../acceptance.ts';
import { DocumentContext } from '../context/vscode/document-context.ts';
import { FileRules } from '../context/vscode/file-rules.ts';
import type { ChangedLine, ModelEdit } from '../next-edit/model-edit.ts';
import { CompletionPipeline } from '../pipeline.ts';
import type {
  CompletionExchange,
  CompletionPorts,
  CompletionSettings,
  SuggestionRequest,
} from '../ports.ts';
import type { EditorCause } from '../reason.ts';
import { RouteSelection, type RouteSetting } from '../routes.ts';
import { requestPolicies } from '../request-timing.ts';
import type { UsageState } from './completion-activity.ts';
import {
  getConfiguredModel,
  completionSection,
  getPipelineSettings,
  isLanguageEnabled,
} from './completion-settings.ts';
import { DocumentSelectors } from './document-selectors.ts';
import { type ProviderAttempt, InlineProvider } from './inline-provider.ts';
import type { NextEditJump } from './next-edit-jump.ts';
import { NextEdits } from './next-edits.ts';
import { sendSuggestionRequest, formatExchange } from './send-request.ts';
import { computeBilledCost, getSpendingUnit } from './suggestion-cost.ts';
import type { SuggestionRuntime, SuggestionsState } from './suggestion-state.ts';
import { takeSnapshotForEditor } from './take-snapshot.ts';
import type { Host } from '../../host.ts';
import type { ChatEvent } from '../../service/chat/chat-types.ts';
import type { Model } from '../../service/model-types.ts';

/**
 * Inputs, other than the document text, that determine the answer to a request. A change of these inputs clears the
 * cache.
 */
export interface CacheInputs {
  readonly profile: Profile;
  readonly key: KeyState;
  /** Model id; undefined if no model is available. */
  readonly model: string | undefined;
  readonly route: RouteSetting;
  readonly settings: CompletionSettings;
}

/** Returns a hash of the inputs. Unlike the inputs, the hash does not reveal the API key. */
export function hashCacheInputs({ profile, key, model, route, settings }: CacheInputs): string {
  const text = JSON.stringify([profile, key, model, route, settings]);
  return createHash('sha256').update(text).digest('base64');
}

const storageKey = 'completion.useful';

/** Reads the stored acceptance rates. Replaces invalid values with the initial rates. */
export function readAcceptanceRates(state: Pick<UsageState, 'get'>): AcceptanceRates {
  const storedRates = state.get(storageKey);
  const readRate = (kind: keyof AcceptanceRates): number => {
    const value = isRecord(storedRates) ? storedRates[kind] : undefined;
    const isValidRate = typeof value === 'number' && value >= 0 && value <= 1;
    return isValidRate ? value : initialRates[kind];
  };
  return {
    'line-start': readRate('line-start'),
    'word-start': readRate('word-start'),
    word: readRate('word'),
  };
}

/** Stores the acceptance rates. If the storage fails, the rates are lost. */
export async function writeAcceptanceRates(
  state: Pick<UsageState, 'update'>,
  rates: AcceptanceRates,
): Promise<void> {
  await Promise.resolve(state.update(storageKey, rates)).catch(() => {});
}

/** Connects the completion pipeline to VS Code. Exists only while suggestions are on. */
export class CompletionRuntime implements SuggestionRuntime, Disposable {
  readonly #host: Host;
  readonly #suggestions: Pick<SuggestionsState, 'activity' | 'ledger'>;
  readonly #clock: Clock;
  readonly #disposables = new DisposableStore();
  readonly #pipeline: CompletionPipeline;
  readonly #acceptance: AcceptanceStatistics;
  readonly #rules: FileRules;
  #selectors: DocumentSelectors | undefined;
  #nextEdits: NextEdits | undefined;
  readonly #attempts = new Map<string, ProviderAttempt>();
  readonly #providedIds = new Set<number>();
  /**
   * Cached setting for each language id; true if suggestions are on for the language. Cached, because reading a setting
   * on every key press is too slow.
   */
  readonly #languageStates = new Map<string, boolean>();
  #settings = getPipelineSettings();
  #frequency = getSetting('inferenceService.completion.frequency');
  #route: RouteSetting = getSetting('inferenceService.completion.route');
  readonly #routes: RouteSelection;
  #model: Model | undefined;
  /** Hash of the current {@link CacheInputs}. The inputs themselves contain the API key and are not stored. */
  #inputsHash = '';
  #wasAttentionNeeded = false;
  #isOverBudget = false;
  #isWatchingBudget = false;
  /** Checks whether a line is a placeholder for omitted text. Loaded during the first request. */
  #isElision: CompletionPorts['isElision'] | undefined;
  #nextLoadAt = 0;

  constructor(host: Host, suggestions: Pick<SuggestionsState, 'activity' | 'ledger'>) {
    const { clock } = host.service;
    this.#host = host;
    this.#suggestions = suggestions;
    this.#clock = clock;
    this.#routes = new RouteSelection(() => clock.now());
    this.#rules = this.#disposables.add(new FileRules({ clock }));
    const context = this.#disposables.add(
      new DocumentContext({
        rules: this.#rules,
        clock,
        log: (line) => host.log.debug(line),
      }),
    );
    this.#acceptance = new AcceptanceStatistics(readAcceptanceRates(host.context.globalState));
    const ports: CompletionPorts = {
      clock,
      getSettings: () => this.#settings,
      getTarget: () =>
        this.#model && { model: this.#model, route: this.#routes.selectRoute(this.#model) },
      recordRouteRefusal: (target) => this.#routes.recordRefusal(target),
      getPolicy: () => requestPolicies[this.#frequency],
      getContext: (snapshot) => context.readContext(snapshot),
      sendRequest: (request, signal) => this.#sendRequest(request, signal),
      isElision: (line, language) => this.#isElision?.(line, language) !== false,
      reportExchange: (exchange) => this.#reportExchange(exchange),
    };
    this.#pipeline = this.#disposables.add(new CompletionPipeline(ports, this.#acceptance));
    this.#updateCacheInputs();
    this.#selectors = this.#disposables.add(this.#registerProviders());
    this.#listenToEditor();
    void this.#loadModels();
    this.#disposables.add(
      warmUpInIdleTime({
        clock,
        warmUp: () => this.#warmUp(),
        onDidChange: vscode.window.onDidChangeActiveTextEditor,
      }),
    );
  }

  async getBlockingCause(document: vscode.TextDocument): Promise<EditorCause | undefined> {
    const blockingCause = await this.#findBlockingRule(document);
    if (blockingCause !== undefined) return blockingCause;
    if (this.#model === undefined) await this.#loadModels();
    return this.#model === undefined ? 'no-model' : undefined;
  }

  getLastAttempt(document: vscode.TextDocument): ProviderAttempt | undefined {
    return this.#attempts.get(document.uri.toString());
  }

  /**
   * Handles the command that VS Code runs when the user accepts a suggestion. Ignores unknown ids, because other
   * extensions can run the command.
   */
  handleAcceptance(id: unknown): void {
    if (typeof id === 'number' && this.#providedIds.has(id)) this.#pipeline.recordAcceptance(id);
  }

  /** Object that suggests an edit away from the cursor; undefined if next edit suggestions are not running. */
  get nextEdit(): NextEditJump | undefined {
    return this.#nextEdits?.jump;
  }

  /** Stores the acceptance rates for the next start of the extension. */
  async save(): Promise<void> {
    await writeAcceptanceRates(this.#host.context.globalState, this.#acceptance.rates);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #warmUp(): boolean {
    const editor = vscode.window.activeTextEditor;
    const snapshot =
      editor && takeSnapshotForEditor(editor.document, editor.selection.active, undefined);
    return snapshot !== undefined && this.#pipeline.warmUp(snapshot);
  }

  /** Loads the model list, at most once per minute. */
  async #loadModels(): Promise<void> {
    const { models } = this.#host;
    if (!models.isLoading && this.#clock.now() < this.#nextLoadAt) return;
    this.#nextLoadAt = this.#clock.now() + loadIntervalMs;
    await models.refresh();
  }

  /** Returns the setting or file rule that prevents suggestions in a document; undefined if suggestions are allowed. */
  async #findBlockingRule({
    languageId,
    uri,
  }: vscode.TextDocument): Promise<EditorCause | undefined> {
    if (!this.#isLanguageOn(languageId)) return 'language-off';
    // After the first check, the rule is available synchronously.
    return this.#rules.isRuleKnown(uri)
      ? this.#rules.getBlockingCause(uri)
      : await this.#rules.check(uri);
  }

  #isLanguageOn(languageId: string): boolean {
    const isOn = this.#languageStates.get(languageId) ?? isLanguageEnabled(languageId);
    this.#languageStates.set(languageId, isOn);
    return isOn;
  }

  #registerProviders(): DocumentSelectors {
    const nextEdits = this.#disposables.add(
      new NextEdits({
        clock: this.#clock,
        isRegisteredFor: (document) => this.#selectors?.isRegisteredFor(document) === true,
        isAllowed: async (document) => (await this.#findBlockingRule(document)) === undefined,
        requestEdit: (editor, change, signal) => this.#requestNextEdit(editor, change, signal),
      }),
    );
    this.#nextEdits = nextEdits;
    const provider = new InlineProvider({
      pipeline: this.#pipeline,
      nextEdits,
      getBlockingCause: (document) => this.getBlockingCause(document),
      getSnapshotAt: takeSnapshotForEditor,
      onAttempt: (attempt) => this.#recordAttempt(attempt),
      onSuggest: (id) => addRecentId(this.#providedIds, id),
    });
    return new DocumentSelectors({
      isLanguageOn: isLanguageEnabled,
      registerProvider: (selector) =>
        vscode.languages.registerInlineCompletionItemProvider(selector, provider),
    });
  }

  /**
   * Requests the next edit from the model after the user changed a document. Sends no request and returns undefined if
   * next edits from the model or automatic suggestions are turned off.
   */
  async #requestNextEdit(
    { document, selection }: vscode.TextEditor,
    change: ChangedLine,
    signal: AbortSignal,
  ): Promise<ModelEdit | undefined> {
    const isOn = getSetting('inferenceService.completion.modelNextEdit');
    if (!isOn || !this.#settings.isAutomatic) return undefined;
    const snapshot = takeSnapshotForEditor(document, selection.active, undefined);
    if (snapshot === undefined) return undefined;
    const [{ requestModelEdit }, { applyHunks }, { parseAnswerHunks }] = await Promise.all([
      import('../next-edit/model-edit.ts'),
      import('../../agent/edit/apply-hunks.ts'),
      import('../../agent/answer/answer-hunks.ts'),
    ]);
    const pipeline = this.#pipeline;
    const editFunctions = { applyHunks, parseAnswerHunks };
    return signal.aborted
      ? undefined
      : requestModelEdit(snapshot, { change, editFunctions, pipeline, signal });
  }

  #listenToEditor(): void {
    const { account, models } = this.#host;
    const { window, workspace } = vscode;
    this.#disposables.add(this.#rules.onDidChange(() => this.#pipeline.clear()));
    this.#disposables.add(account.onDidChange(() => this.#updateCacheInputs()));
    this.#disposables.add(models.onDidChange(() => this.#updateCacheInputs()));
    this.#disposables.add(
      window.onDidChangeActiveTextEditor((editor) => this.#handleCursorMove(editor)),
    );
    this.#disposables.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.#handleCursorMove(textEditor);
      }),
    );
    this.#disposables.add(
      workspace.onDidCloseTextDocument(({ uri }) => this.#attempts.delete(uri.toString())),
    );
    this.#disposables.add(onDidChangeSettings([completionSection], () => this.#updateSettings()));
  }

  #updateSettings(): void {
    this.#settings = getPipelineSettings();
    this.#frequency = getSetting('inferenceService.completion.frequency');
    this.#route = getSetting('inferenceService.completion.route');
    this.#languageStates.clear();
    this.#selectors?.update();
    this.#updateCacheInputs();
  }

  /** Clears the cache if the account, model, route or settings changed. */
  #updateCacheInputs(): void {
    const { profile, key, view } = this.#host.account;
    const isRecovered = this.#wasAttentionNeeded && view.status === 'signed-in';
    this.#wasAttentionNeeded = view.status === 'needs-attention';
    this.#routes.update({
      baseUrl: profile.baseUrl,
      models: this.#host.models.allModels,
      setting: this.#route,
    });
    this.#model = getConfiguredModel(this.#host);
    const model = this.#model?.id;
    const inputsHash = hashCacheInputs({
      profile,
      key,
      model,
      route: this.#route,
      settings: this.#settings,
    });
    if (inputsHash === this.#inputsHash && !isRecovered) return;
    this.#inputsHash = inputsHash;
    this.#pipeline.clear();
    this.#suggestions.activity.clearFailure();
  }

  /** Resumes requests when the user's budget allows requests again. Called after the budget prevented a request. */
  async #watchBudget(): Promise<void> {
    this.#isOverBudget = true;
    if (this.#isWatchingBudget) return;
    this.#isWatchingBudget = true;
    const watch = await this.#host.budget?.getWatch();
    if (watch === undefined) return;
    this.#disposables.add(
      watch.onDidChange(() => {
        if (!this.#isOverBudget) return;
        this.#isOverBudget = false;
        this.#pipeline.clear();
        this.#suggestions.activity.clearFailure();
      }),
    );
  }

  #handleCursorMove(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined) return this.#pipeline.handleCursorMove(undefined);
    const { line, character } = editor.selection.active;
    this.#pipeline.handleCursorMove({
      documentUri: editor.document.uri.toString(),
      position: { line, character },
    });
  }

  #recordAttempt(attempt: ProviderAttempt): void {
    this.#attempts.set(attempt.documentUri, attempt);
    if (attempt.reason !== undefined) this.#suggestions.activity.recordMiss(attempt.reason);
  }

  async *#sendRequest(
    request: SuggestionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ChatEvent[]> {
    const elisionModule = import('../../agent/edit/new-text-elision.ts');
    const { activity } = this.#suggestions;
    for await (const batch of sendSuggestionRequest(
      { host: this.#host, activity },
      request,
      signal,
    )) {
      this.#isElision ??= (await elisionModule).isAddedElision;
      yield batch;
    }
  }

  #reportExchange(exchange: CompletionExchange): void {
    // A request over the budget was not sent, so it caused no usage.
    if (exchange.failure?.code === 'over-budget') void this.#watchBudget();
    else this.#suggestions.ledger.add(computeBilledCost(exchange, getSpendingUnit(this.#host)));
    this.#suggestions.activity.recordExchange(exchange);
    this.#host.log.debug(formatExchange(exchange));
  }
}

const loadIntervalMs = 60_000;
/**
 * Delay in milliseconds before `warmUp` is called. By then, the model list is usually loaded and the editor is idle.
 */
const warmUpDelayMs = 1_000;

/**
 * Calls `warmUp` after a delay. If `warmUp` returns false, for example because no editor is open, calls it again after
 * the next event of `onDidChange` and another delay.
 */
export function warmUpInIdleTime({
  clock,
  warmUp,
  onDidChange,
}: {
  readonly clock: Pick<Clock, 'after'>;
  readonly warmUp: () => boolean;
  readonly onDidChange: Event<unknown>;
}): Disposable {
  let cancelWait = (): void => {};
  const waitForIdle = (): void => {
    cancelWait = clock.after(warmUpDelayMs, () => {
      if (warmUp()) return;
      const listener = onDidChange(() => {
        listener.dispose();
        waitForIdle();
      });
      cancelWait = () => listener.dispose();
    });
  };
  waitForIdle();
  return { dispose: () => cancelWait() };
}

function addRecentId(ids: Set<number>, id: number): void {
  ids.delete(id);
  ids.add(id);
  const [oldestId] = ids;
  if (ids.size > 500 && oldestId !== undefined) ids.delete(oldestId);
}
