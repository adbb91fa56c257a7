import { createHash } from 'node:crypto';
import type { KeyState } from '../../account/key-state.ts';
import type { Profile } from '../../account/profile.ts';
import type { CompletionRoute, CompletionSettings } from '../ports.ts';

/** What answers depend on besides the text. */
export interface AnswerBasis {
  readonly profile: Profile;
  readonly key: KeyState;
  /** Undefined while no model is known. */
  readonly model: string | undefined;
  readonly route: CompletionRoute;
  readonly settings: CompletionSettings;
}

/** The same for the same basis, and for no other. It may be kept: nobody can read the key out of it. */
export function digestOfBasis({ profile, key, model, route, settings }: AnswerBasis): string {
  const told = JSON.stringify([profile, key, model, route, settings]);
  return createHash('sha256').update(told).digest('base64');
}
