import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Host } from '../host.ts';
import type { LazyChatImages } from '../image/image-generator.ts';
import { ChatProvider } from './chat-provider.ts';
import { Participant } from './participant/participant.ts';
import { createNativeTools } from './tools/native-tools.ts';
import type { NativeToolName } from './registration.ts';
import { isRecord } from '../base/json.ts';
import { createToolResult } from '../platform/newer-vscode.ts';
import { PendingPlans } from '../platform/pending-plans.ts';
import { toAbortSignal } from './response-reporter.ts';
import { type NativeTool, type PlannedCall, toToolError } from './tools/native-tool.ts';

/** Models, tools and chat participant that the extension provides to VS Code. Loaded on first use. */
export class NativeRuntime implements Disposable {
  readonly provider: ChatProvider;
  readonly tools: Readonly<Record<NativeToolName, NativeLanguageModelTool>>;
  readonly participant: Participant;

  constructor(host: Host, images: LazyChatImages, changeEmitter: vscode.EventEmitter<void>) {
    this.provider = new ChatProvider(host, () => changeEmitter.fire());
    const { searchWeb, readPage, describeImage, speak } = createNativeTools(host);
    this.tools = {
      searchWeb: new NativeLanguageModelTool(searchWeb, host),
      readPage: new NativeLanguageModelTool(readPage, host),
      describeImage: new NativeLanguageModelTool(describeImage, host),
      speak: new NativeLanguageModelTool(speak, host),
    };
    this.participant = new Participant(host, images, this.provider);
  }

  dispose(): void {
    this.provider.dispose();
  }
}

/** Input of a tool. The manifest describes the input, but other extensions may send any value. */
type NativeToolInput = Readonly<Record<string, unknown>>;

/**
 * Adapter that provides a tool of the extension, such as web search, to VS Code's chat and other extensions. The call
 * sends or writes exactly the content that the confirmation in VS Code shows.
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
   * @throws Error if the call cannot be planned. The message is for the calling model.
   */
  async prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<NativeToolInput>): Promise<vscode.PreparedToolInvocation> {
    const call = await this.#planCall(input);
    this.#confirmedPlans.add(input, call);
    const { question, detail, progressMessage } = call;
    const message = new vscode.MarkdownString();
    message.appendCodeblock(detail, 'text');
    return {
      invocationMessage: progressMessage,
      confirmationMessages: { title: question, message },
    };
  }

  /**
   * Runs the call that the user confirmed.
   * @throws Error if the call fails. The message is for the calling model.
   */
  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<NativeToolInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    using cancellation = toAbortSignal(token);
    assertTrusted();
    const call = this.#confirmedPlans.takePlan(input);
    if (call === undefined) throw new Error(notConfirmedText);
    try {
      const { text, data, images = [] } = await call.run(cancellation.signal);
      return createToolResult({
        text,
        data,
        images: images.map((image) => ({
          bytes: Buffer.from(image.data, 'base64'),
          mimeType: image.mediaType,
        })),
      });
    } catch (error) {
      if (cancellation.signal.aborted) throw new vscode.CancellationError();
      throw new Error(toToolError(error).message, { cause: error });
    }
  }

  async #planCall(input: unknown): Promise<PlannedCall> {
    assertTrusted();
    await this.#loadModels();
    return this.#tool.plan(isRecord(input) ? input : {});
  }

  async #loadModels(): Promise<void> {
    if (this.#host.models.models.length === 0) await this.#host.models.refresh();
  }
}

const notConfirmedText =
  'The user has not confirmed this call. Nothing was sent. Call the tool again.';

function assertTrusted(): void {
  if (vscode.workspace.isTrusted) return;
  throw new Error('The user does not trust this workspace, so its tools are disabled.');
}
