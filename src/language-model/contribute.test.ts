import { expect, test, vi } from 'vitest';
import { contributeLanguageModel } from './contribute.ts';

interface FakeProvider {
  readonly onDidChangeMcpServerDefinitions: (listener: () => void) => void;
  readonly provideMcpServerDefinitions: () => readonly { readonly version: string }[];
}

const editor = vi.hoisted(() => ({
  providers: [] as unknown[],
  trust: [] as (() => void)[],
}));

vi.mock('vscode', () => {
  const register = () => ({ dispose: () => {} });
  return {
    EventEmitter: class {
      readonly #listeners: (() => void)[] = [];
      readonly event = (listener: () => void) => void this.#listeners.push(listener);
      fire(): void {
        for (const listener of this.#listeners) listener();
      }
      dispose(): void {}
    },
    McpHttpServerDefinition: class {
      readonly version: string;
      constructor(_label: string, _uri: unknown, _headers: object, version: string) {
        this.version = version;
      }
    },
    ThemeIcon: Object,
    Uri: { parse: (text: string) => text },
    chat: { createChatParticipant: register },
    lm: {
      registerLanguageModelChatProvider: register,
      registerTool: register,
      registerMcpServerDefinitionProvider: (_: string, provider: unknown) => {
        editor.providers.push(provider);
        return register();
      },
    },
    workspace: {
      onDidGrantWorkspaceTrust: (listener: () => void) => {
        editor.trust.push(listener);
        return register();
      },
    },
  };
});

test('the MCP server definition has the version of the extension, and changes when the user trusts the workspace', () => {
  const context = {
    extension: { packageJSON: { version: '4.5.6' } },
    globalState: { get: () => undefined },
  };
  contributeLanguageModel({ context } as never, {} as never);
  const [provider] = editor.providers as FakeProvider[];
  expect(provider?.provideMcpServerDefinitions().map(({ version }) => version)).toEqual(['4.5.6']);
  const onChange = vi.fn();
  provider?.onDidChangeMcpServerDefinitions(onChange);
  for (const listener of editor.trust) listener();
  expect(onChange).toHaveBeenCalledOnce();
});
