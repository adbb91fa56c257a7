import type { Chats } from '../../chat/vscode/chats.ts';
import type { ChatWebview } from '../../chat/vscode/chat-page.ts';
import type { Host } from '../../host.ts';

/** What commands about voices and personas work with. */
export interface VoiceParts {
  readonly host: Host;
  readonly chats: Chats;
  /** The chat in sight, opened when none is. */
  readonly shown: () => Promise<ChatWebview>;
}

export type VoiceCommand =
  | 'inferenceService.readAloud'
  | 'inferenceService.stopReading'
  | 'inferenceService.saveSpeech'
  | 'inferenceService.selectVoice'
  | 'inferenceService.dictate'
  | 'inferenceService.transcribeFile'
  | 'inferenceService.chatWithPersona';
