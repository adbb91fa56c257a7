/**
 * Substitute for the VS Code API that `activate()` calls in a window without settings and without a folder. The values
 * have the real types. Functions return immediately, so that only the extension's time is measured. Other calls throw.
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
const register = () => registration;
const noOperation = (): void => {};
const resolveLater = async (): Promise<void> => {};

export const commands = { registerCommand: register, executeCommand: resolveLater };

export const env = { language: 'en' };

// VS Code provides no translation bundle for English.
export const l10n = { bundle: undefined, t: (text: string) => text };

export const languages = { registerCodeActionsProvider: register };

export const lm = {
  registerLanguageModelChatProvider: register,
  registerMcpServerDefinitionProvider: register,
  registerTool: register,
};

export const chat = { createChatParticipant: register };

export const window = {
  createOutputChannel: () => ({
    trace: noOperation,
    debug: noOperation,
    info: noOperation,
    warn: noOperation,
    // Activation logs failures and continues. Without this check, a measurement could omit the failed part.
    error(...values: readonly unknown[]) {
      throw new Error(`The extension logged an error: ${values.map(String).join(' ')}`);
    },
    dispose: noOperation,
  }),
  onDidChangeActiveTextEditor: register,
  registerUriHandler: register,
  registerWebviewPanelSerializer: register,
  registerWebviewViewProvider: register,
};

export const workspace = {
  workspaceFile: undefined,
  workspaceFolders: undefined,
  getConfiguration: () => ({
    inspect: (key: string) => ({ key, defaultValue: settings[key]?.default }),
  }),
  onDidChangeConfiguration: register,
  onDidGrantWorkspaceTrust: register,
};

export class EventEmitter {
  readonly event = register;
  readonly fire = noOperation;
  readonly dispose = noOperation;
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

/** Argument of `activate()`. */
export const context = {
  subscriptions: [],
  extension: { packageJSON: manifest },
  extensionUri: new Uri(root),
  extensionPath: root,
  globalState: { ...memento, setKeysForSync: () => {} },
  globalStorageUri: storage,
  secrets: { get: resolveLater, store: resolveLater, delete: resolveLater, onDidChange: register },
  storageUri: undefined,
  workspaceState: memento,
};
