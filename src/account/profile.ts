import { isRecord, type JsonRecord, stringOr } from '../base/json.ts';

/** A deployment of the service that a person uses. Its key is kept elsewhere. */
export interface Profile {
  /** The name; `default` for the one made of the plain settings. Safe in a file name. */
  readonly id: string;
  /** As the person typed it; empty when none is set. Not checked: `parseBaseUrl` does. */
  readonly baseUrl: string;
  readonly vendorWord: string;
}

/** The user's settings that make the profiles, unchecked. */
export interface ProfileSettings {
  readonly baseUrl: unknown;
  readonly vendorWord: unknown;
  readonly profiles: unknown;
  readonly profile: unknown;
}

export const defaultProfileId = 'default';
export const defaultVendorWord = 'service';

/** Every profile, the default one first, then by name. Entries that are not profiles are left out. */
export function readProfiles(settings: ProfileSettings): readonly Profile[] {
  const named = isRecord(settings.profiles) ? settings.profiles : {};
  return [profileOf(defaultProfileId, { ...settings }), ...namedProfiles(named)];
}

/** The profile that the settings name; the default one when they name none that exists. */
export function activeProfile(settings: ProfileSettings): Profile {
  const [first, ...named] = readProfiles(settings);
  return named.find(({ id }) => id === settings.profile) ?? (first as Profile);
}

/** What is wrong with the name of a new profile; `undefined` when nothing is. */
export function profileNameProblem(
  name: string,
  taken: readonly Profile[],
): 'pattern' | 'taken' | undefined {
  if (!isProfileName(name)) return 'pattern';
  return taken.some(({ id }) => id.toLowerCase() === name.toLowerCase()) ? 'taken' : undefined;
}

export const isVendorWord = (word: string): boolean => /^[a-z][a-z0-9]{0,31}$/.test(word);

const isProfileName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name);

function namedProfiles(record: JsonRecord): readonly Profile[] {
  return Object.entries(record)
    .filter(([name]) => isProfileName(name) && name.toLowerCase() !== defaultProfileId)
    .map(([name, value]) => profileOf(name, isRecord(value) ? value : {}))
    .sort((a, b) => a.id.localeCompare(b.id));
}

function profileOf(id: string, fields: JsonRecord): Profile {
  const word = stringOr(fields['vendorWord'], '');
  return {
    id,
    baseUrl: stringOr(fields['baseUrl'], '').trim(),
    vendorWord: isVendorWord(word) ? word : defaultVendorWord,
  };
}
