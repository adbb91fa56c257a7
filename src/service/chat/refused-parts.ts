import * as l10n from '@vscode/l10n';
import type { ServiceFailure } from '../http/failure.ts';
import type { RefusedPart } from '../http/refusal.ts';
import { listDocumentNames, refusedFilePattern } from './optional-fields.ts';
import type { ChatEvent, ChatRequest, ChatRequestMessage, ContentPart } from './chat-types.ts';

/** Stores the request parts that a model rejected, so that later requests omit these parts. */
export interface RefusalMemory {
  /** Records that a model rejected tools, images or the size of a request. Ignores other failures. Never throws. */
  recordRefusal(model: string, failure: ServiceFailure): void;
}

/**
 * Streams the answer to a chat. If the model rejects tools or images before it answers, emits `part-refused` and
 * repeats the request without that part. A request that requires a tool call is not repeated without tools.
 */
export async function* repeatWithoutRefusedParts(
  request: ChatRequest,
  send: (request: ChatRequest) => AsyncIterable<readonly ChatEvent[]>,
  memory: RefusalMemory | undefined,
): AsyncGenerator<readonly ChatEvent[]> {
  let remainingRequest = request;
  for (;;) {
    let nextRequest: ChatRequest | undefined;
    let hasContent = false;
    for await (const batch of send(remainingRequest)) {
      hasContent ||= batch.some(isContentEvent);
      const failure = findFailure(batch);
      if (failure !== undefined) memory?.recordRefusal(request.model, failure);
      const part = hasContent ? undefined : failure?.refusedPart;
      nextRequest = part && removePart(remainingRequest, part);
      if (failure === undefined || part === undefined || nextRequest === undefined) {
        yield hasContent ? batch : explainRefusedFile(batch, remainingRequest, failure);
        continue;
      }
      yield [{ type: 'part-refused', part, failure }];
      break;
    }
    if (nextRequest === undefined) return;
    remainingRequest = nextRequest;
  }
}

/** Returns the message that a request was sent again without tools or images. */
export const formatRefusedPart = (part: RefusedPart): string =>
  part === 'tools'
    ? l10n.t('This model refused the tools, so the request was sent without them.')
    : l10n.t('This model refused the images, so the request was sent without them.');

/**
 * Replaces the message of a failure about documents with one that names the documents of the request. Does not change
 * other failures, or failures after which the user can choose to send the request without its documents.
 */
function explainRefusedFile(
  batch: readonly ChatEvent[],
  { messages }: ChatRequest,
  failure: ServiceFailure | undefined,
): readonly ChatEvent[] {
  const text = `${failure?.message ?? ''} ${failure?.detail ?? ''}`;
  if (
    failure === undefined ||
    failure.code === 'unsupported-option' ||
    !refusedFilePattern.test(text)
  )
    return batch;
  const documentNames = listDocumentNames(messages);
  if (documentNames.length === 0) return batch;
  const message = l10n.t(
    'This service accepts no documents: {0}. Remove the document and paste its text instead.',
    documentNames.join(', '),
  );
  const explainedFailure: ServiceFailure = { ...failure, code: 'unsupported-feature', message };
  return [
    ...batch.slice(0, -1),
    { type: 'stream-end', outcome: { kind: 'failed', failure: explainedFailure } },
  ];
}

const isContentEvent = ({ type }: ChatEvent): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-delta';

function findFailure(batch: readonly ChatEvent[]): ServiceFailure | undefined {
  const lastEvent = batch.at(-1);
  return lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed'
    ? lastEvent.outcome.failure
    : undefined;
}

/**
 * Returns the request without tools or images; `undefined` if the request does not contain that part or requires a tool
 * call.
 */
function removePart(request: ChatRequest, part: RefusedPart): ChatRequest | undefined {
  if (part === 'images') return removeImages(request);
  const { tools, tool_choice: choice, parallel_tool_calls: _, ...rest } = request;
  const isRequired = choice === 'required' || typeof choice === 'object';
  return tools === undefined || isRequired ? undefined : rest;
}

function removeImages(request: ChatRequest): ChatRequest | undefined {
  const messages = request.messages.map(removeImageParts);
  const hasChanged = messages.some((message, index) => message !== request.messages[index]);
  return hasChanged ? { ...request, messages } : undefined;
}

function removeImageParts(message: ChatRequestMessage): ChatRequestMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  if (!message.content.some(({ type }) => type === 'image_url')) return message;
  const content = message.content.map((part): ContentPart =>
    part.type === 'image_url' ? omittedImage : part,
  );
  // Servers of text models often accept only text as the content.
  const texts = content.filter((part) => part.type === 'text');
  const isText = texts.length === content.length;
  return { ...message, content: isText ? texts.map(({ text }) => text).join('\n\n') : content };
}

const omittedImage: ContentPart = {
  type: 'text',
  text: '[An image was left out: this model accepts no images.]',
};
