import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { ImageRecord } from '../image-record.ts';
import { chooseImageFolder, authorizeFolder } from './image-location.ts';
import type { ImageServices } from './image-services.ts';
import { formatSavedImage, refusedImageText } from '../image-text.ts';
import { planToolRequest, type PlannedGeneration, readToolRequest } from './plan-image.ts';
import { createToolResult } from '../../platform/newer-vscode.ts';
import { PendingPlans } from '../../platform/pending-plans.ts';
import { formatFileError } from './image-failure.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/** Tool input. Other extensions may send values that differ from the schema in the manifest. */
export type ImageToolInput = Readonly<Record<string, unknown>>;

/**
 * Image tool for agents in VS Code. VS Code shows the model, price and prompt in its confirmation. The call uses
 * exactly these values, even if settings change before it runs.
 */
export class ImageLanguageModelTool implements vscode.LanguageModelTool<ImageToolInput> {
  readonly #services: ImageServices;
  readonly #pendingPlans = new PendingPlans(formatVisiblePlan);

  constructor(services: ImageServices) {
    this.#services = services;
  }

  /**
   * Plans a call and returns the confirmation for VS Code to show.
   * @throws Error with instructions for the calling model
   */
  async prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<ImageToolInput>): Promise<vscode.PreparedToolInvocation> {
    const plan = await this.#planCall(input);
    this.#pendingPlans.add(input, plan);
    const { description, price, request } = plan;
    const message = new vscode.MarkdownString();
    message.appendText(description);
    message.appendCodeblock(request.prompt, 'text');
    if (request.negativePrompt !== undefined) {
      message.appendText(vscode.l10n.t('Without: {0}', request.negativePrompt));
    }
    return {
      invocationMessage: vscode.l10n.t('Generating'),
      confirmationMessages: {
        title:
          price === ''
            ? vscode.l10n.t('Generate an image?')
            : vscode.l10n.t('Generate an image for {0}?', price),
        message,
      },
    };
  }

  /**
   * Executes the call that the user confirmed.
   * @throws Error with instructions for the calling model
   */
  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<ImageToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    assertTrusted();
    const plan = this.#takePendingPlan(input);
    const record = await this.#generateImage(plan, token);
    const bytes = await readFile(this.#services.gallery.getImagePath(record));
    const image = { bytes, mimeType: `image/${record.format}` };
    return createToolResult({ text: await this.#saveImage(record), images: [image] });
  }

  /**
   * Plans a call for a caller outside of VS Code's chat.
   * @returns the text of the confirmation, the price, and a function that executes exactly this call
   */
  async planCall(input: ImageToolInput) {
    const plan = await this.#planCall(input);
    const { description, price, request, task } = plan;
    return {
      question:
        price === ''
          ? vscode.l10n.t('Generate an image?')
          : vscode.l10n.t('Generate an image for {0}?', price),
      detail: [description, request.prompt, request.negativePrompt ?? ''].join('\n\n').trim(),
      expectedCost: task.price?.usd ?? task.price?.diem ?? 0,
      run: async (token: vscode.CancellationToken) => {
        assertTrusted();
        const record = await this.#generateImage(plan, token);
        const data = (await readFile(this.#services.gallery.getImagePath(record))).toString(
          'base64',
        );
        return {
          text: await this.#saveImage(record),
          images: [{ data, mediaType: `image/${record.format}` } as const],
          cost: record.price ?? {},
        };
      },
    };
  }

  #takePendingPlan(input: ImageToolInput): PlannedGeneration {
    const plan = this.#pendingPlans.takePlan(input);
    if (plan !== undefined) return plan;
    throw new Error(
      'The confirmed request is unknown. Nothing was created or charged. Call the tool again.',
    );
  }

  async #planCall(input: ImageToolInput): Promise<PlannedGeneration> {
    assertTrusted();
    await this.#services.loadModels();
    return planToolRequest(this.#services, readToolRequest(input));
  }

  async #generateImage(
    plan: PlannedGeneration,
    token: vscode.CancellationToken,
  ): Promise<ImageRecord> {
    const canceller = new AbortController();
    if (token.isCancellationRequested) canceller.abort();
    const subscription = token.onCancellationRequested(() => canceller.abort());
    try {
      const { signal } = canceller;
      const { records, failure } = await this.#services.run(plan.task, {
        signal,
        onProgress: () => {},
      });
      if (signal.aborted) throw new vscode.CancellationError();
      const [record] = records;
      if (record === undefined) {
        throw new ToolError('failed', `No image was made. ${failure?.message ?? ''}`.trim());
      }
      if (record.moderation.contentViolation) {
        throw new ToolError('failed', refusedImageText);
      }
      return record;
    } finally {
      subscription.dispose();
    }
  }

  /**
   * Saves the image as a file.
   * @returns the tool result. If the file cannot be saved, the result states that the image is only in the gallery.
   */
  async #saveImage(record: ImageRecord): Promise<string> {
    const choice = chooseImageFolder(undefined);
    const notSavedText = 'The image was not saved as a file. It is in the gallery of the user.';
    if (choice.kind === 'problem') return `${notSavedText} ${choice.text}`;
    const folder = choice.kind === 'ask' ? undefined : await authorizeFolder(choice.folder);
    if (folder === undefined) return notSavedText;
    try {
      const file = await this.#services.saver.save(record, folder);
      return formatSavedImage(record, vscode.workspace.asRelativePath(file));
    } catch (error) {
      return `${notSavedText} ${formatFileError(error)}`;
    }
  }
}

/**
 * Joins all values of a plan that the confirmation shows into one string, to compare two plans. Omits the seed, which
 * is random.
 */
function formatVisiblePlan({ description, price, request }: PlannedGeneration): string {
  return JSON.stringify([description, price, { ...request, seed: undefined }]);
}

function assertTrusted(): void {
  if (vscode.workspace.isTrusted) return;
  throw new ToolError(
    'failed',
    'The user does not trust this workspace: no image is created in it.',
  );
}
