import { expect, test, vi } from 'vitest';
import { Emitter } from '../../base/event.ts';
import { permissionLevels } from '../../conversation/protocol.ts';
import type { ToolContext } from '../tool.ts';
import {
  createChatScope,
  createRules,
  rememberCall,
} from '../permissions/permission-rules.fixture.ts';
import { ContributedTools, createLanguageModelTools } from './external-tools.ts';

const registeredTools = [
  { name: 'mcp_weather_forecast', description: 'Forecast', tags: [], inputSchema: undefined },
  { name: 'other_extension_tool', description: 'Tool', tags: [], inputSchema: undefined },
  ...[
    'inferenceService_searchWeb',
    'mcp_inference-ser_searchWeb',
    'mcp_inference_ser_searchWeb',
    'mcp_inference_se2_search_text',
    'mcp_inference_ser_weather',
    'mcp_other_searchWeb',
  ].map((name) => ({ name, description: 'Tool', tags: [], inputSchema: undefined })),
];

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  lm: {
    get tools() {
      return registeredTools;
    },
  },
}));

test.each(['mcp_weather_forecast', 'other_extension_tool'])(
  'the tool %s requires approval at each level unless the user granted it',
  async (name) => {
    const tool = createLanguageModelTools(new Set(['other_extension_tool'])).find(
      (candidate) => candidate.name === name,
    );
    if (tool === undefined) throw new Error(name);
    expect(tool.isOptIn).toBe(false);
    const plan = await tool.plan({}, {} as ToolContext);
    for (const level of permissionLevels) {
      const { rules } = createRules();
      expect((await rules.evaluateCall(tool, plan, createChatScope('c1', level))).decision).toBe(
        'ask',
      );
      await rememberCall(rules, tool, plan, 'always', createChatScope('c1', level));
      expect((await rules.evaluateCall(tool, plan, createChatScope('c2', level))).decision).toBe(
        'allow',
      );
    }
  },
);

test('createLanguageModelTools omits the tools that the extension provides, even if they come through its MCP server', () => {
  expect(createLanguageModelTools(new Set()).map(({ name }) => name)).toEqual([
    'mcp_weather_forecast',
    'other_extension_tool',
    'mcp_inference_ser_weather',
    'mcp_other_searchWeb',
  ]);
});

const createExtension = (tools: unknown, isBuiltin = false): { packageJSON: unknown } => ({
  packageJSON: { isBuiltin, contributes: { languageModelTools: tools } },
});

const listToolNames = (extension: { packageJSON: unknown }): string[] => {
  const { event: onDidChange } = new Emitter<void>();
  return [...new ContributedTools({ all: [extension], onDidChange }).names];
};

test('ContributedTools returns the tool names of an extension that the user installed', () => {
  expect(listToolNames(createExtension([{ name: 'a' }, { name: 'b' }]))).toEqual(['a', 'b']);
});

test.each<[what: string, extension: { packageJSON: unknown }]>([
  ['built into VS Code', createExtension([{ name: 'a' }], true)],
  ['with invalid tool names', createExtension([{ name: 1 }, {}, null, 'a'])],
  ['with an invalid tool list', createExtension({ name: 'a' })],
  ['without tools', { packageJSON: { contributes: {} } }],
  ['without contributions', { packageJSON: {} }],
  ['without a manifest', { packageJSON: undefined }],
])('ContributedTools returns no tool names of an extension %s', (_, extension) => {
  expect(listToolNames(extension)).toEqual([]);
});

test('ContributedTools caches the names of tools until extensions change', () => {
  const onDidChangeEmitter = new Emitter<void>();
  let readCount = 0;
  let extensions = [createExtension([{ name: 'a' }])];
  const tools = new ContributedTools({
    get all() {
      readCount += 1;
      return extensions;
    },
    onDidChange: onDidChangeEmitter.event,
  });
  expect([[...tools.names], [...tools.names], readCount]).toEqual([['a'], ['a'], 1]);
  extensions = [createExtension([{ name: 'b' }])];
  expect([...tools.names]).toEqual(['a']);
  onDidChangeEmitter.fire();
  expect([[...tools.names], [...tools.names], readCount]).toEqual([['b'], ['b'], 2]);
  tools.dispose();
  onDidChangeEmitter.fire();
  expect([[...tools.names], readCount]).toEqual([['b'], 2]);
});
