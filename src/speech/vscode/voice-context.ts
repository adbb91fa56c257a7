import type { Conversation } from '../../conversation/conversation.ts';
import type { Host } from '../../host.ts';
import type { SpokenText } from './speech-consent.ts';

/** Chat that the voice commands use: they read its answers aloud, and insert transcripts into its composer. */
export interface VoiceChat {
  readonly chat: { readonly session: { readonly conversation: Conversation } };
  readAloud(spokenText: SpokenText): Promise<void>;
  /** Inserts text at the cursor of the chat's composer. */
  insertIntoComposer(text: string): void;
  focusComposer(): void;
  /** Shows a sentence above the composer for a few seconds. */
  showNotice(text: string): void;
}

/** Host and chat of the voice commands. */
export interface VoiceContext {
  readonly host: Host;
  /** Returns the visible chat. Opens a chat if none is visible. */
  readonly openChat: () => Promise<VoiceChat>;
}
