import { requireAvailableModel } from '../availability.ts';
import type { TextModel } from '../catalog/model.ts';
import { findCharacter } from '../characters/characters.ts';
import { ApiError } from '../api-error.ts';
import { createCustomIssue, createInvalidRequestError, type Issue } from '../validation.ts';
import type { ChatBody } from './body.ts';
import type { ChatCall } from './call.ts';
import { findToolResultIssues, findToolDefinitionIssues } from './message-order.ts';
import { listContentParts } from './messages.ts';
import { countRequestTokens } from './tokens.ts';

/**
 * Validates a chat call.
 * @throws ApiError if the model is unavailable, lacks a required capability, or has a context that is too short for the
 * request
 */
export function validateChatCall(call: ChatCall): void {
  requireAvailableModel(call.model);
  const issues = [
    ...findCapabilityIssues(call.model, call.body),
    ...findPartCountIssues(call.body),
    ...findToolResultIssues(call.body),
    ...findToolDefinitionIssues(call.body),
    ...findLengthIssues(call),
  ];
  if (issues.length > 0) throw createInvalidRequestError(issues);
  checkCharacter(call.settings.character_slug);
  checkContext(call);
}

function findCapabilityIssues({ capabilities }: TextModel, body: ChatBody): Issue[] {
  const format = body.response_format?.type ?? 'text';
  const featureUses = [
    ['messages', hasContentPart(body, 'image_url'), capabilities.supportsVision],
    ['messages', hasContentPart(body, 'video_url'), capabilities.supportsVideoInput],
    ['messages', hasContentPart(body, 'input_audio'), capabilities.supportsAudioInput],
    ['tools', body.tools?.length, capabilities.supportsFunctionCalling],
    ['tool_choice', body.tool_choice, capabilities.supportsFunctionCalling],
    ['parallel_tool_calls', body.parallel_tool_calls, capabilities.supportsFunctionCalling],
    ['response_format', format !== 'text', capabilities.supportsResponseSchema],
    ['logprobs', body.logprobs, capabilities.supportsLogProbs],
    ['top_logprobs', body.top_logprobs, capabilities.supportsLogProbs],
  ] as const;
  return featureUses
    .filter(([, isUsed, isSupported]) => Boolean(isUsed) && !isSupported)
    .map(([field]) => createCustomIssue([field], `${field} is not supported by this model`));
}

const hasContentPart = (body: ChatBody, type: string): boolean =>
  body.messages.some((message) => listContentParts(message).some((part) => part.type === type));

const maxPartCounts = { image_url: 10, input_audio: 5 } as const;

function findPartCountIssues(body: ChatBody): Issue[] {
  return body.messages.flatMap((message, index) => {
    const parts = listContentParts(message);
    return Object.entries(maxPartCounts)
      .filter(([type, maxCount]) => parts.filter((part) => part.type === type).length > maxCount)
      .map(([type, maxCount]) =>
        createCustomIssue(
          ['messages', index, 'content'],
          `At most ${maxCount} ${type} parts are allowed`,
        ),
      );
  });
}

function findLengthIssues({ body, model }: ChatCall): Issue[] {
  const requestedTokens = body.max_completion_tokens ?? 0;
  if (requestedTokens <= model.maxCompletionTokens) return [];
  const message = `Number must be less than or equal to ${model.maxCompletionTokens}`;
  return [createCustomIssue(['max_completion_tokens'], message)];
}

function checkCharacter(slug: string | undefined): void {
  if (slug === undefined || findCharacter(slug) !== undefined) return;
  throw new ApiError(404, 'No character could be found from the provided character_slug');
}

function checkContext(call: ChatCall): void {
  const { contextTokens } = call.model;
  const { max_completion_tokens: outputLimit, max_tokens: legacyLimit = 0 } = call.body;
  const neededTokens = countRequestTokens(call) + (outputLimit ?? Math.max(0, legacyLimit));
  if (neededTokens <= contextTokens) return;
  throw new ApiError(400, {
    error: {
      message: `This model's maximum context length is ${contextTokens} tokens, but the request needs ${neededTokens}. Please reduce your prompt or completion length.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  });
}
