import * as vscode from 'vscode';
import type { Model } from '../../service/model-types.ts';
import { userSetting } from '../settings.ts';

export const privateOnlySetting = 'inferenceService.privateModelsOnly';
export const encryptSetting = 'inferenceService.chat.encrypt';

/** Whether only private models may be used: as soon as the person or the workspace says so. Neither can undo the other. */
export function privateOnly(): boolean {
  const found = vscode.workspace.getConfiguration().inspect(privateOnlySetting);
  return [found?.globalValue, found?.workspaceValue].includes(true);
}

/** Whether the person has left encryption on. */
export const isEncryptionWanted = (): boolean => userSetting(encryptSetting) !== 'off';

/** Whether chats with the model are encrypted end to end. */
export const encryptsChats = ({ capabilities }: Pick<Model, 'capabilities'>): boolean =>
  capabilities.supportsE2EE && isEncryptionWanted();
