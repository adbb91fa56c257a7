import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { registerCommand } from '../commands.ts';
import { voiceCommands, type VoiceParts } from './voice-parts.ts';

/** The commands for voices and personas; all they need is loaded with the first of them. */
export function contributeVoice(parts: VoiceParts): Disposable {
  const owned = new DisposableStore();
  for (const id of voiceCommands) {
    const run = async (...args: unknown[]): Promise<void> => {
      const { runVoiceCommand } = await import('./voice-commands.ts');
      await runVoiceCommand(id, parts, args);
    };
    owned.add(registerCommand(id, parts.host.log, run));
  }
  return owned;
}
