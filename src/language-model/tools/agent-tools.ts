import * as vscode from 'vscode';
import type { JsonSchema, Tool, ToolArguments, ToolPlan } from '../../agent/tool.ts';
import type { ToolFactory } from '../../agent/vscode/agent-runtime.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Host } from '../../host.ts';
import { HostCallCounts, createNativeTools } from './native-tools.ts';
import { type NativeTool, type PlannedCall, toToolError } from './native-tool.ts';

/**
 * Returns a factory that provides the tools of {@link createNativeTools} to the extension's own agent. The agent
 * confirms and renders the calls of these tools. Excludes the speech tool, because in the extension's chat only the
 * user can start speech.
 */
export const createAgentToolFactory = (host: Host): ToolFactory => {
  const tools = createAgentTools(host);
  return () => () => tools;
};

function createAgentTools(host: Host): readonly Tool[] {
  const { searchWeb, readPage, describeImage } = createNativeTools(host);
  return [
    toAgentTool(searchWeb, {
      name: 'search_web',
      verb: vscode.l10n.t('Search the web'),
      description:
        'Searches the web. Returns numbered results with titles, addresses, dates and excerpts. Use it for facts newer than your knowledge or that need a source. Cite the sources that you use. Costs the user about one cent.',
      parameters: createStringParameters({ query: 'What to search for, at most 400 characters.' }, [
        'query',
      ]),
    }),
    toAgentTool(readPage, {
      name: 'read_page',
      verb: vscode.l10n.t('Read'),
      description:
        'Returns the text of one public web page as Markdown. Cannot read pages of this machine or of a private network. Costs the user about one cent.',
      parameters: createStringParameters({ url: 'Complete address, with https:// or http://.' }, [
        'url',
      ]),
    }),
    toAgentTool(describeImage, {
      name: 'describe_image',
      summary: 'lets a vision model describe an image file; only if you cannot see images',
      verb: vscode.l10n.t('Ask'),
      description:
        'Sends an image file of the workspace to a vision model and returns its answer. Use it only if you cannot see images yourself; otherwise use read_file.',
      parameters: createStringParameters(
        {
          path: 'Path of the image, relative to the workspace folder.',
          question: questionDescription,
        },
        ['path'],
      ),
    }),
  ];
}

/** Description of the parameter `question`. Not translated, because only the model reads it. */
const questionDescription = 'Question about the image. Omit it for a full description.';

interface AgentToolOptions {
  readonly name: string;
  readonly summary?: string;
  readonly verb: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

function toAgentTool(nativeTool: NativeTool, { verb, ...definition }: AgentToolOptions): Tool {
  const plannedCalls = new WeakMap<
    ToolArguments,
    { readonly call: PlannedCall; readonly isOverLimit: boolean }
  >();
  const callCounts = new HostCallCounts();
  return {
    ...definition,
    kind: 'external',
    async plan(args) {
      const call = await nativeTool.plan(args);
      const isOverLimit =
        call.targetHost !== undefined && callCounts.countCall(call.targetHost.host);
      plannedCalls.set(args, { call, isOverLimit });
      return toToolPlan(call, { verb, isOverLimit });
    },
    async run(args, { signal }) {
      const plannedCall = plannedCalls.get(args);
      // A call without a plan was not confirmed by the user.
      if (plannedCall === undefined) throw new ToolError('failed', 'The call was not planned.');
      const { call, isOverLimit } = plannedCall;
      if (isOverLimit && call.targetHost !== undefined) callCounts.resetCount(call.targetHost.host);
      try {
        const { text, images = [], cost } = await call.run(signal);
        return omitUndefined({ output: text, images, cost });
      } catch (error) {
        throw toToolError(error);
      }
    },
  };
}

const toToolPlan = (
  { question, detail, target, price, sentFilePath, targetHost }: PlannedCall,
  { verb, isOverLimit }: Pick<AgentToolOptions, 'verb'> & { readonly isOverLimit: boolean },
): ToolPlan => ({
  verb,
  target,
  resources: [
    {
      type: 'external',
      ownTool: {
        ...(targetHost === undefined ? {} : { host: targetHost.host }),
        ...(targetHost?.isLong === true || isOverLimit ? { shouldAlwaysAsk: true as const } : {}),
      },
    },
    { type: 'cost', price },
    ...(sentFilePath === undefined
      ? []
      : [{ type: 'path', path: sentFilePath, access: 'read' } as const]),
  ],
  preview: { language: 'plaintext', text: `${question}\n\n${detail}`, cwd: '', files: [] },
});

const createStringParameters = (
  properties: Readonly<Record<string, string>>,
  required: readonly string[],
): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, description]) => [
      name,
      { type: 'string', description },
    ]),
  ),
  required,
  additionalProperties: false,
});
