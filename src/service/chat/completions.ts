import * as l10n from '@vscode/l10n';
import type { ChatEvent } from './chat-types.ts';
import {
  bindToService,
  resolveChatGuard,
  streamCall,
  type StreamCall,
  type StreamOptions,
} from './stream-chat.ts';
import type { Endpoint, ServiceContext } from '../http/client.ts';
import { getServerRoot } from '../http/endpoint.ts';
import type { ServiceFailure } from '../http/failure.ts';
import { toServiceError } from '../http/network-failure.ts';

/**
 * Body of `POST /completions`. The specification does not include this endpoint, but some servers for code models
 * support it. Ollama uses `suffix` for models with the capability `insert`; llama.cpp ignores it, and vLLM rejects it.
 * Without a suffix, `prompt` may contain the FIM tokens of the model. The response is a stream of chunks with
 * `choices[0].text`.
 */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt: string;
  /** Text after the gap that the model fills. */
  readonly suffix?: string;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}

/**
 * Body of `POST /infill`, a route of llama.cpp. The server adds the FIM tokens of its model to the prompt. A server
 * with several models selects one by `model`; other servers ignore the field.
 */
export interface InfillRequest {
  readonly model: string;
  readonly input_prefix: string;
  readonly input_suffix: string;
  /** Excerpts of other files that the model can use as context. */
  readonly input_extra: readonly { readonly filename: string; readonly text: string }[];
  /** Text between the prefix and the gap. The answer continues this text. */
  readonly prompt: string;
  readonly n_predict: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}

/**
 * Streams the text for the gap between `prompt` and `suffix` as chat events. Never throws: the last event is always
 * `stream-end`. The request is closed as soon as the caller leaves the iteration or aborts the signal. If chats with
 * the model are encrypted, sends nothing and fails with `protection-failed`, because only chats support encryption.
 */
export const streamCompletionBatches = (
  context: ServiceContext,
  request: CompletionRequest,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> =>
  streamUnencryptedCall(context, createCompletionCall(request), options);

/**
 * Streams the text for the gap between `input_prefix` and `input_suffix` like {@link streamCompletionBatches}, but from
 * llama.cpp's own route, which is outside of `/v1`.
 */
export function streamInfillBatches(
  context: ServiceContext,
  request: InfillRequest,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const getEndpoint = async (): Promise<Endpoint> => {
    const { baseUrl, ...rest } = await context.getEndpoint();
    return { ...rest, baseUrl: getServerRoot(baseUrl) };
  };
  return streamUnencryptedCall({ ...context, getEndpoint }, createInfillCall(request), options);
}

async function* streamUnencryptedCall(
  context: ServiceContext,
  call: StreamCall,
  options: StreamOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const boundOptions = await bindToService(context, options);
  const failure = await findProtectionFailure(context, call.request, boundOptions);
  if (failure !== undefined) {
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
    return;
  }
  for await (const batch of streamCall(context, call, boundOptions)) {
    yield batch.map(explainNotFound);
  }
}

/**
 * Returns a failure if chats with the model are encrypted; otherwise `undefined`. Text completions cannot be encrypted.
 */
async function findProtectionFailure(
  context: ServiceContext,
  { model }: StreamCall['request'],
  options: StreamOptions,
): Promise<ServiceFailure | undefined> {
  try {
    const { kind } = await resolveChatGuard(context, { model }, options);
    return kind === 'encrypted' ? createEncryptionFailure() : undefined;
  } catch (error) {
    return toServiceError(error).failure;
  }
}

const createCompletionCall = (request: CompletionRequest): StreamCall => ({
  kind: 'completion',
  request,
  path: '/completions',
  body: { ...request, stream: true, stream_options: { include_usage: true } },
  isOptionalRoute: true,
});

const createInfillCall = (request: InfillRequest): StreamCall => ({
  kind: 'completion',
  request,
  path: '/infill',
  body: { ...request, stream: true },
  isOptionalRoute: true,
});

/**
 * Replaces the message of a `not-found` failure, which suggests a wrong base URL. Servers may lack this optional
 * endpoint although the base URL is correct.
 */
function explainNotFound(event: ChatEvent): ChatEvent {
  if (event.type !== 'stream-end' || event.outcome.kind !== 'failed') return event;
  const { failure } = event.outcome;
  if (failure.code !== 'not-found') return event;
  return { ...event, outcome: { kind: 'failed', failure: explainMissingResource(failure) } };
}

function explainMissingResource(failure: ServiceFailure): ServiceFailure {
  return /\bmodel\b/i.test(failure.detail ?? '')
    ? { ...failure, code: 'model-not-found', message: getNoModelMessage() }
    : { ...failure, message: getNoRouteMessage(), refusesRoute: true };
}

const createEncryptionFailure = (): ServiceFailure => ({
  code: 'protection-failed',
  message: l10n.t(
    'Nothing was sent: this model’s requests are encrypted, and those of /completions cannot be. Set “Endpoint for suggestions” to "chat", or choose another model.',
  ),
});

const getNoModelMessage = (): string =>
  l10n.t('The service does not know this model, or no longer offers it. Choose another model.');
const getNoRouteMessage = (): string =>
  l10n.t(
    'This server has no route /completions. Set “Endpoint for suggestions” to "chat", or use a server that has the route.',
  );
