/**
 * Substitute for the parts of the VS Code API that `activate()` uses in a window without settings and without a folder.
 * Values have the real types. Functions return immediately, so that only the time of the extension is measured. Other
 * functions throw.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly contributes: {
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
    }[];
  };
};
const settings = Object.assign(
  {},
  ...manifest.contributes.configuration.map(({ properties }) => properties),
) as Readonly<Record<string, { readonly default?: unknown }>>;

const registration = { dispose() {} };
const registerNothing = () => registration;
const doNothing = (): void => {};
const resolveLater = async (): Promise<void> => {};

export const commands = { registerCommand: registerNothing, executeCommand: resolveLater };

export const env = { language: 'en' };

// VS Code provides no translation bundle for English.
export const l10n = { bundle: undefined, t: (text: string) => text };

export const languages = { registerCodeActionsProvider: registerNothing };

export const lm = {
  registerLanguageModelChatProvider: registerNothing,
  registerMcpServerDefinitionProvider: registerNothing,
  registerTool: registerNothing,
};

export const chat = { createChatParticipant: registerNothing };

export const window = {
  createOutputChannel: () => ({
    trace: doNothing,
    debug: doNothing,
    info: doNothing,
    warn: doNothing,
    // Activation logs failures and continues. Without this check, a measurement could omit the failed part.
    error(...values: readonly unknown[]) {
      throw new Error(`The extension logged an error: ${values.map(String).join(' ')}`);
    },
    dispose: doNothing,
  }),
  onDidChangeActiveTextEditor: registerNothing,
  registerUriHandler: registerNothing,
  registerWebviewPanelSerializer: registerNothing,
  registerWebviewViewProvider: registerNothing,
};

export const workspace = {
  workspaceFile: undefined,
  workspaceFolders: undefined,
  getConfiguration: () => ({
    inspect: (key: string) => ({ key, defaultValue: settings[key]?.default }),
  }),
  onDidChangeConfiguration: registerNothing,
  onDidGrantWorkspaceTrust: registerNothing,
};

export class EventEmitter {
  readonly event = registerNothing;
  readonly fire = doNothing;
  readonly dispose = doNothing;
}

export class ThemeIcon {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export class Uri {
  readonly scheme = 'file';
  readonly fsPath: string;

  constructor(fsPath: string) {
    this.fsPath = fsPath;
  }

  static joinPath(base: Uri, ...names: readonly string[]): Uri {
    return new Uri(join(base.fsPath, ...names));
  }

  toString(): string {
    return `file://${this.fsPath}`;
  }
}

const memento = { get: () => undefined, update: resolveLater, keys: () => [] };
const storage = new Uri(join(root, 'no', 'such', 'folder'));

/** Extension context with which the benchmark calls `activate()`. */
export const context = {
  subscriptions: [],
  extension: { packageJSON: manifest },
  extensionUri: new Uri(root),
  extensionPath: root,
  globalState: { ...memento, setKeysForSync: () => {} },
  globalStorageUri: storage,
  secrets: {
    get: resolveLater,
    store: resolveLater,
    delete: resolveLater,
    onDidChange: registerNothing,
  },
  storageUri: undefined,
  workspaceState: memento,
};
