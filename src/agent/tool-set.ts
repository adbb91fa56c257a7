import { estimateTokens } from '../base/token-estimate.ts';
import type { ToolDefinition } from '../service/chat/chat-types.ts';
import type { Tool } from './tool.ts';

export type Mode = 'ask' | 'agent';

/** Kinds that change nothing outside the editor's window. */
const harmless: ReadonlySet<Tool['kind']> = new Set(['read', 'editor', 'question']);

/** No service takes more. */
const maxTools = 128;

/** The tools that a model gets in a mode: the first of a name counts, switched-off ones and those beyond 128 are left out. */
export function toolSet(
  tools: readonly Tool[],
  { mode, off }: { readonly mode: Mode; readonly off: ReadonlySet<string> },
): ReadonlyMap<string, Tool> {
  const chosen = new Map<string, Tool>();
  for (const tool of tools) {
    if (off.has(tool.name) || chosen.has(tool.name) || !/^[\w-]{1,64}$/u.test(tool.name)) continue;
    if (chosen.size === maxTools) break;
    if (mode === 'agent' || harmless.has(tool.kind)) chosen.set(tool.name, tool);
  }
  return chosen;
}

/** As it is sent to the model (spec §2.4); the schema is passed through unchanged. */
export const toolDefinition = ({ name, description, parameters }: Tool): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters },
});

/** What the tool costs in every request, about, in tokens. */
export const toolTokens = (tool: Tool): number =>
  estimateTokens(JSON.stringify(toolDefinition(tool)));
