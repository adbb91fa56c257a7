import type { ChatRequest } from './chat-types.ts';

/** The body of `POST /chat/completions`, with the vendor word in the names that carry it (spec §2.3). */
export function chatBody(request: ChatRequest, vendorWord: string, stream: boolean): object {
  const { parameters, ...fields } = request;
  const body = stream ? { ...fields, stream, stream_options: { include_usage: true } } : fields;
  if (parameters === undefined) return body;
  const { include_system_prompt: systemPrompt, ...others } = parameters;
  const ownPrompt =
    systemPrompt === undefined ? {} : { [`include_${vendorWord}_system_prompt`]: systemPrompt };
  return { ...body, [`${vendorWord}_parameters`]: { ...others, ...ownPrompt } };
}
