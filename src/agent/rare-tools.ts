import * as l10n from '@vscode/l10n';
import { optionalString } from './arguments.ts';
import { estimateDefinitionTokens, type Tool, toolDefinition } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import { discoveryToolName } from '../conversation/wrapped-call.ts';
import { ToolError } from '../workspace/tool-error.ts';

const isRare = (tool: Tool): boolean => tool.summary !== undefined;

/** Returns the tools whose definitions a request contains: all except the rare tools. */
export const toolsToSend = (tools: ReadonlyMap<string, Tool>): readonly Tool[] =>
  [...tools.values()].filter((tool) => !isRare(tool));

/**
 * Adds the tool that lists the rare tools. Its definition does not change when the model uses a rare
 * tool, so that the service can cache the definitions.
 */
export function withDiscoveryTool(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  const rareTools = [...tools.values()].filter(isRare);
  return rareTools.length === 0
    ? tools
    : new Map([...tools, [discoveryToolName, createDiscoveryTool(rareTools)]]);
}

/** Estimates the tokens that a tool adds to each request: its definition, or the line of a rare tool. */
export const estimateToolTokens = (tool: Tool): number =>
  isRare(tool) ? estimateTokens(`${formatRareTool(tool)}\n`) : estimateDefinitionTokens(tool);

/** Estimates the tokens that tools add to each request, including the discovery tool. */
export const estimateRequestTokens = (tools: readonly Tool[]): number =>
  toolsToSend(withDiscoveryTool(new Map(tools.map((tool) => [tool.name, tool])))).reduce(
    (sum, tool) => sum + estimateDefinitionTokens(tool),
    0,
  );

/** Formats the line of a rare tool in the description of the discovery tool. */
const formatRareTool = ({ name, summary = '' }: Tool): string => `${name}: ${summary}`;

/**
 * Creates the tool that returns the definitions of rare tools. It never runs another tool: the
 * caller replaces a call with a tool name and arguments by the inner call before any check.
 */
function createDiscoveryTool(rareTools: readonly Tool[]): Tool {
  return {
    name: discoveryToolName,
    kind: 'read',
    description: `Calls one of the tools below. First give only "tool" to get its definition, then also "arguments" to call it.\n${rareTools.map(formatRareTool).join('\n')}`,
    parameters: {
      type: 'object',
      properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
      required: ['tool'],
    },
    plan: (args) =>
      Promise.resolve({
        verb: l10n.t('Look up tool'),
        pastVerb: l10n.t('Looked up tool'),
        target: optionalString(args, 'tool') ?? '',
        resources: [],
      }),
    run: (args) => {
      const name = optionalString(args, 'tool');
      const tool = rareTools.find((rareTool) => rareTool.name === name);
      if (tool === undefined) {
        const names = rareTools.map((rareTool) => rareTool.name).join(', ');
        return Promise.reject(new ToolError('unknown-tool', `Set "tool" to one of: ${names}.`));
      }
      const definition = JSON.stringify(toolDefinition(tool).function);
      return Promise.resolve({
        output: `${definition}\nTo call it, repeat the call of ${discoveryToolName} with "arguments".`,
      });
    },
  };
}
