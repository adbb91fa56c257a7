import { isRecord, type JsonRecord, readStringOr } from '../base/json.ts';
import { defaultVendorPrefix, normalizeVendorPrefix } from '../service/http/vendor-prefix.ts';

/** A deployment of the service, as configured by the user. Its key is stored separately. */
export interface Profile {
  /**
   * Profile name, safe as part of a file name. The profile defined outside the `profiles` setting
   * is named `default`.
   */
  readonly id: string;
  /** Base URL as the user entered it; empty if missing. `parseBaseUrl` validates the URL. */
  readonly baseUrl: string;
  /**
   * Prefix that the deployment uses in its own field and header names, such as `PREFIX_parameters` and
   * `x-PREFIX-version`. Read from the setting `vendorWord`.
   */
  readonly vendorPrefix: string;
}

/** User settings that define the profiles. The values are not validated. */
export interface ProfileSettings {
  readonly baseUrl: unknown;
  readonly vendorWord: unknown;
  readonly profiles: unknown;
  readonly profile: unknown;
}

export const defaultProfileId = 'default';

/** Returns all profiles: the default profile first, then the others by name. Skips invalid entries. */
export function readProfiles(settings: ProfileSettings): readonly Profile[] {
  const namedSettings = isRecord(settings.profiles) ? settings.profiles : {};
  return [createProfile(defaultProfileId, { ...settings }), ...readNamedProfiles(namedSettings)];
}

/**
 * Returns the profile that is selected in the settings, or the default profile if the selected profile does not exist.
 */
export function getActiveProfile(settings: ProfileSettings): Profile {
  const [firstProfile, ...otherProfiles] = readProfiles(settings);
  return otherProfiles.find(({ id }) => id === settings.profile) ?? (firstProfile as Profile);
}

/**
 * Checks the name of a new profile. Returns `pattern` for a name with an invalid length or character, `taken` for the
 * name of an existing profile, and `undefined` for a valid name.
 */
export function findProfileNameProblem(
  name: string,
  existingProfiles: readonly Profile[],
): 'pattern' | 'taken' | undefined {
  if (!isProfileName(name)) return 'pattern';
  return existingProfiles.some(({ id }) => id.toLowerCase() === name.toLowerCase())
    ? 'taken'
    : undefined;
}

const isProfileName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name);

function readNamedProfiles(record: JsonRecord): readonly Profile[] {
  return Object.entries(record)
    .filter(([name]) => isProfileName(name) && name.toLowerCase() !== defaultProfileId)
    .map(([name, value]) => createProfile(name, isRecord(value) ? value : {}))
    .sort((a, b) => a.id.localeCompare(b.id));
}

function createProfile(id: string, fields: JsonRecord): Profile {
  return {
    id,
    baseUrl: readStringOr(fields['baseUrl'], '').trim(),
    vendorPrefix: normalizeVendorPrefix(fields['vendorWord']) ?? defaultVendorPrefix,
  };
}
