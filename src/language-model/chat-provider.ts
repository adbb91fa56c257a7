import { createHmac } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Host } from '../host.ts';
import { AnswerParts } from './answer-parts.ts';
import { languageModelError, signalOf } from './errors.ts';
import { modelInformation } from './model-information.ts';
import {
  AccountSource,
  failureOf,
  type GroupConfiguration,
  groupConfiguration,
  GroupSource,
  type ModelSource,
  type SourceHost,
} from './model-source.ts';
import { rememberUsedInEditor } from './registration.ts';
import { requestMessages, requestOptions, textOf } from './request.ts';
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
  #earlier: ReadonlyMap<string, GroupSource> = new Map();
  /** For versions that tell groups apart, and nothing of their keys. */
  readonly #salt = crypto.getRandomValues(new Uint8Array(16));

  constructor(host: SourceHost) {
    this.#host = host;
  }

  /** VS Code asks for all anew. Those that it has not asked for since the last time are forgotten, with their keys. */
  begin(): void {
    this.#earlier = this.#current;
    this.#current = new Map();
  }

  /** Asks a group for something. It is known from then on, and still when VS Code began anew meanwhile. */
  async ask<T>(
    group: GroupConfiguration,
    something: (source: GroupSource) => Promise<T>,
  ): Promise<T> {
    const version = this.#versionOf(group);
    const source = this.byVersion(version) ?? new GroupSource(this.#host, group, version);
    this.#current.set(version, source);
    try {
      return await something(source);
    } finally {
      this.#current.set(version, source);
    }
  }

  /** The one whose models have this version; undefined for one that is not known. */
  byVersion(version: string): GroupSource | undefined {
    return this.#current.get(version) ?? this.#earlier.get(version);
  }

  #versionOf({ apiKey, baseUrl }: GroupConfiguration): string {
    const made = createHmac('sha256', this.#salt).update(JSON.stringify([apiKey, baseUrl]));
    return `group-${made.digest('hex').slice(0, 16)}`;
  }
}

/** Offers the two ways in. @returns whether the person is signed in afterwards */
export async function offerSignIn(account: Pick<AccountSource, 'isSignedIn'>): Promise<boolean> {
  const ways: Readonly<Record<string, CommandId>> = {
    [vscode.l10n.t('Use an API key')]: 'inferenceService.setApiKey',
    [vscode.l10n.t('Connect a wallet')]: 'inferenceService.mintKey',
  };
  const question = vscode.l10n.t('Inference Service needs an API key to list its models.');
  const chosen = await showInformation(question, ...Object.keys(ways));
  const command = chosen === undefined ? undefined : ways[chosen];
  if (command === undefined) return false;
  await vscode.commands.executeCommand(command);
  return account.isSignedIn();
}

type Information = vscode.LanguageModelChatInformation;
type RequestMessage = vscode.LanguageModelChatRequestMessage;

/** About what a picture counts in a model's context. */
const imageTokens = 1_000;

/** The chat models of the service for VS Code's own chat and for every other extension. */
export class ChatProvider implements vscode.LanguageModelChatProvider, Disposable {
  readonly account: AccountSource;
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #groups: GroupSources;
  /** VS Code gives back the very objects that it was given. */
  readonly #sources = new WeakMap<Information, ModelSource>();
  /** As VS Code has it; undefined until it asked. */
  #told: string | undefined;

  /** @param onDidChange Is called when VS Code should ask for the models again. */
  constructor(host: Host, onDidChange: () => void) {
    this.#host = host;
    this.account = new AccountSource(host);
    this.#groups = new GroupSources(host);
    const { account, models } = host;
    const look = (): void => void this.#look(onDidChange);
    this.#owned.add(account.onDidChange(look));
    this.#owned.add(models.onDidChange(look));
    this.#owned.add(onDidChangeSettings(['inferenceService.privateModelsOnly'], look));
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
    using cancellation = signalOf(token);
    const group = groupConfiguration(options);
    if (group !== undefined) return await this.#ofGroup(group, cancellation.signal);
    // It asks for the account's first, each time.
    this.#groups.begin();
    if (!(await this.account.isSignedIn())) {
      if (options.silent || !(await offerSignIn(this.account))) return this.#remember([]);
    }
    const informed = this.#informationOf(
      this.account,
      await this.account.models(cancellation.signal),
    );
    return this.#remember(informed);
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
      throw languageModelError(modelNotListedError(this.#host.models).failure);
    const isRequired = toolMode === vscode.LanguageModelChatToolMode.Required;
    const request: ChatRequest = {
      model: model.id,
      messages: requestMessages(messages),
      ...requestOptions({ modelOptions, tools, isRequired }),
      // Whoever asks brings instructions of their own.
      parameters: { include_system_prompt: false },
    };
    const { context, log } = this.#host;
    rememberUsedInEditor(context).catch((error: unknown) =>
      log.warn(`Its use was not remembered: ${String(error)}`),
    );
    await answer({ source, request, progress, token });
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
      textOf(text.content),
      ...calls.map(({ name, input }) => name + JSON.stringify(input)),
      ...results.map(({ content }) => textOf(content)),
    ];
    const pictures = images.filter(({ mimeType }) => mimeType.startsWith('image/')).length;
    return texts.reduce((sum, each) => sum + estimateTokens(each), 4) + pictures * imageTokens;
  }

  /** Where a model that VS Code has comes from; undefined where it cannot be told. */
  sourceOf({ version }: Pick<vscode.LanguageModelChat, 'version'>): ModelSource | undefined {
    return version === this.account.version ? this.account : this.#groups.byVersion(version);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #ofGroup(group: GroupConfiguration, signal: AbortSignal): Promise<Information[]> {
    if (group.apiKey === '' && group.baseUrl === '') return [];
    try {
      return await this.#groups.ask(group, async (source) =>
        this.#informationOf(source, await source.models(signal)),
      );
    } catch (error) {
      const failure = failureOf(error);
      this.#host.log.warn(`The models of a group could not be listed: ${failure.message}`);
      throw languageModelError(failure);
    }
  }

  #informationOf(source: ModelSource, models: Host['models']['models']): Information[] {
    const { version } = source;
    const informed = modelInformation(permittedModels(models, isPrivateOnly())).map((each) => ({
      ...each,
      version,
    }));
    for (const each of informed) this.#sources.set(each, source);
    return informed;
  }

  #remember(informed: Information[]): Information[] {
    this.#told = JSON.stringify(informed);
    return informed;
  }

  /** A balance changes with every answer, the models do not. */
  async #look(onDidChange: () => void): Promise<void> {
    if (this.#told === undefined) return;
    const models = (await this.account.isSignedIn()) ? this.#host.models.models : [];
    const informed = modelInformation(permittedModels(models, isPrivateOnly()));
    if (JSON.stringify(informed) !== this.#told) onDidChange();
  }
}

interface Answering {
  readonly source: ModelSource;
  readonly request: ChatRequest;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

/** @throws Error, for VS Code */
async function answer({ source, request, progress, token }: Answering): Promise<void> {
  using cancellation = signalOf(token);
  const report = source.reporter();
  const parts = new AnswerParts({
    report: (part) => progress.report(part),
    onReply: report,
  });
  const { signal } = cancellation;
  for await (const events of streamChat(source.service, request, { signal })) {
    for (const event of events) {
      if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
        report(event.outcome.failure);
      }
      parts.take(event);
    }
  }
}
