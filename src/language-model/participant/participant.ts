import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { findModelByIdOrTrait, selectPermittedModels } from '../../models/model-selection.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import {
  requireSelectedModel,
  createModelNotListedError,
} from '../../models/vscode/selected-model.ts';
import { isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { toAbortSignal } from '../response-reporter.ts';
import type { ChatProvider } from '../chat-provider.ts';
import { toServiceFailure, type ModelSource } from '../model-source.ts';
import { answerPrompt, answerWithImage } from './answer-prompt.ts';
import { type TurnProtection, TurnProtections } from './turns.ts';
import { choosePersona, type StoredPersona, findPersona } from './persona.ts';
import { stripEllipsis } from '../../base/amounts.ts';

type ModelSources = Pick<ChatProvider, 'account' | 'findSource'>;

/**
 * The `@inference` participant in VS Code's chat. Answers with the extension's models, web search,
 * personas and images.
 */
export class Participant {
  readonly #host: Host;
  readonly #images: LazyChatImages;
  readonly #modelSources: ModelSources;
  readonly #turnProtections = new TurnProtections();

  constructor(host: Host, images: LazyChatImages, modelSources: ModelSources) {
    this.#host = host;
    this.#images = images;
    this.#modelSources = modelSources;
  }

  /** Answers a request. Never throws: the result contains any failure. */
  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    using cancellation = toAbortSignal(token);
    const { signal } = cancellation;
    const metadata: AnswerMetadata = {
      command: request.command,
      protection: 'open',
      address: undefined,
    };
    try {
      const { account } = this.#modelSources;
      // The account generates images, even if the model selected in VS Code belongs to a group.
      const source = request.command === 'image' ? account : this.#selectSource(request.model);
      if (source === account && !(await account.isSignedIn())) {
        showSignInButtons(stream);
        return { metadata: { ...metadata, command: undefined } };
      }
      const { baseUrl } = source;
      Object.assign(metadata, findPersona(context, baseUrl));
      // Without a valid base URL, no service receives the turn, so no address is stored.
      if (baseUrl !== '') metadata.address = baseUrl;
      if (request.command === 'image') {
        await answerWithImage({ images: this.#images, prompt: request.prompt, stream, signal });
        return { metadata };
      }
      if (request.command === 'persona') {
        const query = request.prompt;
        const persona = await choosePersona(source, { query, stream, signal });
        return { metadata: { ...metadata, ...persona } };
      }
      await source.listModels(signal);
      const model = await this.#selectModel(request, source, signal);
      if (model === undefined) {
        return {
          ...createFailedResult(vscode.l10n.t('The service offers no models to this account.')),
          metadata,
        };
      }
      await answerPrompt({
        source,
        model,
        request,
        context,
        stream,
        signal,
        turnProtections: this.#turnProtections,
        onProtection: (kind) => void (metadata.protection = kind),
      });
      return { metadata };
    } catch (error) {
      if (signal.aborted) {
        this.#turnProtections.recordStoppedTurn(request, metadata);
        return { metadata };
      }
      this.#host.log.warn(
        `Could not answer a request to @inference: ${toServiceFailure(error).code}`,
      );
      return { ...createFailedResult(toServiceFailure(error).message), metadata };
    }
  }

  createFollowUps({ metadata, errorDetails }: vscode.ChatResult): vscode.ChatFollowup[] {
    if (errorDetails !== undefined || metadata === undefined) return [];
    return listFollowUps(isRecord(metadata) ? metadata['command'] : undefined);
  }

  /**
   * Returns the group's source for a model of a group, otherwise the account's source.
   * @throws ServiceError if the source of the model is unknown
   */
  #selectSource(model: vscode.LanguageModelChat): ModelSource {
    const { account } = this.#modelSources;
    const source = isOwnModel(model) ? this.#modelSources.findSource(model) : account;
    if (source === undefined) throw createModelNotListedError(emptyCatalog);
    return source;
  }

  /**
   * Returns the model selected in VS Code's chat if the extension provides that model. Otherwise
   * returns the model of the extension's own chat.
   * @throws ServiceError if the model is not listed
   */
  async #selectModel(
    { model }: vscode.ChatRequest,
    source: ModelSource,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    const { models } = this.#host;
    if (!isOwnModel(model)) {
      const { id } = await requireSelectedModel(models, signal);
      return findModelByIdOrTrait(models.models, id);
    }
    const chosenModel = findModelByIdOrTrait(
      selectPermittedModels(source.allModels, isPrivateOnly()),
      model.id,
    );
    if (chosenModel === undefined)
      throw createModelNotListedError(
        source === this.#modelSources.account ? models : emptyCatalog,
      );
    return chosenModel;
  }
}

/**
 * Empty model catalog for the error that a model outside of the account is not listed. The error then contains no
 * failure to load the account's models.
 */
const emptyCatalog = { allModels: [], failure: undefined };

const isOwnModel = ({ vendor }: vscode.LanguageModelChat): boolean => vendor === 'inferenceService';

/** Metadata of an answer. VS Code stores no other data of the extension with an answer. */
interface AnswerMetadata extends StoredPersona, TurnProtection {
  readonly command: string | undefined;
  protection: TurnProtection['protection'];
  address: TurnProtection['address'];
}

const createFailedResult = (message: string): vscode.ChatResult => ({ errorDetails: { message } });

function showSignInButtons(stream: vscode.ChatResponseStream): void {
  stream.markdown(vscode.l10n.t('Inference Service needs an API key.'));
  stream.button({
    command: 'inferenceService.setApiKey',
    title: stripEllipsis(vscode.l10n.t('Set API Key…')),
  });
  stream.button({
    command: 'inferenceService.mintKey',
    title: stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
  });
}

function listFollowUps(command: unknown): vscode.ChatFollowup[] {
  switch (command) {
    case 'explain':
      return [
        { prompt: vscode.l10n.t('Write Tests'), command: 'tests' },
        { prompt: vscode.l10n.t('Document'), command: 'doc' },
      ];
    case 'fix':
      return [{ prompt: vscode.l10n.t('Write Tests'), command: 'tests' }];
    case 'search':
      return [{ prompt: vscode.l10n.t('What do others say about it?'), command: 'search' }];
    default:
      return [];
  }
}
