import { isId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { ToolCall } from '../service/chat/chat-types.ts';

/**
 * Name of the discovery tool. Requests contain the definition of this tool instead of the definitions of the deferred
 * tools.
 */
export const discoveryToolName = 'more_tools';

/**
 * Returns the tool call inside a call of the discovery tool, with the id of the outer call. Returns other calls
 * unchanged. Also returns a call of the discovery tool unchanged if it only requests definitions. Permission checks,
 * confirmations and tool rows in the chat must use only the returned call.
 */
export function unwrapCall<Call extends Pick<ToolCall, 'function'>>(call: Call): Call {
  if (call.function.name !== discoveryToolName) return call;
  const outer = parseJson(call.function.arguments);
  if (!isRecord(outer)) return call;
  const { tool: name, arguments: inner } = outer;
  if (!isId(name) || inner === undefined || inner === null) return call;
  // Some models write nested arguments as JSON text.
  const text = typeof inner === 'string' ? inner : JSON.stringify(inner);
  return { ...call, function: { name, arguments: text } };
}
