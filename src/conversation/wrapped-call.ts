import { isId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { ToolCall } from '../service/chat/chat-types.ts';

/** Name of the tool through which the model looks up and calls tools whose definitions are not part of a request. */
export const discoveryToolName = 'more_tools';

/**
 * Returns the call of another tool that a call of `more_tools` contains, with the id of the outer call. Returns all
 * other calls unchanged, including calls of `more_tools` that only look up definitions. Permission checks,
 * confirmations and tool rows in the chat must use only the returned call.
 */
export function unwrapCall<Call extends Pick<ToolCall, 'function'>>(call: Call): Call {
  if (call.function.name !== discoveryToolName) return call;
  const outerArguments = parseJson(call.function.arguments);
  if (!isRecord(outerArguments)) return call;
  const { tool: name, arguments: innerArguments } = outerArguments;
  if (!isId(name) || innerArguments === undefined || innerArguments === null) return call;
  // Some models write nested arguments as JSON text.
  const text = typeof innerArguments === 'string' ? innerArguments : JSON.stringify(innerArguments);
  return { ...call, function: { name, arguments: text } };
}
