import * as v from 'valibot';
import { isRecord } from '../../../src/base/json.ts';
import { ApiError } from '../api-error.ts';
import { parseOpen, requireModel } from '../validation.ts';
import { chatBody } from './body.ts';
import { type ChatCall, parseChatCall } from './call.ts';

const { model, stream, stream_options, temperature, top_p, stop, seed } = chatBody.entries;

/** The body of `POST /completions`; such servers pass over what they do not know. */
const completionBody = v.object({
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

/** A completion as the call of a chat whose only message has the hole, marked as models were trained with. */
export function parseCompletionCall(
  raw: unknown,
  state: Parameters<typeof parseChatCall>[1],
): ChatCall {
  if (!isRecord(raw)) throw new ApiError(400, 'Invalid JSON request');
  requireModel(raw['model']);
  const { prompt, suffix, ...fields } = parseOpen(completionBody, raw);
  // A prompt may have its own marks, in which case these stand around them.
  const content = `<|fim_prefix|>${prompt}<|fim_suffix|>${suffix ?? ''}<|fim_middle|>`;
  const isMarked = (suffix ?? '') === '' && prompt.includes('<|fim_suffix|>');
  return parseChatCall(
    {
      ...fields,
      messages: [{ role: 'user', content: isMarked ? prompt : content }],
      service_parameters: { include_service_system_prompt: false },
    },
    state,
  );
}
