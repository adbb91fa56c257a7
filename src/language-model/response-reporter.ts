import * as vscode from 'vscode';
import { isRecord, parseJson } from '../base/json.ts';
import { ToolCallAssembly } from '../conversation/tool-call-assembly.ts';
import { type DataPart, getDataPartClass } from '../platform/newer-vscode.ts';
import type { RequestedCall } from '../conversation/conversation.ts';
import type { ChatEvent, ResponseInfo, StreamOutcome, Usage } from '../service/chat/chat-types.ts';
import { formatRefusedPart } from '../service/chat/refused-parts.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

export interface ResponseReporterOptions {
  readonly reportPart: (part: vscode.LanguageModelResponsePart | DataPart) => void;
  /** Called when the service has accepted the request and the answer starts. */
  readonly onReply: (info: ResponseInfo) => void;
}

/**
 * Converts the events of one answer to VS Code response parts. Each answer needs a separate
 * reporter.
 */
export class ResponseReporter {
  readonly #options: ResponseReporterOptions;
  readonly #calls = new ToolCallAssembly();
  #hasReported = false;
  #usage: Usage | undefined;

  constructor(options: ResponseReporterOptions) {
    this.#options = options;
  }

  /**
   * Reports one event to VS Code.
   * @throws an error for VS Code if the answer failed
   */
  reportEvent(event: ChatEvent): void {
    switch (event.type) {
      case 'stream-start':
        this.#options.onReply(event.info);
        return;
      case 'text-delta':
        this.#reportPart(new vscode.LanguageModelTextPart(event.text));
        return;
      case 'reasoning-delta':
        if (event.text !== '') this.#reportThinking(event.text);
        return;
      case 'part-refused':
        this.#options.reportPart(
          new vscode.LanguageModelTextPart(`*${formatRefusedPart(event.part)}*\n\n`),
        );
        return;
      case 'tool-call-delta':
        this.#calls.add(event);
        return;
      case 'tool-call-invalid':
        this.#calls.addInvalidCall();
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'stream-end':
        this.#finishResponse(event.outcome);
        return;
      case 'request-start':
      case 'retry-wait':
      case 'citations':
      case 'protection':
    }
  }

  #finishResponse(outcome: StreamOutcome): void {
    if (outcome.kind === 'failed') throw toLanguageModelError(outcome.failure);
    for (const call of this.#calls.listCalls()) this.#reportPart(toToolCallPart(call));
    if (!this.#hasReported) this.#reportEmptyAnswer(outcome);
    this.#reportUsage();
  }

  #reportEmptyAnswer(outcome: CompleteOutcome): void {
    if (outcome.finishReason === 'content_filter') {
      throw vscode.LanguageModelError.Blocked(vscode.l10n.t('The service held the answer back.'));
    }
    // Reports a text, because VS Code shows an empty response as a failure without a reason.
    this.#reportPart(
      new vscode.LanguageModelTextPart(
        outcome.finishReason === 'length'
          ? vscode.l10n.t('The model used up its tokens before it began to answer.')
          : vscode.l10n.t('The model gave no usable answer. Retry, or choose another model.'),
      ),
    );
  }

  /**
   * Reports the token counts of the answer as a data part. VS Code's chat shows these counts as context usage. Reports
   * nothing in editors based on VS Code before 1.106, which lack data parts.
   */
  #reportUsage(): void {
    const Part = getDataPartClass();
    if (Part === undefined || this.#usage === undefined) return;
    const bytes = new TextEncoder().encode(JSON.stringify(toUsageData(this.#usage)));
    this.#options.reportPart(new Part(bytes, 'usage'));
  }

  #reportPart(part: vscode.LanguageModelResponsePart): void {
    this.#hasReported = true;
    this.#options.reportPart(part);
  }

  /**
   * Reports reasoning if the editor can show reasoning. The class of the response part is a proposed API, so some
   * editors lack this class or restrict its use.
   */
  #reportThinking(text: string): void {
    const { LanguageModelThinkingPart: Part } = vscode as ProposedApi;
    if (Part === undefined) return;
    try {
      this.#options.reportPart(new Part(text));
    } catch {
      // Drops reasoning that the editor cannot show.
    }
  }
}

type CompleteOutcome = Exclude<StreamOutcome, { readonly kind: 'failed' }>;

/** Converts token counts to an object with the property names that VS Code reads. */
const toUsageData = ({ promptTokens, completionTokens, totalTokens, ...details }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: totalTokens,
  prompt_tokens_details: { cached_tokens: details.cachedTokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: details.reasoningTokens ?? 0 },
});

interface ProposedApi {
  readonly LanguageModelThinkingPart?: new (text: string) => vscode.LanguageModelResponsePart;
}

/**
 * Converts a tool call.
 * @throws LanguageModelError if the call is malformed, because a call with unintended arguments
 *   could cause harm
 */
function toToolCallPart(call: RequestedCall): vscode.LanguageModelToolCallPart {
  const { name, arguments: text } = call.function;
  const input: unknown = text.trim() === '' ? {} : parseJson(text);
  if (call.problem !== undefined || !isRecord(input)) {
    throw new vscode.LanguageModelError(
      vscode.l10n.t('The model called the tool {0} in a way that cannot be read. Try again.', name),
    );
  }
  return new vscode.LanguageModelToolCallPart(call.id, name, input);
}

/**
 * Converts a failure to an error for VS Code, which shows the message unchanged. The message
 * contains the cause and the next step.
 */
export function toLanguageModelError({ code, message, detail }: ServiceFailure): Error {
  if (code === 'stopped') return new vscode.CancellationError();
  const text =
    detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
  if (permissionCodes.has(code)) return vscode.LanguageModelError.NoPermissions(text);
  if (code === 'model-not-found') return vscode.LanguageModelError.NotFound(text);
  if (code === 'content-policy') return vscode.LanguageModelError.Blocked(text);
  return new vscode.LanguageModelError(text);
}

/** Codes of failures that the user can resolve only through the account, for example with another key. */
const permissionCodes: ReadonlySet<FailureCode> = new Set([
  'no-address',
  'no-key',
  'payment-required',
  'invalid-key',
  'unauthorized',
  'forbidden',
  'model-access',
  'no-wallet',
  'no-pay-per-request',
  'sign-in-refused',
]);

/**
 * Returns an abort signal that aborts when a VS Code cancellation token is canceled. Disposing the result stops the
 * observation of the token.
 */
export function toAbortSignal(
  token: vscode.CancellationToken,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: () => void subscription.dispose() };
}
