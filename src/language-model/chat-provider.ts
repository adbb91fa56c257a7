import { createHmac } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Host } from '../host.ts';
import { ResponseReporter } from './response-reporter.ts';
import { toLanguageModelError, toAbortSignal } from './errors.ts';
import { toModelInformation } from './model-information.ts';
import {
  AccountSource,
  toServiceFailure,
  type GroupConfiguration,
  readGroupConfiguration,
  GroupSource,
  type ModelSource,
  type SourceHost,
} from './model-source.ts';
import { rememberUsedInEditor } from './registration.ts';
import { toRequestMessages, toRequestOptions, joinText } from './request.ts';
import { permittedModels } from '../models/model-selection.ts';
import { modelNotListedError } from '../models/vscode/selected-model.ts';
import type { CommandId } from '../platform/command-ids.ts';
import { onDidChangeSettings } from '../platform/settings.ts';
import { showInformation } from '../platform/notifications.ts';
import { isPrivateOnly } from '../models/vscode/model-catalog.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { streamChat } from '../service/chat/stream-chat.ts';

/** The groups that VS Code has. Each keeps its source, and with it what its service said, while VS Code asks for it. */
export class GroupSources {
  readonly #host: SourceHost;
  /** By version, those that VS Code asked for since it last began. */
  #current = new Map<string, GroupSource>();
  /** Those of the time before: nobody says which groups are gone, and each is asked for every time. */
  #previous: ReadonlyMap<string, GroupSource> = new Map();
  /** For versions that tell groups apart, and nothing of their keys. */
  readonly #salt = crypto.getRandomValues(new Uint8Array(16));

  constructor(host: SourceHost) {
    this.#host = host;
  }

  /** VS Code asks for all anew. Those that it has not asked for since the last time are forgotten, with their keys. */
  startListing(): void {
    this.#previous = this.#current;
    this.#current = new Map();
  }

  /** Asks a group for something. It is known from then on, and still when VS Code began anew meanwhile. */
  async withSource<T>(
    group: GroupConfiguration,
    use: (source: GroupSource) => Promise<T>,
  ): Promise<T> {
    const version = this.#groupVersion(group);
    const source = this.byVersion(version) ?? new GroupSource(this.#host, group, version);
    this.#current.set(version, source);
    try {
      return await use(source);
    } finally {
      this.#current.set(version, source);
    }
  }

  /** The one whose models have this version; undefined for one that is not known. */
  byVersion(version: string): GroupSource | undefined {
    return this.#current.get(version) ?? this.#previous.get(version);
  }

  #groupVersion({ apiKey, baseUrl }: GroupConfiguration): string {
    const hmac = createHmac('sha256', this.#salt).update(JSON.stringify([apiKey, baseUrl]));
    return `group-${hmac.digest('hex').slice(0, 16)}`;
  }
}

/** Offers the two ways in. @returns whether the person is signed in afterwards */
export async function promptSignIn(account: Pick<AccountSource, 'isSignedIn'>): Promise<boolean> {
  const commandsByLabel: Readonly<Record<string, CommandId>> = {
    [vscode.l10n.t('Use an API key')]: 'inferenceService.setApiKey',
    [vscode.l10n.t('Connect a wallet')]: 'inferenceService.mintKey',
  };
  const message = vscode.l10n.t('Inference Service needs an API key to list its models.');
  const chosen = await showInformation(message, ...Object.keys(commandsByLabel));
  const command = chosen === undefined ? undefined : commandsByLabel[chosen];
  if (command === undefined) return false;
  await vscode.commands.executeCommand(command);
  return account.isSignedIn();
}

type Information = vscode.LanguageModelChatInformation;
type RequestMessage = vscode.LanguageModelChatRequestMessage;

/** About what a picture counts in a model's context. */
const tokensPerImage = 1_000;

/** The chat models of the service for VS Code's own chat and for every other extension. */
export class ChatProvider implements vscode.LanguageModelChatProvider, Disposable {
  readonly account: AccountSource;
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #groups: GroupSources;
  /** VS Code gives back the very objects that it was given. */
  readonly #sources = new WeakMap<Information, ModelSource>();
  /** As VS Code has it; undefined until it asked. */
  #lastListed: string | undefined;

  /** @param onDidChange Is called when VS Code should ask for the models again. */
  constructor(host: Host, onDidChange: () => void) {
    this.#host = host;
    this.account = new AccountSource(host);
    this.#groups = new GroupSources(host);
    const { account, models } = host;
    const checkForChanges = (): void => void this.#checkForChanges(onDidChange);
    this.#owned.add(account.onDidChange(checkForChanges));
    this.#owned.add(models.onDidChange(checkForChanges));
    this.#owned.add(onDidChangeSettings(['inferenceService.privateModelsOnly'], checkForChanges));
  }

  /**
   * Never throws for the account: a provider that does would be shown as broken, with nothing that the person could do
   * there. A group is shown with what happened, and can be repaired or deleted there.
   * @throws Error, for VS Code: why the models of a group cannot be listed, and what to do
   */
  async provideLanguageModelChatInformation(
    options: vscode.PrepareLanguageModelChatModelOptions,
    token: vscode.CancellationToken,
  ): Promise<Information[]> {
    using cancellation = toAbortSignal(token);
    const group = readGroupConfiguration(options);
    if (group !== undefined) return await this.#listGroupModels(group, cancellation.signal);
    // It asks for the account's first, each time.
    this.#groups.startListing();
    if (!(await this.account.isSignedIn())) {
      if (options.silent || !(await promptSignIn(this.account))) return this.#recordListed([]);
    }
    const information = this.#toInformation(
      this.account,
      await this.account.models(cancellation.signal),
    );
    return this.#recordListed(information);
  }

  async provideLanguageModelChatResponse(
    model: Information,
    messages: readonly RequestMessage[],
    { modelOptions, tools, toolMode }: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const source = this.#sources.get(model);
    // Whose it is cannot be told, and no other account's is as good.
    if (source === undefined)
      throw toLanguageModelError(modelNotListedError(this.#host.models).failure);
    const isRequired = toolMode === vscode.LanguageModelChatToolMode.Required;
    const request: ChatRequest = {
      model: model.id,
      messages: toRequestMessages(messages),
      ...toRequestOptions({ modelOptions, tools, isRequired }),
      // Whoever asks brings instructions of their own.
      parameters: { include_system_prompt: false },
    };
    const { context, log } = this.#host;
    rememberUsedInEditor(context).catch((error: unknown) =>
      log.warn(`Its use was not remembered: ${String(error)}`),
    );
    await streamAnswer({ source, request, progress, token });
  }

  /** A look at some of the text is faster than to look for it among what was counted before. */
  async provideTokenCount(_: Information, text: string | RequestMessage): Promise<number> {
    if (typeof text === 'string') return estimateTokens(text);
    const images = text.content.filter((part) => part instanceof vscode.LanguageModelDataPart);
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

  /** Where a model that VS Code has comes from; undefined where it cannot be told. */
  findSource({ version }: Pick<vscode.LanguageModelChat, 'version'>): ModelSource | undefined {
    return version === this.account.version ? this.account : this.#groups.byVersion(version);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #listGroupModels(group: GroupConfiguration, signal: AbortSignal): Promise<Information[]> {
    if (group.apiKey === '' && group.baseUrl === '') return [];
    try {
      return await this.#groups.withSource(group, async (source) =>
        this.#toInformation(source, await source.models(signal)),
      );
    } catch (error) {
      const failure = toServiceFailure(error);
      this.#host.log.warn(`The models of a group could not be listed: ${failure.message}`);
      throw toLanguageModelError(failure);
    }
  }

  #toInformation(source: ModelSource, models: Host['models']['models']): Information[] {
    const { version } = source;
    const information = toModelInformation(permittedModels(models, isPrivateOnly())).map(
      (model) => ({
        ...model,
        version,
      }),
    );
    for (const model of information) this.#sources.set(model, source);
    return information;
  }

  #recordListed(information: Information[]): Information[] {
    this.#lastListed = JSON.stringify(information);
    return information;
  }

  /** A balance changes with every answer, the models do not. */
  async #checkForChanges(onDidChange: () => void): Promise<void> {
    if (this.#lastListed === undefined) return;
    const models = (await this.account.isSignedIn()) ? this.#host.models.models : [];
    const information = toModelInformation(permittedModels(models, isPrivateOnly()));
    if (JSON.stringify(information) !== this.#lastListed) onDidChange();
  }
}

interface AnswerOptions {
  readonly source: ModelSource;
  readonly request: ChatRequest;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

/** @throws Error, for VS Code */
async function streamAnswer({ source, request, progress, token }: AnswerOptions): Promise<void> {
  using cancellation = toAbortSignal(token);
  const reportOutcome = source.createReporter();
  const reporter = new ResponseReporter({
    report: (part) => progress.report(part),
    onReply: reportOutcome,
  });
  const { signal } = cancellation;
  for await (const events of streamChat(source.service, request, { signal })) {
    for (const event of events) {
      if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
        reportOutcome(event.outcome.failure);
      }
      reporter.handle(event);
    }
  }
}
