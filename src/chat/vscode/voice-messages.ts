import * as vscode from 'vscode';
import type { SpeechMessage } from '../../speech/protocol.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { Host } from '../../host.ts';
import {
  isReadingAloud,
  endReadingOnPage,
  readAloud,
  type ReadingTarget,
  endReading,
  requestNextPart,
  stopReading,
} from '../../speech/vscode/read-aloud.ts';
import { toSpokenText, type SpokenText } from '../../speech/vscode/speech-consent.ts';
import type { OpenChat, PageHandlers } from './open-chat.ts';

type VoiceMessageType = 'speech-start' | 'speech-next' | 'speech-end' | 'voice-command';

export interface VoiceMessagesOptions {
  readonly host: Host;
  readonly post: (message: SpeechMessage) => void;
}

/** Handles the page's messages about voices and personas. Loaded with the first message. */
export class VoiceMessages {
  readonly #target: ReadingTarget;

  constructor(options: VoiceMessagesOptions) {
    this.#target = { host: options.host, post: options.post };
  }

  readonly handlers: PageHandlers<VoiceMessageType> = {
    'speech-start': ({ messageId }, { session }) => this.#startReading(messageId, session),
    'speech-next': ({ id }) => requestNextPart(id),
    'speech-end': ({ id }) => endReading(id),
    'voice-command': async ({ command }, { session }) => {
      if (command === 'remove-persona')
        await session.setOptions(omitPersona(session.conversation.options));
      else await vscode.commands.executeCommand(commands[command]);
    },
  };

  /** Reads a text aloud on the page. Returns an error message if the text cannot be read aloud. */
  readAloud(spokenText: SpokenText): Promise<string | undefined> {
    return readAloud(this.#target, spokenText);
  }

  /** Starts reading an answer aloud. If the same answer is already being read, stops the reading instead. */
  async #startReading(
    messageId: string,
    session: OpenChat['session'],
  ): Promise<string | undefined> {
    if (isReadingAloud(messageId)) {
      stopReading();
      return undefined;
    }
    const { conversation } = session;
    const message = conversation.findMessage(messageId);
    if (message === undefined) return undefined;
    const { allModels } = this.#target.host.models;
    return readAloud(this.#target, toSpokenText(conversation, message, allModels));
  }

  /** Stops the playback on the page. Called when the page is closed. */
  stopReading(): void {
    endReadingOnPage(this.#target);
  }
}

const commands = {
  dictate: 'inferenceService.dictate',
  'choose-persona': 'inferenceService.chatWithPersona',
  'choose-voice': 'inferenceService.selectVoice',
} as const satisfies Record<string, CommandId>;

function omitPersona(options: OpenChat['session']['conversation']['options']): object {
  const { character: _character, ...otherOptions } = options;
  return otherOptions;
}
