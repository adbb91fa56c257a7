import type { Chats } from '../../host/chat/chats.ts';
import type { ChatWebview } from '../../host/chat/chat-webview.ts';
import type { Host } from '../../host/host.ts';

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
