import { isRecord, type JsonRecord, readStringOr } from '../../../src/base/json.ts';
import { type ChatCall, parseChatCall } from '../chat/call.ts';
import { ApiError } from '../api-error.ts';
import {
  createCustomIssue,
  createInvalidRequestError,
  parseOpen,
  requireModelName,
} from '../validation.ts';
import { type ResponsesBody, createResponsesBodySchema } from './body.ts';
import { convertInputToMessages } from './input.ts';

/** Converts the body of `POST /responses` to an equivalent chat call. */
export function parseResponsesCall(
  rawBody: unknown,
  state: Parameters<typeof parseChatCall>[1],
): ChatCall {
  if (!isRecord(rawBody)) throw new ApiError(400, 'Invalid JSON request');
  requireModelName(rawBody['model']);
  const { naming } = state;
  const parsedBody = parseOpen(createResponsesBodySchema(naming), {
    ...rawBody,
    input: addMessageTypes(rawBody['input']),
  });
  const parametersName = naming.getFieldName('service_parameters');
  const { [parametersName]: service_parameters, ...fields }: JsonRecord = parsedBody;
  const body = { ...fields, service_parameters } as ResponsesBody;
  const chatCallBody = { ...toChatBody(body), [parametersName]: toParameters(body) };
  const call = parseChatCall(chatCallBody, state);
  rejectEncryptedModel(call);
  // A response has a separate reasoning item, even if the model writes its reasoning in tags.
  const reasoning = call.model.reasoningStyle === 'tags' ? 'field' : call.model.reasoningStyle;
  return { ...call, model: { ...call.model, reasoningStyle: reasoning } };
}

/**
 * Rejects models with end-to-end encryption, because `POST /responses` does not support encryption.
 * @throws ApiError 400 unless the request disables encryption
 */
function rejectEncryptedModel({ model, settings, naming }: ChatCall): void {
  if (!model.capabilities.supportsE2EE || !settings.enable_e2ee) return;
  const path = `${naming.getFieldName('service_parameters')}.enable_e2ee`;
  const message = `This model answers encrypted chats only. Use /chat/completions, or set ${path} to false`;
  throw createInvalidRequestError([createCustomIssue(['model'], message)]);
}

/** Sets the type of items without a type to `message`. */
const addMessageTypes = (input: unknown): unknown =>
  Array.isArray(input)
    ? input.map((item: unknown) =>
        isRecord(item) && item['type'] === undefined ? { ...item, type: 'message' } : item,
      )
    : input;

function toChatBody(body: ResponsesBody): JsonRecord {
  const tools = (body.tools ?? []).filter(({ type }) => type === 'function').map(toNestedTool);
  const params = {
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    max_completion_tokens: body.max_output_tokens ?? undefined,
    reasoning: body.reasoning ?? undefined,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: tools.length === 0 ? undefined : body.tool_choice,
  };
  return {
    ...Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)),
    model: body.model,
    messages: convertInputToMessages(body.input),
    stream: body.stream === true,
  };
}

/** Returns the service parameters. Unlike in chats, a tool of type `web_search` also enables the web search. */
function toParameters({ tools, web_search, service_parameters }: ResponsesBody): JsonRecord {
  const types = new Set((tools ?? []).map(({ type }) => readStringOr(type, '')));
  const hasWebSearch = web_search ?? types.has('web_search');
  return {
    ...(hasWebSearch && { enable_web_search: 'on' }),
    ...(types.has('x_search') && { enable_x_search: true }),
    ...service_parameters,
  };
}

function toNestedTool(tool: JsonRecord): JsonRecord {
  if (isRecord(tool['function'])) return { type: 'function', function: tool['function'] };
  const { name, description, parameters, strict } = tool;
  const fields = Object.entries({ name, description, parameters, strict });
  const definedFields = fields.filter(([, value]) => value !== undefined && value !== null);
  return { type: 'function', function: Object.fromEntries(definedFields) };
}
