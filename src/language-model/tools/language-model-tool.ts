import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import type { Host } from '../../host.ts';
import { PendingPlans } from '../../platform/pending-plans.ts';
import { toAbortSignal } from '../errors.ts';
import { type NativeTool, type PlannedCall, toToolError } from './native-tool.ts';

/** Input of a tool. The manifest describes it, but other extensions may send any value. */
export type NativeToolInput = Readonly<Record<string, unknown>>;

/**
 * Adapter that offers a native tool to VS Code's chat and other extensions. VS Code shows the user
 * exactly the content that is sent or written after the confirmation.
 */
export class NativeLanguageModelTool implements vscode.LanguageModelTool<NativeToolInput> {
  readonly #tool: NativeTool;
  readonly #host: Host;
  readonly #confirmedPlans = new PendingPlans<PlannedCall>(({ question, detail }) =>
    JSON.stringify([question, detail]),
  );

  constructor(tool: NativeTool, host: Host) {
    this.#tool = tool;
    this.#host = host;
  }

  /**
   * Plans the call and returns its confirmation for the user.
   * @throws Error with instructions for the calling model
   */
  async prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<NativeToolInput>): Promise<vscode.PreparedToolInvocation> {
    const call = await this.#plan(input);
    this.#confirmedPlans.add(input, call);
    const { question, detail, progress } = call;
    const message = new vscode.MarkdownString();
    message.appendCodeblock(detail, 'text');
    return {
      invocationMessage: progress,
      confirmationMessages: { title: question, message },
    };
  }

  /**
   * Runs the call that the user confirmed.
   * @throws Error with instructions for the calling model
   */
  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<NativeToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    using cancellation = toAbortSignal(token);
    assertTrusted();
    const call = this.#confirmedPlans.takeMatching(input);
    if (call === undefined) throw new Error(notConfirmed);
    try {
      const { text, data, images = [] } = await call.run(cancellation.signal);
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(text),
        ...(data === undefined ? [] : [vscode.LanguageModelDataPart.json(data)]),
        ...images.map((image) =>
          vscode.LanguageModelDataPart.image(Buffer.from(image.data, 'base64'), image.mediaType),
        ),
      ]);
    } catch (error) {
      if (cancellation.signal.aborted) throw new vscode.CancellationError();
      throw new Error(toToolError(error).message, { cause: error });
    }
  }

  async #plan(input: unknown): Promise<PlannedCall> {
    assertTrusted();
    await this.#loadModels();
    return this.#tool.plan(isRecord(input) ? input : {});
  }

  async #loadModels(): Promise<void> {
    if (this.#host.models.models.length === 0) await this.#host.models.refresh();
  }
}

const notConfirmed = 'The user has not confirmed this call. Nothing was sent. Call the tool again.';

function assertTrusted(): void {
  if (vscode.workspace.isTrusted) return;
  throw new Error('The user does not trust this workspace, so its tools are disabled.');
}
