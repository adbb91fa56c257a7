import type { VoiceParts } from './voice-parts.ts';
import { transcribeFile } from './transcribe-file.ts';

export const dictate = (parts: VoiceParts): Promise<void> => transcribeFile(parts);
