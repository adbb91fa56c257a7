/** The commands of this part. The chat has those that ask it. */
export const editorCommands = [
  'inferenceService.editInline',
  'inferenceService.fix',
  'inferenceService.document',
  'inferenceService.inlineEdit.accept',
  'inferenceService.inlineEdit.reject',
  'inferenceService.inlineEdit.retry',
  'inferenceService.inlineEdit.stop',
  'inferenceService.generateCommitMessage',
  'inferenceService.stopCommitMessage',
  'inferenceService.forgetExtensionAccess',
] as const;

export type EditorCommand = (typeof editorCommands)[number];
