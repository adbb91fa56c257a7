import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { findByIdOrTrait, permittedModels } from '../../models/model-selection.ts';
import type { Model } from '../../service/model-types.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { requireSelectedModel, modelNotListedError } from '../../models/vscode/selected-model.ts';
import { isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { signalOf } from '../errors.ts';
import type { ChatProvider } from '../chat-provider.ts';
import { failureOf, type ModelSource } from '../model-source.ts';
import { answerPrompt, answerWithImage } from './answer-prompt.ts';
import { type KeptTurn, KeptTurns } from './turns.ts';
import { choosePersona, type KeptPersona, personaOf } from './persona.ts';

type Sources = Pick<ChatProvider, 'account' | 'sourceOf'>;

/** `@inference` in VS Code's own chat: our models there, with web search, personas and pictures. */
export class Participant {
  readonly #host: Host;
  readonly #images: Images;
  readonly #provider: Sources;
  readonly #turns = new KeptTurns();

  constructor(host: Host, images: Images, provider: Sources) {
    this.#host = host;
    this.#images = images;
    this.#provider = provider;
  }

  /** Never throws: what failed is in the result. */
  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    using cancellation = signalOf(token);
    const { signal } = cancellation;
    const metadata: Kept = { command: request.command, protection: 'open', address: undefined };
    try {
      const { account } = this.#provider;
      // Pictures are the account's, whatever the model.
      const source = request.command === 'image' ? account : this.#sourceOf(request.model);
      if (source === account && !(await account.isSignedIn())) {
        offerSignIn(stream);
        return { metadata: { ...metadata, command: undefined } };
      }
      const { address } = source;
      Object.assign(metadata, personaOf(context, address));
      // Without one nothing is sent.
      if (address !== '') metadata.address = address;
      if (request.command === 'image') {
        await answerWithImage({ images: this.#images, prompt: request.prompt, stream, signal });
        return { metadata };
      }
      if (request.command === 'persona') {
        const search = request.prompt;
        const persona = await choosePersona(source, { search, stream, signal });
        return { metadata: { ...metadata, ...persona } };
      }
      await source.models(signal);
      const model = await this.#model(request, source, signal);
      if (model === undefined) {
        return { ...failed(vscode.l10n.t('The service offers no chat models.')), metadata };
      }
      await answerPrompt({
        source,
        model,
        request,
        context,
        stream,
        signal,
        turns: this.#turns,
        protectedBy: (kind) => void (metadata.protection = kind),
      });
      return { metadata };
    } catch (error) {
      if (signal.aborted) {
        this.#turns.stopped(request, metadata);
        return { metadata };
      }
      this.#host.log.warn(`@inference failed: ${failureOf(error).code}`);
      return { ...failed(failureOf(error).message), metadata };
    }
  }

  followUps({ metadata, errorDetails }: vscode.ChatResult): vscode.ChatFollowup[] {
    if (errorDetails !== undefined || metadata === undefined) return [];
    return followUpsOf(isRecord(metadata) ? metadata['command'] : undefined);
  }

  /**
   * Who answers: the account, unless a model of a group is chosen, which only its own service knows.
   * @throws ServiceError when it cannot be told whose it is
   */
  #sourceOf(model: vscode.LanguageModelChat): ModelSource {
    const { account } = this.#provider;
    const source = isOurs(model) ? this.#provider.sourceOf(model) : account;
    if (source === undefined) throw modelNotListedError(noList);
    return source;
  }

  /**
   * The one that is chosen in VS Code's chat when it is ours, else that of our chat.
   * @throws ServiceError when the chosen one is not there
   */
  async #model(
    { model }: vscode.ChatRequest,
    source: ModelSource,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    const { models } = this.#host;
    if (!isOurs(model)) {
      const { id } = await requireSelectedModel(models, signal);
      return findByIdOrTrait(models.models, id);
    }
    const chosen = findByIdOrTrait(permittedModels(source.all, isPrivateOnly()), model.id);
    if (chosen === undefined)
      throw modelNotListedError(source === this.#provider.account ? models : noList);
    return chosen;
  }
}

/** Why the account has no list says nothing about a group. */
const noList = { allModels: [], failure: undefined };

const isOurs = ({ vendor }: vscode.LanguageModelChat): boolean => vendor === 'inferenceService';

/** With each answer: VS Code keeps nothing else of it. */
interface Kept extends KeptPersona, KeptTurn {
  readonly command: string | undefined;
  protection: KeptTurn['protection'];
  address: KeptTurn['address'];
}

const failed = (message: string): vscode.ChatResult => ({ errorDetails: { message } });

function offerSignIn(stream: vscode.ChatResponseStream): void {
  stream.markdown(
    vscode.l10n.t('To answer, Inference Service needs an API key, or a wallet that mints one.'),
  );
  stream.button({
    command: 'inferenceService.setApiKey',
    title: vscode.l10n.t('Use an API key'),
  });
  stream.button({ command: 'inferenceService.mintKey', title: vscode.l10n.t('Connect a wallet') });
}

function followUpsOf(command: unknown): vscode.ChatFollowup[] {
  switch (command) {
    case 'explain':
      return [
        { prompt: vscode.l10n.t('Write tests for it'), command: 'tests' },
        { prompt: vscode.l10n.t('Document it'), command: 'doc' },
      ];
    case 'fix':
      return [{ prompt: vscode.l10n.t('Write tests for it'), command: 'tests' }];
    case 'search':
      return [{ prompt: vscode.l10n.t('What do others say about it?'), command: 'search' }];
    default:
      return [];
  }
}
