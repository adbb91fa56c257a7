import { createHmac } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { getActionLabel } from '../account/vscode/failure-actions.ts';
import { omitUndefined } from '../base/json.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Host } from '../host.ts';
import { ResponseReporter, toLanguageModelError, toAbortSignal } from './response-reporter.ts';
import { readChosenReasoningEffort, toModelInformation } from './model-information.ts';
import {
  AccountSource,
  toServiceFailure,
  type GroupConfiguration,
  readGroupConfiguration,
  GroupSource,
  type ModelSource,
  type SourceHost,
} from './model-source.ts';
import { recordEditorUse } from './registration.ts';
import { toRequestMessages, toRequestOptions, joinText } from './request.ts';
import { selectPermittedModels } from '../models/model-selection.ts';
import { createModelNotListedError } from '../models/vscode/selected-model.ts';
import type { CommandId } from '../platform/command-ids.ts';
import { isDataPart } from '../platform/newer-vscode.ts';
import { onDidChangeSettings } from '../platform/settings.ts';
import { showInformation, showWarning, showWithActions } from '../platform/notifications.ts';
import { isPrivateOnly } from '../models/vscode/model-catalog.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import { stripEllipsis } from '../base/amounts.ts';

/**
 * Model sources of the model groups, each with an API key and a base URL, that the user configured in VS Code. Keeps
 * the source of each group, including the loaded models, as long as VS Code lists the group.
 */
export class GroupSources {
  readonly #host: SourceHost;
  /** Sources that VS Code has requested since it last started to list all groups, by the `version` of their models. */
  #currentSources = new Map<string, GroupSource>();
  /**
   * Sources of the previous listing, by the `version` of their models. Needed to find removed groups: VS Code does not
   * report them, but requests each remaining group in every listing.
   */
  #previousSources: ReadonlyMap<string, GroupSource> = new Map();
  /**
   * Salt for the hashes in `version`. A hash identifies the key and the address of a group without revealing the key.
   */
  readonly #salt = crypto.getRandomValues(new Uint8Array(16));

  constructor(host: SourceHost) {
    this.#host = host;
  }

  /**
   * Starts a listing of all groups. Drops the sources, and their API keys, that VS Code did not request in the previous
   * listing.
   */
  startListing(): void {
    this.#previousSources = this.#currentSources;
    this.#currentSources = new Map();
  }

  /**
   * Runs `use` with the source of a group. The group keeps its source until `use` ends, even if VS Code starts
   * another listing meanwhile.
   */
  async withSource<T>(
    group: GroupConfiguration,
    use: (source: GroupSource) => Promise<T>,
  ): Promise<T> {
    const version = this.#createGroupVersion(group);
    const source = this.findSourceByVersion(version) ?? new GroupSource(this.#host, group, version);
    this.#currentSources.set(version, source);
    try {
      return await use(source);
    } finally {
      this.#currentSources.set(version, source);
    }
  }

  /** Returns the source whose models have the given `version`; `undefined` if there is no such source. */
  findSourceByVersion(version: string): GroupSource | undefined {
    return this.#currentSources.get(version) ?? this.#previousSources.get(version);
  }

  #createGroupVersion({ apiKey, baseUrl }: GroupConfiguration): string {
    const hmac = createHmac('sha256', this.#salt).update(JSON.stringify([apiKey, baseUrl]));
    return `group-${hmac.digest('hex').slice(0, 16)}`;
  }
}

/**
 * Prompts the user to set an API key or to connect a wallet.
 * @returns true if the user is signed in afterwards
 */
export async function promptSignIn(account: Pick<AccountSource, 'isSignedIn'>): Promise<boolean> {
  const commandsByLabel: Readonly<Record<string, CommandId>> = {
    [stripEllipsis(vscode.l10n.t('Set API Key…'))]: 'inferenceService.setApiKey',
    [stripEllipsis(vscode.l10n.t('Get API Key with Wallet…'))]: 'inferenceService.mintKey',
  };
  const message = vscode.l10n.t('Inference Service needs an API key.');
  const chosenLabel = await showInformation(message, ...Object.keys(commandsByLabel));
  const command = chosenLabel === undefined ? undefined : commandsByLabel[chosenLabel];
  if (command === undefined) return false;
  await vscode.commands.executeCommand(command);
  return account.isSignedIn();
}

type ModelInformation = vscode.LanguageModelChatInformation;
type RequestMessage = vscode.LanguageModelChatRequestMessage;

/** Approximate number of tokens of one image in a model's context. */
const tokensPerImage = 1_000;

/** Provides the service's chat models to VS Code's chat and to other extensions. */
export class ChatProvider implements vscode.LanguageModelChatProvider, Disposable {
  readonly account: AccountSource;
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly #groups: GroupSources;
  readonly #onDidChange: () => void;
  /** Origins for which this window has already offered to permit unencrypted requests. Prevents repeated offers. */
  readonly #offeredOrigins = new Set<string>();
  /**
   * Source of each model, by the information object returned to VS Code. With each request, VS Code passes back the
   * same object.
   */
  readonly #sources = new WeakMap<ModelInformation, ModelSource>();
  /** JSON of the model list last returned to VS Code; `undefined` before the first request. */
  #lastModelsJson: string | undefined;

  /**
   * @param onDidChange Called when the models have changed, so that VS Code can request them
   *   again.
   */
  constructor(host: Host, onDidChange: () => void) {
    this.#host = host;
    this.#onDidChange = onDidChange;
    this.account = new AccountSource(host);
    this.#groups = new GroupSources(host);
    const { account, models } = host;
    const checkForChanges = (): void => void this.#checkForChanges(onDidChange);
    this.#disposables.add(account.onDidChange(checkForChanges));
    this.#disposables.add(models.onDidChange(checkForChanges));
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.privateModelsOnly'], checkForChanges),
    );
  }

  /**
   * Returns the models to list. Never throws for the account's models, because VS Code would then show the provider as
   * broken and offer no action to repair it.
   * @throws an error for VS Code if the models of a group cannot be listed. VS Code shows the error, with actions to
   * repair or delete the group.
   */
  async provideLanguageModelChatInformation(
    options: vscode.PrepareLanguageModelChatModelOptions,
    token: vscode.CancellationToken,
  ): Promise<ModelInformation[]> {
    using cancellation = toAbortSignal(token);
    const group = readGroupConfiguration(options);
    if (group !== undefined) return await this.#listGroupModels(group, cancellation.signal);
    // Each listing starts with the account's models.
    this.#groups.startListing();
    if (!(await this.account.isSignedIn())) {
      if (options.silent || !(await promptSignIn(this.account)))
        return this.#recordListedModels([]);
    }
    const information = this.#toInformation(
      this.account,
      await this.account.listModels(cancellation.signal),
    );
    return this.#recordListedModels(information);
  }

  async provideLanguageModelChatResponse(
    model: ModelInformation,
    messages: readonly RequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const source = this.#sources.get(model);
    // A model with an unknown source fails, because another account must not receive the request.
    if (source === undefined)
      throw toLanguageModelError(createModelNotListedError(this.#host.models).failure);
    const { modelOptions, tools, toolMode } = options;
    const isToolCallRequired = toolMode === vscode.LanguageModelChatToolMode.Required;
    const request: ChatRequest = {
      model: model.id,
      messages: toRequestMessages(messages),
      ...omitUndefined({ reasoning_effort: readChosenReasoningEffort(model, options) }),
      ...readOptions({ modelOptions, tools, isToolCallRequired }),
      // Callers send their own system prompt, so the service's system prompt is omitted.
      parameters: { include_system_prompt: false },
    };
    const { context, log } = this.#host;
    recordEditorUse(context).catch((error: unknown) =>
      log.warn(`Could not record the use of a model: ${String(error)}`),
    );
    await streamAnswer({ source, request, progress, token });
  }

  /**
   * Estimates the number of tokens of a text or a message. Estimates are not cached, because an estimate is faster
   * than a cache lookup.
   */
  async provideTokenCount(_: ModelInformation, text: string | RequestMessage): Promise<number> {
    if (typeof text === 'string') return estimateTokens(text);
    const images = text.content.filter(isDataPart);
    const calls = text.content.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
    const results = text.content.filter(
      (part) => part instanceof vscode.LanguageModelToolResultPart,
    );
    const texts = [
      joinText(text.content),
      ...calls.map(({ name, input }) => name + JSON.stringify(input)),
      ...results.map(({ content }) => joinText(content)),
    ];
    const imageCount = images.filter(({ mimeType }) => mimeType.startsWith('image/')).length;
    return texts.reduce((sum, text) => sum + estimateTokens(text), 4) + imageCount * tokensPerImage;
  }

  /** Returns the source of a model that VS Code lists; `undefined` if the source is unknown. */
  findSource({ version }: Pick<vscode.LanguageModelChat, 'version'>): ModelSource | undefined {
    return version === this.account.version
      ? this.account
      : this.#groups.findSourceByVersion(version);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #listGroupModels(
    group: GroupConfiguration,
    signal: AbortSignal,
  ): Promise<ModelInformation[]> {
    if (group.apiKey === '' && group.baseUrl === '') return [];
    try {
      return await this.#groups.withSource(group, async (source) =>
        this.#toInformation(source, await source.listModels(signal)),
      );
    } catch (error) {
      const failure = toServiceFailure(error);
      this.#host.log.warn(`Could not list the models of a group: ${failure.message}`);
      if (failure.code === 'unencrypted-address')
        void this.#offerUnencryptedRequests(new URL(group.baseUrl).origin, failure.message);
      throw toLanguageModelError(failure);
    }
  }

  /** Offers to permit unencrypted requests to the address of a group. Offers this once per origin and window. */
  async #offerUnencryptedRequests(origin: string, message: string): Promise<void> {
    if (this.#offeredOrigins.has(origin)) return;
    this.#offeredOrigins.add(origin);
    const allowUnencrypted = async (): Promise<void> => {
      await this.#host.account.allowUnencryptedOrigin(origin);
      this.#onDidChange();
    };
    const label = getActionLabel('allow-unencrypted');
    await showWithActions(showWarning, message, [{ label, run: allowUnencrypted }]);
  }

  #toInformation(source: ModelSource, models: Host['models']['models']): ModelInformation[] {
    const { version } = source;
    const information = toModelInformation(selectPermittedModels(models, isPrivateOnly())).map(
      (model) => ({
        ...model,
        version,
      }),
    );
    for (const model of information) this.#sources.set(model, source);
    return information;
  }

  #recordListedModels(information: ModelInformation[]): ModelInformation[] {
    this.#lastModelsJson = JSON.stringify(information);
    return information;
  }

  /**
   * Reports a change only if the model list differs from the list last returned to VS Code. The account's change
   * event also fires when an answer changes the balance.
   */
  async #checkForChanges(onDidChange: () => void): Promise<void> {
    if (this.#lastModelsJson === undefined) return;
    const models = (await this.account.isSignedIn()) ? this.#host.models.models : [];
    const information = toModelInformation(selectPermittedModels(models, isPrivateOnly()));
    if (JSON.stringify(information) !== this.#lastModelsJson) onDidChange();
  }
}

/**
 * Reads the options of a request.
 * @throws an error for VS Code if the request contains an option that other extensions must not set
 */
function readOptions(
  options: Parameters<typeof toRequestOptions>[0],
): ReturnType<typeof toRequestOptions> {
  try {
    return toRequestOptions(options);
  } catch (error) {
    throw toLanguageModelError(toServiceFailure(error));
  }
}

interface AnswerOptions {
  readonly source: ModelSource;
  readonly request: ChatRequest;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

/**
 * Streams an answer to VS Code.
 * @throws an error for VS Code if the request or the answer fails
 */
async function streamAnswer({ source, request, progress, token }: AnswerOptions): Promise<void> {
  using cancellation = toAbortSignal(token);
  const reportOutcome = source.createReporter();
  const reporter = new ResponseReporter({
    // The type of the oldest supported version lacks data parts.
    reportPart: (part) => progress.report(part as vscode.LanguageModelResponsePart),
    onReply: reportOutcome,
  });
  const { signal } = cancellation;
  for await (const events of streamChat(source.service, request, {
    signal,
    areOptionsChosen: true,
  })) {
    for (const event of events) {
      if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
        reportOutcome(event.outcome.failure);
      }
      reporter.reportEvent(event);
    }
  }
}
