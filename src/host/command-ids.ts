/** Every command of the manifest. A test compares this list with it, and with what is registered. */
export const commandIds = [
  'inferenceService.focusChat',
  'inferenceService.newChat',
  'inferenceService.openChatInEditor',
  'inferenceService.showHistory',
  'inferenceService.renameChat',
  'inferenceService.deleteChat',
  'inferenceService.exportChat',
  'inferenceService.findInChat',
  'inferenceService.stopAnswer',
  'inferenceService.askAboutSelection',
  'inferenceService.attachSelection',
  'inferenceService.attachFile',
  'inferenceService.attachProblems',
  'inferenceService.selectModel',
  'inferenceService.refreshModels',
  'inferenceService.setApiKey',
  'inferenceService.removeApiKey',
  'inferenceService.setAddress',
  'inferenceService.addProfile',
  'inferenceService.removeProfile',
  'inferenceService.switchProfile',
  'inferenceService.testConnection',
  'inferenceService.showLog',
] as const;

export type CommandId = (typeof commandIds)[number];
