import type * as vscode from 'vscode';

type State = Pick<vscode.ExtensionContext, 'globalState'>;

const stateKey = 'languageModel.isUsed';

/** Whether VS Code's own chat, or another extension, has used a model of ours. */
export const isUsedInEditor = ({ globalState }: State): boolean =>
  globalState.get(stateKey) === true;

export async function rememberUsedInEditor(context: State): Promise<void> {
  if (!isUsedInEditor(context)) await context.globalState.update(stateKey, true);
}

/** As in the manifest, there with `inferenceService_` in front. */
export const nativeToolNames = ['searchWeb', 'readPage', 'describeImage', 'speak'] as const;

export type NativeToolName = (typeof nativeToolNames)[number];
