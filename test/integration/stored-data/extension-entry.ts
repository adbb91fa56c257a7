/** Main module of the extension under test. Installs stored data, and then activates the built extension. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { canHavePlaceholders, type RunValues, replacePlaceholders } from './placeholders.ts';
import {
  preparationFile,
  type Preparation,
  type PreparedHost,
  preparedKey,
  type StoredState,
} from './shared.ts';

interface ExtensionModule {
  activate(context: vscode.ExtensionContext): unknown;
  deactivate(): Promise<void>;
}

const folder = dirname(fileURLToPath(import.meta.url));
const loadProduct = async (): Promise<ExtensionModule> =>
  (await import(join(folder, 'dist', 'host', 'extension.js'))) as ExtensionModule;

export async function activate(context: vscode.ExtensionContext): Promise<unknown> {
  const text = await readFile(join(folder, preparationFile), 'utf8');
  const { fixtureFolder, placeholderValues } = JSON.parse(text) as Preparation;
  const storedData =
    fixtureFolder === null
      ? { storedFiles: new Map(), state: emptyState, settings: {} }
      : await installFixture(
          fixtureFolder,
          { ...placeholderValues, ...getHostValues(context) },
          context,
        );
  const views = new Map<string, vscode.WebviewViewProvider>();
  Object.assign(vscode.window, {
    registerWebviewViewProvider: (id: string, provider: vscode.WebviewViewProvider) => {
      views.set(id, provider);
      return new vscode.Disposable(() => views.delete(id));
    },
  });
  const preparedHost: PreparedHost = { context, vscodeApi: vscode, views, ...storedData };
  Reflect.set(globalThis, preparedKey, preparedHost);
  return (await loadProduct()).activate(context);
}

export const deactivate = async (): Promise<void> => (await loadProduct()).deactivate();

/**
 * Returns the values of those fixture placeholders that are known only in the extension host, such as the workspace
 * path.
 */
function getHostValues(context: vscode.ExtensionContext): Partial<RunValues> {
  const uri = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (uri === undefined) throw new Error('No folder is open.');
  const now = new Date();
  return {
    __WORKSPACE_URI__: uri.toString(),
    __WORKSPACE_PATH__: uri.fsPath,
    __WORKSPACE_NAME__: createHash('sha256').update(uri.toString()).digest('hex').slice(0, 32),
    __STORAGE_PATH__: context.globalStorageUri.fsPath,
    __TODAY__: [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-'),
  };
}

async function installFixture(
  sourceFolder: string,
  values: Partial<RunValues>,
  { globalState, workspaceState, secrets, globalStorageUri }: vscode.ExtensionContext,
): Promise<Pick<PreparedHost, 'storedFiles' | 'state' | 'settings'>> {
  const allValues = addKeyEnds(values);
  const storedFiles = await copyFolderWithValues(
    join(sourceFolder, 'storage'),
    globalStorageUri.fsPath,
    allValues,
  );
  await copyFolderWithValues(
    join(sourceFolder, 'workspace'),
    allValues.__WORKSPACE_PATH__ ?? '',
    allValues,
  );
  const removedText = await readFile(join(sourceFolder, 'workspace-removed.json'), 'utf8');
  for (const path of JSON.parse(removedText) as string[])
    await rm(join(allValues.__WORKSPACE_PATH__ ?? '', path));
  const text = await readFile(join(sourceFolder, 'state.json'), 'utf8');
  const state = JSON.parse(replacePlaceholders(text, allValues)) as StoredState;
  for (const [key, value] of Object.entries(state.globalState))
    await globalState.update(key, value);
  for (const [key, value] of Object.entries(state.workspaceState))
    await workspaceState.update(key, value);
  for (const [key, value] of Object.entries(state.secrets)) await secrets.store(key, value);
  const settings = await readFile(join(sourceFolder, 'settings.json'), 'utf8');
  return {
    storedFiles,
    state,
    settings: JSON.parse(replacePlaceholders(settings, allValues)) as PreparedHost['settings'],
  };
}

const emptyState: StoredState = { globalState: {}, workspaceState: {}, secrets: {} };

const addKeyEnds = (values: Partial<RunValues>): Partial<RunValues> => ({
  ...values,
  __API_KEY_END__: values.__API_KEY__?.slice(-6) ?? '',
  __ADMIN_KEY_END__: values.__ADMIN_KEY__?.slice(-6) ?? '',
});

/**
 * Copies a folder. Replaces the placeholders in file paths and in text files. Returns the bytes of the copied files by
 * path.
 */
async function copyFolderWithValues(
  from: string,
  to: string,
  values: Partial<RunValues>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const writtenFiles = new Map<string, Uint8Array>();
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const path = relative(from, source).replaceAll('\\', '/');
    const target = replacePlaceholders(path, values);
    const bytes = await readFile(source);
    const content = canHavePlaceholders(path)
      ? Buffer.from(replacePlaceholders(bytes.toString('utf8'), values))
      : bytes;
    await mkdir(dirname(join(to, target)), { recursive: true });
    await writeFile(join(to, target), content, { mode: 0o600 });
    writtenFiles.set(target, content);
  }
  return writtenFiles;
}
