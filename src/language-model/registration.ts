import type * as vscode from 'vscode';

type ExtensionState = Pick<vscode.ExtensionContext, 'globalState'>;

const stateKey = 'languageModel.isUsed';

/** Checks whether VS Code's chat or another extension has used a model of this extension. */
export const isUsedInEditor = ({ globalState }: ExtensionState): boolean =>
  globalState.get(stateKey) === true;

export async function recordEditorUse(context: ExtensionState): Promise<void> {
  if (!isUsedInEditor(context)) await context.globalState.update(stateKey, true);
}

/** Names of the tools in the manifest, without the prefix `inferenceService_`. */
export const nativeToolNames = ['searchWeb', 'readPage', 'describeImage', 'speak'] as const;

export type NativeToolName = (typeof nativeToolNames)[number];
