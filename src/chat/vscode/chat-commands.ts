import { type CommandId, commandIds } from '../../platform/command-ids.ts';

/** The commands of the chat, which are loaded with it. */
export type ChatCommand = (typeof named)[number] | `inferenceService.agent.${string}`;

const named = [
  'inferenceService.focusChat',
  'inferenceService.newChat',
  'inferenceService.openChatInEditor',
  'inferenceService.showHistory',
  'inferenceService.renameChat',
  'inferenceService.deleteChat',
  'inferenceService.exportChat',
  'inferenceService.findInChat',
  'inferenceService.stopAnswer',
  'inferenceService.toggleMode',
  'inferenceService.configureTools',
  'inferenceService.showUsage',
  'inferenceService.undoTurn',
  'inferenceService.explain',
  'inferenceService.writeTests',
  'inferenceService.askAboutSelection',
  'inferenceService.attachSelection',
  'inferenceService.attachProblems',
  'inferenceService.attachFile',
  'inferenceService.readAloud',
  'inferenceService.stopReading',
  'inferenceService.saveSpeech',
  'inferenceService.selectVoice',
  'inferenceService.dictate',
  'inferenceService.transcribeFile',
  'inferenceService.chatWithPersona',
] as const satisfies readonly CommandId[];

export const chatCommands = [
  ...named,
  ...commandIds.filter((id) => id.startsWith('inferenceService.agent.')),
] as readonly (CommandId & ChatCommand)[];
