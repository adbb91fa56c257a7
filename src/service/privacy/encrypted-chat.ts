import * as l10n from '@vscode/l10n';
import { omitUndefined } from '../../base/json.ts';
import { createChatRequestBody, ThinkTagSplitter } from '../chat/chat-chunk.ts';
import { listModelFields } from '../chat/optional-fields.ts';
import type {
  ChatEvent,
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ServiceParameters,
  StreamOutcome,
  ToolCall,
} from '../chat/chat-types.ts';
import type { AnswerProtection, ChatGuard, OmittedFeature } from '../chat/protection.ts';
import { ServiceError, type ServiceFailure } from '../http/failure.ts';
import type { ServiceCall } from '../http/request.ts';
import { splitModelId, parseModelSuffix } from '../model-suffix.ts';
import { decodeHex, encodeHex } from './bytes.ts';
import {
  createKeyPair,
  type KeyPair,
  SealedTextOpener,
  type RandomBytes,
  sealText,
} from './sealed-text.ts';

/** Request that can be encrypted, and the features that were removed from it. */
export interface EncryptableRequest {
  readonly request: PlainRequest;
  readonly omittedFeatures: readonly OmittedFeature[];
}

/**
 * Request that can be encrypted: the content of each message is a single text, and no other field reveals message
 * content.
 */
export type PlainRequest = Pick<
  ChatRequest,
  | 'model'
  | 'temperature'
  | 'top_p'
  | 'max_completion_tokens'
  | 'seed'
  | 'reasoning_effort'
  | 'verbosity'
  | 'parameters'
> & { readonly messages: readonly PlainMessage[] };

export interface PlainMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * Removes all request fields that would reveal content, because only message texts are encrypted. Removes tools, web
 * search, images, files, response formats and personas. Converts earlier tool calls and tool results to text.
 */
export function toEncryptableRequest(request: ChatRequest): EncryptableRequest {
  const { model, temperature, top_p, max_completion_tokens, seed } = request;
  const { reasoning_effort, verbosity } = request;
  return {
    request: omitUndefined({
      // The suffix of a model id can enable features that encryption does not support.
      model: splitModelId(model).base,
      messages: request.messages.map(createPlainMessage),
      temperature,
      top_p,
      max_completion_tokens,
      seed,
      reasoning_effort,
      verbosity,
      parameters: selectPlainParameters(request.parameters),
    }),
    omittedFeatures: listOmittedFeatures(request),
  };
}

/**
 * Returns the vendor parameters that an encrypted request may contain. Disables the system prompt of the service,
 * because the service cannot combine its prompt with encrypted messages.
 */
const selectPlainParameters = (parameters: ServiceParameters = {}): ServiceParameters =>
  omitUndefined({
    strip_thinking_response: parameters.strip_thinking_response,
    disable_thinking: parameters.disable_thinking,
    include_system_prompt: false,
    enable_web_search: 'off' as const,
    enable_e2ee: true,
  });

function createPlainMessage(message: ChatRequestMessage): PlainMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `What the tool returned:\n${message.content}` };
  }
  const { role } = message;
  if (role === 'assistant') {
    const callTexts = (message.tool_calls ?? []).map(formatToolCall);
    return { role, content: [message.content ?? '', ...callTexts].filter(Boolean).join('\n') };
  }
  const { content } = message;
  return {
    role,
    content: typeof content === 'string' ? content : content.map(toPlainText).join('\n'),
  };
}

const formatToolCall = ({ function: { name, arguments: args } }: ToolCall): string =>
  `[Called ${name} with ${args}]`;

function toPlainText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file'
    ? `[A file is left out: ${part.file.filename}]`
    : '[A picture is left out]';
}

function listOmittedFeatures(request: ChatRequest): OmittedFeature[] {
  const { tools = [], response_format: format, messages, parameters = {}, model } = request;
  // The suffix of a model id takes precedence over the parameters.
  const effectiveParameters: Readonly<Record<string, unknown>> = {
    ...parameters,
    ...parseModelSuffix(model),
  };
  const searchMode = effectiveParameters['enable_web_search'] ?? 'off';
  const isScrapingEnabled = String(effectiveParameters['enable_web_scraping']) === 'true';
  const contentParts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const hasContentPart = (type: ContentPart['type']): boolean =>
    contentParts.some((part: ContentPart) => part.type === type);
  const omissions: readonly (readonly [OmittedFeature, boolean])[] = [
    ['tools', tools.length > 0],
    ['web-search', searchMode !== 'off' || isScrapingEnabled],
    ['pictures', hasContentPart('image_url')],
    ['files', hasContentPart('file')],
    ['format', format !== undefined && format['type'] !== 'text'],
    ['persona', effectiveParameters['character_slug'] !== undefined],
    ['options', request.stop !== undefined || request.extraFields !== undefined],
  ];
  return omissions.filter(([, isLeftOut]) => isLeftOut).map(([name]) => name);
}

/** Decrypts the events of one answer in order. Each chunk of text is a separate ciphertext. */
export class EncryptedAnswerReader {
  readonly #opener: SealedTextOpener;
  readonly #protection: AnswerProtection;
  readonly #content: ThinkTagSplitter;
  #hasReasoningField = false;
  #hasBegun = false;
  #batch: ChatEvent[] = [];
  /** True after the end of the answer. The caller must ignore further events. */
  hasEnded = false;

  constructor(privateKey: Uint8Array, protection: AnswerProtection) {
    this.#opener = new SealedTextOpener(privateKey);
    this.#protection = protection;
    this.#content = new ThinkTagSplitter({
      onText: (text) => this.#batch.push({ type: 'text-delta', text }),
      onReasoning: (text) => {
        // Some services send the same reasoning in both a field and a `<think>` block.
        if (!this.#hasReasoningField) this.#batch.push({ type: 'reasoning-delta', text });
      },
    });
  }

  /** Decrypts events. Never throws: an invalid event ends the answer with a failure. */
  async read(events: readonly ChatEvent[]): Promise<readonly ChatEvent[]> {
    this.#batch = [];
    for (const event of events) {
      try {
        await this.#handleEvent(event);
      } catch {
        this.#endStream({ kind: 'failed', failure: createProtectionFailure() });
      }
      if (this.hasEnded) break;
    }
    return this.#batch;
  }

  async #handleEvent(event: ChatEvent): Promise<void> {
    switch (event.type) {
      case 'text-delta':
        this.#content.splitText(await this.#opener.open(event.text));
        return;
      case 'reasoning-delta': {
        const text = await this.#opener.open(event.text);
        this.#hasReasoningField = true;
        this.#batch.push({ type: 'reasoning-delta', text });
        return;
      }
      case 'tool-call-delta':
      case 'tool-call-invalid':
        throw new Error(
          'The service sent an unencrypted tool call, but the request offered no tools.',
        );
      case 'citations':
      case 'protection':
        // The request enabled no search, so citations and other plain additions do not belong to the answer.
        return;
      case 'stream-end':
        this.#endStream(event.outcome);
        return;
      case 'stream-start':
        this.#hasBegun = true;
        this.#batch.push({ ...event, protection: this.#protection });
        return;
      default:
        this.#batch.push(event);
    }
  }

  #endStream(outcome: StreamOutcome): void {
    this.hasEnded = true;
    this.#content.emitWithheldText();
    const isProtectionBroken =
      outcome.kind === 'failed' && outcome.failure.code === 'protection-failed';
    if (this.#hasBegun && !isProtectionBroken)
      this.#batch.push({ type: 'protection', protection: this.#protection });
    this.#batch.push({ type: 'stream-end', outcome });
  }
}

const createProtectionFailure = (): ServiceFailure => ({
  code: 'protection-failed',
  message: l10n.t(
    'The answer was stopped: a part of it was not encrypted as promised, or was changed on the way. Retry, or choose another model.',
  ),
});

/** Request of an encrypted chat, ready to be sent. */
interface SealedCall extends Pick<ServiceCall, 'path' | 'body' | 'headers' | 'optionalFields'> {
  readonly kind: 'chat';
  readonly request: PlainRequest;
}

export interface EncryptedOptions {
  readonly guard: Extract<ChatGuard, { kind: 'encrypted' }>;
  readonly randomBytes: RandomBytes;
  /** Sends the encrypted request and streams the events of the answer. Never throws: the last event is `stream-end`. */
  readonly stream: (call: SealedCall) => AsyncIterable<readonly ChatEvent[]>;
}

/**
 * Streams the answer to an end-to-end encrypted chat. Messages are encrypted for the enclave's key, and answer chunks
 * for a key that is used only for this request. Never throws: unencrypted content ends the answer with
 * `protection-failed`, and earlier events remain valid. Does not prove who encrypted the chunks or in which order,
 * because anyone who sees the request can encrypt for its public key.
 */
export async function* streamEncryptedChat(
  request: ChatRequest,
  { guard, randomBytes, stream }: EncryptedOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const { request: plainRequest, omittedFeatures } = toEncryptableRequest(request);
  const keyPair = createKeyPair(randomBytes);
  const call = await createSealedCall(plainRequest, { guard, keyPair, randomBytes }).catch(
    createEncryptionError,
  );
  if (call instanceof ServiceError) {
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure: call.failure } }];
    return;
  }
  const { checkedAt, publicKey } = guard;
  const answerReader = new EncryptedAnswerReader(keyPair.privateKey, {
    kind: 'encrypted',
    checkedAt,
    publicKey,
    leftOut: omittedFeatures,
  });
  for await (const batch of stream(call)) {
    const events = await answerReader.read(batch);
    if (events.length > 0) yield events;
    if (answerReader.hasEnded) return;
  }
}

interface SealingOptions {
  readonly guard: EncryptedOptions['guard'];
  readonly keyPair: KeyPair;
  readonly randomBytes: RandomBytes;
}

/**
 * Encrypts the messages and creates the call.
 * @throws Error if the enclave's key is invalid.
 */
async function createSealedCall(
  plainRequest: PlainRequest,
  { guard, keyPair, randomBytes }: SealingOptions,
): Promise<SealedCall> {
  const recipientKey = decodeHex(guard.publicKey) ?? new Uint8Array();
  const messages = await Promise.all(
    plainRequest.messages.map(async (message) => ({
      ...message,
      content: await sealText(message.content, recipientKey, randomBytes),
    })),
  );
  const sealedRequest: ChatRequest = { ...plainRequest, messages };
  return {
    kind: 'chat',
    // Usage is estimated from the unencrypted texts, because the ciphertext is several times as long.
    request: plainRequest,
    path: '/chat/completions',
    body: (vendorPrefix) => createChatRequestBody(sealedRequest, vendorPrefix, true),
    // Nothing is left out automatically. Without the field, the messages stay encrypted, and a plain answer fails.
    optionalFields: [
      ...listModelFields(sealedRequest, true),
      {
        path: 'parameters.enable_e2ee',
        key: 'parameters.enable_e2ee:true',
        chosenName: l10n.t('the field that requests encryption'),
      },
    ],
    headers: (vendorPrefix) => ({
      [`x-${vendorPrefix}-tee-client-pub-key`]: encodeHex(keyPair.publicKey),
      [`x-${vendorPrefix}-tee-model-pub-key`]: guard.publicKey,
      [`x-${vendorPrefix}-tee-signing-algo`]: 'ecdsa',
    }),
  };
}

const createEncryptionError = (): ServiceError => new ServiceError(createEncryptionFailure());

const createEncryptionFailure = (): ServiceFailure => ({
  code: 'protection-failed',
  message: l10n.t(
    'Nothing was sent: the messages could not be encrypted to the key of the model’s enclave. Retry, or choose another model.',
  ),
});
