import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { onDidChangeSettings, setting } from '../../platform/settings.ts';
import type { KeyState } from '../../account/key-state.ts';
import type { Profile } from '../../account/profile.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { isRecord } from '../../base/json.ts';
import { initialRates, AcceptanceStatistics, type AcceptanceRates } from '../acceptance.ts';
import { DocumentContext } from '../context/vscode/document-context.ts';
import { FileRules } from '../context/vscode/file-rules.ts';
import { CompletionPipeline } from '../pipeline.ts';
import type {
  CompletionExchange,
  CompletionPorts,
  CompletionRoute,
  CompletionSettings,
} from '../ports.ts';
import type { EditorRule } from '../reason.ts';
import { debounceMs } from '../request-timing.ts';
import type { UsageState } from './completion-activity.ts';
import {
  configuredModel,
  completionSection,
  pipelineSettings,
  isLanguageOn,
} from './completion-settings.ts';
import { DocumentSelectors } from './document-selectors.ts';
import { type Attempt, InlineProvider } from './inline-provider.ts';
import { NextEdits } from './next-edits.ts';
import { sendSuggestionRequest, formatExchange } from './send-request.ts';
import { billedCost, spendingUnit } from './suggestion-cost.ts';
import type { SuggestionRuntime, SuggestionsState } from './suggestion-state.ts';
import { takeSnapshotForEditor } from './take-snapshot.ts';
import type { Host } from '../../host.ts';
import type { Model } from '../../service/model-types.ts';

/** What answers depend on besides the text. */
export interface CacheInputs {
  readonly profile: Profile;
  readonly key: KeyState;
  /** Undefined while no model is known. */
  readonly model: string | undefined;
  readonly route: CompletionRoute;
  readonly settings: CompletionSettings;
}

/** The same for the same basis, and for no other. It may be kept: nobody can read the key out of it. */
export function hashCacheInputs({ profile, key, model, route, settings }: CacheInputs): string {
  const told = JSON.stringify([profile, key, model, route, settings]);
  return createHash('sha256').update(told).digest('base64');
}

const name = 'completion.useful';

/** Where suggestions were of use in earlier windows; what cannot be read counts as unknown. */
export function readAcceptanceRates(state: Pick<UsageState, 'get'>): AcceptanceRates {
  const kept = state.get(name);
  const share = (place: keyof AcceptanceRates): number => {
    const value = isRecord(kept) ? kept[place] : undefined;
    const isShare = typeof value === 'number' && value >= 0 && value <= 1;
    return isShare ? value : initialRates[place];
  };
  return {
    'line-start': share('line-start'),
    'word-start': share('word-start'),
    word: share('word'),
  };
}

/** A refusal costs what was learnt, nothing else. */
export async function writeAcceptanceRates(
  state: Pick<UsageState, 'update'>,
  shares: AcceptanceRates,
): Promise<void> {
  await Promise.resolve(state.update(name, shares)).catch(() => {});
}

/** Makes suggestions while it lives: the engine, its provider, and what both need of the editor. */
export class CompletionRuntime implements SuggestionRuntime, Disposable {
  readonly #host: Host;
  readonly #suggestions: Pick<SuggestionsState, 'activity' | 'ledger'>;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #engine: CompletionPipeline;
  readonly #usefulness: AcceptanceStatistics;
  readonly #rules: FileRules;
  #selectors: DocumentSelectors | undefined;
  readonly #attempts = new Map<string, Attempt>();
  readonly #givenOut = new Set<number>();
  /** Reading a setting takes too long for every keystroke. */
  readonly #languages = new Map<string, boolean>();
  #settings = pipelineSettings();
  #route = setting('inferenceService.completion.route');
  #model: Model | undefined;
  /** Of what answers depend on besides the text; not the thing itself, which has the key in it. */
  #basis = '';
  #neededPerson = false;
  #isOverBudget = false;
  #followsBudget = false;
  #loadAgainAt = 0;

  constructor(host: Host, suggestions: Pick<SuggestionsState, 'activity' | 'ledger'>) {
    const { clock } = host.service;
    this.#host = host;
    this.#suggestions = suggestions;
    this.#clock = clock;
    this.#rules = this.#owned.add(new FileRules({ clock }));
    const context = this.#owned.add(
      new DocumentContext({
        rules: this.#rules,
        clock,
        note: (line) => host.log.debug(line),
      }),
    );
    this.#usefulness = new AcceptanceStatistics(readAcceptanceRates(host.context.globalState));
    const ports: CompletionPorts = {
      clock,
      settings: () => this.#settings,
      target: () => this.#model && { model: this.#model, route: this.#route },
      debounceMs,
      context: (snapshot) => context.context(snapshot),
      sendRequest: (ask, signal) =>
        sendSuggestionRequest({ host, activity: suggestions.activity }, ask, signal),
      report: (exchange) => this.#report(exchange),
    };
    this.#engine = this.#owned.add(new CompletionPipeline(ports, this.#usefulness));
    this.#followBasis();
    this.#selectors = this.#owned.add(this.#register());
    this.#watch();
    void this.#loadModels();
  }

  async ruleOf({ languageId, uri }: vscode.TextDocument): Promise<EditorRule | undefined> {
    if (!this.#isOn(languageId)) return 'language-off';
    // At hand after the first time.
    const rule = this.#rules.isKnown(uri) ? this.#rules.ruleFor(uri) : await this.#rules.check(uri);
    if (rule !== undefined) return rule;
    if (this.#model === undefined) await this.#loadModels();
    return this.#model === undefined ? 'no-model' : undefined;
  }

  lastAttempt(document: vscode.TextDocument): Attempt | undefined {
    return this.#attempts.get(document.uri.toString());
  }

  /** Takes what the editor says when an item was accepted; anybody can say it. */
  accepted(id: unknown): void {
    if (typeof id === 'number' && this.#givenOut.has(id)) this.#engine.didAccept(id);
  }

  /** Keeps what was learnt for the next window. */
  async save(): Promise<void> {
    await writeAcceptanceRates(this.#host.context.globalState, this.#usefulness.rates);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Waits for the list of models; one that cannot be had is not asked for at every keystroke. */
  async #loadModels(): Promise<void> {
    const { models } = this.#host;
    if (!models.isLoading && this.#clock.now() < this.#loadAgainAt) return;
    this.#loadAgainAt = this.#clock.now() + loadAgainAfterMs;
    await models.refresh();
  }

  #isOn(languageId: string): boolean {
    const isOn = this.#languages.get(languageId) ?? isLanguageOn(languageId);
    this.#languages.set(languageId, isOn);
    return isOn;
  }

  #register(): DocumentSelectors {
    const nextEdits = this.#owned.add(
      new NextEdits({
        clock: this.#clock,
        isRegisteredFor: (document) => this.#selectors?.serves(document) === true,
      }),
    );
    const provider = new InlineProvider({
      pipeline: this.#engine,
      nextEdits,
      ruleOf: (document) => this.ruleOf(document),
      snapshotOf: takeSnapshotForEditor,
      onAttempt: (attempt) => this.#attempted(attempt),
      onSuggest: (id) => keepLatest(this.#givenOut, id),
    });
    return new DocumentSelectors({
      isLanguageOn,
      register: (selector) =>
        vscode.languages.registerInlineCompletionItemProvider(selector, provider),
    });
  }

  #watch(): void {
    const { account, models } = this.#host;
    const { window, workspace } = vscode;
    this.#owned.add(this.#rules.onDidChange(() => this.#engine.clear()));
    this.#owned.add(account.onDidChange(() => this.#followBasis()));
    this.#owned.add(models.onDidChange(() => this.#followBasis()));
    this.#owned.add(window.onDidChangeActiveTextEditor((editor) => this.#moved(editor)));
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.#moved(textEditor);
      }),
    );
    this.#owned.add(
      workspace.onDidCloseTextDocument(({ uri }) => this.#attempts.delete(uri.toString())),
    );
    this.#owned.add(onDidChangeSettings([completionSection], () => this.#followSettings()));
  }

  #followSettings(): void {
    this.#settings = pipelineSettings();
    this.#route = setting('inferenceService.completion.route');
    this.#languages.clear();
    this.#selectors?.update();
    this.#followBasis();
  }

  /** An answer from another account, model or route, or under another rule, is no answer any more. */
  #followBasis(): void {
    const { profile, key, view } = this.#host.account;
    const isWellAgain = this.#neededPerson && view.status === 'signed-in';
    this.#neededPerson = view.status === 'needs-attention';
    this.#model = configuredModel(this.#host);
    const model = this.#model?.id;
    const basis = hashCacheInputs({
      profile,
      key,
      model,
      route: this.#route,
      settings: this.#settings,
    });
    if (basis === this.#basis && !isWellAgain) return;
    this.#basis = basis;
    this.#engine.clear();
    this.#suggestions.activity.forgetFailure();
  }

  /** Goes on as soon as the person's budget allows it. Looked at only once it was spent. */
  async #followBudget(): Promise<void> {
    this.#isOverBudget = true;
    if (this.#followsBudget) return;
    this.#followsBudget = true;
    const watch = await this.#host.budget?.watch();
    if (watch === undefined) return;
    this.#owned.add(
      watch.onDidChange(() => {
        if (!this.#isOverBudget) return;
        this.#isOverBudget = false;
        this.#engine.clear();
        this.#suggestions.activity.forgetFailure();
      }),
    );
  }

  #moved(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined) return this.#engine.didMoveCursor(undefined);
    const { line, character } = editor.selection.active;
    this.#engine.didMoveCursor({
      document: editor.document.uri.toString(),
      position: { line, character },
    });
  }

  #attempted(attempt: Attempt): void {
    this.#attempts.set(attempt.document, attempt);
    if (attempt.reason !== undefined) this.#suggestions.activity.recordMiss(attempt.reason);
  }

  #report(exchange: CompletionExchange): void {
    // Nothing was sent, so nothing was used.
    if (exchange.failure?.code === 'over-budget') void this.#followBudget();
    else this.#suggestions.ledger.add(billedCost(exchange, spendingUnit(this.#host)));
    this.#suggestions.activity.recordExchange(exchange);
    this.#host.log.debug(formatExchange(exchange));
  }
}

const loadAgainAfterMs = 60_000;

function keepLatest(ids: Set<number>, id: number): void {
  ids.delete(id);
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > 500 && oldest !== undefined) ids.delete(oldest);
}
