import * as v from 'valibot';
import { isRecord } from '../../../src/base/json.ts';
import { ApiError } from '../api-error.ts';
import { parseOpen, requireModelName } from '../validation.ts';
import { chatBodySchema } from './body.ts';
import { type ChatCall, parseChatCall } from './call.ts';

const { model, stream, stream_options, temperature, top_p, stop, seed } = chatBodySchema.entries;

/**
 * Schema of the body of `POST /completions`. Unknown keys are dropped, as on simple completion
 * servers.
 */
export const completionBodySchema = v.object({
  model,
  prompt: v.string(),
  suffix: v.nullish(v.string()),
  max_tokens: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  stream,
  stream_options,
  temperature,
  top_p,
  stop,
  seed,
});

/**
 * Converts a text completion request to a chat call with one message. The message contains the prompt and the suffix
 * with FIM tokens.
 */
export function parseCompletionCall(
  rawBody: unknown,
  state: Parameters<typeof parseChatCall>[1],
): ChatCall {
  if (!isRecord(rawBody)) throw new ApiError(400, 'Invalid JSON request');
  requireModelName(rawBody['model']);
  const { prompt, suffix, ...fields } = parseOpen(completionBodySchema, rawBody);
  // A prompt that already contains FIM tokens stays unchanged.
  const content = `<|fim_prefix|>${prompt}<|fim_suffix|>${suffix ?? ''}<|fim_middle|>`;
  const hasFimTokens = (suffix ?? '') === '' && prompt.includes('<|fim_suffix|>');
  return parseChatCall(
    {
      ...fields,
      messages: [{ role: 'user', content: hasFimTokens ? prompt : content }],
      [state.naming.getFieldName('service_parameters')]: {
        [state.naming.getFieldName('include_service_system_prompt')]: false,
      },
    },
    state,
  );
}
