import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { detectFileContent } from '../../workspace/file-content.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { omitUndefined, type JsonRecord } from '../../base/json.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { maxImageTokens } from '../../conversation/media.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import { selectChatModels } from '../../models/model-selection.ts';
import { estimateCost, formatPrice } from '../../service/pricing.ts';
import { createChatCompletion } from '../../service/chat/chat.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { Model } from '../../service/model-types.ts';
import type { PathResolver, ResolvedPath } from '../../workspace/vscode/paths.ts';
import type { Host } from '../../host.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import {
  type NativeResult,
  type NativeTool,
  type PlannedCall,
  readTextArgument,
} from './native-tool.ts';

/** Maximum size in bytes of an image that the service accepts. */
const maxImageBytes = 10 * 1024 * 1024;
const maxOutputLength = 20_000;
/** Number of answer tokens on which the price estimate is based. */
const typicalAnswerTokens = 600;
const defaultQuestion = 'Describe this image: its content, its text word for word, its layout.';

/** Describes a workspace image with a vision model. The description is for models without vision. */
export class DescribeImageTool implements NativeTool {
  readonly #host: Host;
  readonly #paths: PathResolver;

  constructor(host: Host, paths: PathResolver) {
    this.#host = host;
    this.#paths = paths;
  }

  async plan(input: JsonRecord): Promise<PlannedCall> {
    const path = readTextArgument(input, 'path', 1_024);
    const question =
      input['question'] === undefined
        ? defaultQuestion
        : readTextArgument(input, 'question', 4_000);
    const resolvedPath = await this.#paths.resolvePath(path);
    requireSendableFile(resolvedPath);
    const { digest } = await readImage(resolvedPath);
    const model = chooseVisionModel(this.#host.models);
    const cost = estimateTypicalCost(question, model);
    const price = formatPrice(cost);
    return {
      ...omitUndefined({ expectedCost: cost?.usd ?? cost?.diem }),
      question: vscode.l10n.t('Send {0} to {1}?', resolvedPath.label, model.name),
      detail: question,
      progressMessage: `${vscode.l10n.t('Ask')}: ${resolvedPath.label}`,
      target: resolvedPath.label,
      price: price === '' ? '' : `≈ ${price}`,
      sentFilePath: path,
      run: (signal: AbortSignal) =>
        this.#describeImage({ file: resolvedPath, digest, question, model, signal }),
    };
  }

  async #describeImage({
    file,
    digest,
    question,
    model,
    signal,
  }: DescribeOptions): Promise<NativeResult> {
    await this.#paths.checkPathUnchanged(file);
    const { url, digest: currentDigest } = await readImage(file);
    if (currentDigest !== digest) {
      throw new ToolError('refused-path', `${file.label} has changed. Call the tool again.`);
    }
    const { text, usage, ...reply } = await createChatCompletion(
      this.#host.service,
      {
        model: model.id,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: question },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
        parameters: { include_system_prompt: false },
      },
      { signal },
    );
    const cost = reply.cost ?? (usage && estimateCost(usage, model.pricing));
    const answer = stripHiddenCharacters(text).text.slice(0, maxOutputLength);
    return omitUndefined({ text: `${model.name} says about ${file.label}:\n\n${answer}`, cost });
  }
}

/**
 * Estimates the cost of a large image and an answer of typical length. Undefined if the service
 * reports no price.
 */
function estimateTypicalCost(question: string, model: Model): Cost | undefined {
  const promptTokens = maxImageTokens + estimateTokens(question);
  const totalTokens = promptTokens + typicalAnswerTokens;
  const usage = { promptTokens, completionTokens: typicalAnswerTokens, totalTokens };
  return estimateCost(usage, model.pricing);
}

interface DescribeOptions {
  readonly file: ResolvedPath;
  /**
   * Digest of the image that the user confirmed. If the digest is different when the call runs, the file has changed
   * since the confirmation.
   */
  readonly digest: string;
  readonly question: string;
  readonly model: Model;
  readonly signal: AbortSignal;
}

/**
 * Checks that a file is inside the workspace and probably contains no secrets.
 * @throws ToolError with instructions for the model if the file must not be sent
 */
function requireSendableFile({ facts, label }: ResolvedPath): void {
  if (facts.kind === 'missing') throw new ToolError('not-found', `There is no file ${label}.`);
  if (!facts.isInWorkspace || !facts.isRealPathInWorkspace) {
    throw new ToolError('refused-path', 'Only images of the workspace can be sent.');
  }
  if (facts.kind !== 'file') throw new ToolError('bad-arguments', `${label} is not a file.`);
  if (isLikelySecret(facts.realPath) || isLikelySecret(facts.path)) {
    throw new ToolError('refused-path', `${label} may hold secrets.`);
  }
}

/**
 * Reads and encodes an image.
 * @throws ToolError if the file is too large or not an image
 */
async function readImage({ uri, label }: ResolvedPath): Promise<EncodedImage> {
  const { size } = await vscode.workspace.fs.stat(uri);
  const bytes = size > maxImageBytes ? undefined : await vscode.workspace.fs.readFile(uri);
  // The file may have grown after the call of `stat`.
  if (bytes === undefined || bytes.length > maxImageBytes) {
    throw new ToolError('too-large', `${label} is larger than 10 MB.`);
  }
  const content = detectFileContent(bytes);
  if (content.kind !== 'image') {
    throw new ToolError('bad-arguments', `${label} is not a PNG, JPEG or WebP image.`);
  }
  return {
    url: `data:${content.mediaType};base64,${Buffer.from(bytes).toString('base64')}`,
    digest: createHash('sha256').update(bytes).digest('base64'),
  };
}

interface EncodedImage {
  readonly url: string;
  readonly digest: string;
}

/**
 * Returns the first of these models that exists: the service's default vision model, the chat model if it supports
 * vision, and any vision model. If there is none, returns a model that does not report whether it supports vision,
 * preferably the chat model.
 * @throws ToolError if no model can support vision
 */
function chooseVisionModel({ models, chatModel }: Host['models']): Model {
  const candidates = selectChatModels(models).filter(
    ({ offline, capabilities }) =>
      !offline && capabilities.supportsVision !== false && !shouldEncryptChats({ capabilities }),
  );
  const confirmedModels = candidates.filter(
    ({ capabilities }) => capabilities.supportsVision === true,
  );
  const model =
    candidates.find(({ traits }) => traits.includes('default_vision')) ??
    confirmedModels.find(({ id }) => id === chatModel?.id) ??
    confirmedModels[0] ??
    candidates.find(({ id }) => id === chatModel?.id) ??
    candidates[0];
  if (model !== undefined) return model;
  throw new ToolError('failed', 'The service has no vision model.');
}
