import { isRecord, type JsonRecord } from '../../base/json.ts';

/**
 * Source of a regular expression for a vendor prefix. Each service uses its own prefix in the names of its fields and
 * headers, such as `acme` in `acme_parameters` and `x-acme-version`.
 */
const prefixSource = '[a-z][a-z0-9]{1,30}';
const prefixPattern = new RegExp(`^${prefixSource}$`, 'u');
const headerPattern = new RegExp(`^x-(?<prefix>${prefixSource})-(?<name>.+)$`, 'u');
const parametersPattern = new RegExp(`^(?<prefix>${prefixSource})_parameters$`, 'u');

/**
 * Vendor prefix of the names in the API specification. Used if neither the settings nor the API key contains another
 * prefix.
 */
export const defaultVendorPrefix = 'service';

export const isVendorPrefix = (value: unknown): value is string =>
  typeof value === 'string' && prefixPattern.test(value);

/**
 * Returns the vendor prefix that the user entered, in lower case and without surrounding spaces; `undefined` for a
 * value that cannot be a prefix.
 */
export function normalizeVendorPrefix(value: unknown): string | undefined {
  const prefix = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return isVendorPrefix(prefix) ? prefix : undefined;
}

/**
 * Matches the start of an API key, which contains the vendor prefix in upper case, such as `ACME` in
 * `ACME_INFERENCE_KEY_…`.
 */
const keyPattern = /^(?<prefix>[A-Z][A-Z0-9]{1,30})_(?:INFERENCE|ADMIN)_KEY_/u;

/**
 * Returns the vendor prefix that requests use until a reply contains one. A prefix in the settings takes precedence
 * over the prefix in the API key, such as `acme` in `ACME_INFERENCE_KEY_…`.
 */
export function getConfiguredPrefix(settingsPrefix: string, apiKey = ''): string {
  if (settingsPrefix !== defaultVendorPrefix) return settingsPrefix;
  return keyPattern.exec(apiKey)?.groups?.['prefix']?.toLowerCase() ?? settingsPrefix;
}

/**
 * Names of the service's response headers without their start `x-PREFIX-`, such as `model-id` for `x-acme-model-id`.
 * Excludes `version`, which is checked separately.
 */
const headerNames = new Set(
  `timestamp host-name model-id model-name model-router balance-usd balance-diem is-blurred
   is-content-violation is-adult-model-content-violation contains-minor model-deprecation-warning
   model-deprecation-date deprecated deprecated-replacement enhanced-prompt audio-format
   inference-time rpc-credits rpc-cost-usd`.split(/\s+/u),
);

/** Prefixes of response headers that gateways and clouds add. None of them is a vendor prefix. */
const gatewayPrefixes = new Set('amz amzn aws cf cloudflare envoy litellm vercel'.split(' '));

/**
 * Returns the vendor prefix in response headers; `undefined` unless exactly one prefix is found. A prefix counts if
 * there is a header `x-PREFIX-version` with a time as its value and another known header, or if there are both
 * moderation headers of an image (spec §4.5). Ignores the prefixes of gateways.
 * @param headers Values by lower-case name.
 */
export function findVendorPrefix(headers: Readonly<Record<string, string>>): string | undefined {
  const namesByPrefix = new Map<string, Set<string>>();
  for (const header of Object.keys(headers)) {
    const { prefix, name } = headerPattern.exec(header)?.groups ?? {};
    if (prefix === undefined || name === undefined || gatewayPrefixes.has(prefix)) continue;
    if (name !== 'version' && !headerNames.has(name)) continue;
    namesByPrefix.set(prefix, (namesByPrefix.get(prefix) ?? new Set()).add(name));
  }
  const prefixes = [...namesByPrefix].filter(
    ([prefix, names]) =>
      (names.has('is-blurred') && names.has('is-content-violation')) ||
      (names.size > 1 && /^\d{8}\.\d{6}$/u.test(headers[`x-${prefix}-version`] ?? '')),
  );
  // Two prefixes would contradict each other.
  return prefixes.length === 1 ? prefixes[0]?.[0] : undefined;
}

/** Fields of the parameters object (spec §2.3) whose names do not contain the vendor prefix. */
const parameterNames = new Set(
  `enable_web_search enable_web_scraping enable_web_citations strip_thinking_response disable_thinking
   character_slug`.split(/\s+/u),
);

/**
 * Returns the value of the field `PREFIX_parameters` in a chat reply, and the vendor prefix in the name of this field;
 * `undefined` unless the value has at least two parameters of spec §2.3.
 */
export function findParameters(
  reply: JsonRecord,
): { readonly prefix: string; readonly parameters: JsonRecord } | undefined {
  for (const key of Object.keys(reply)) {
    // Most replies have no such key, and the pattern is slow for every chunk of a stream.
    if (!key.endsWith('_parameters')) continue;
    const { [key]: parameters } = reply;
    const prefix = parametersPattern.exec(key)?.groups?.['prefix'];
    if (prefix === undefined || !isRecord(parameters)) continue;
    const knownNames = Object.keys(parameters).filter(
      (name) => parameterNames.has(name) || name === `include_${prefix}_system_prompt`,
    );
    if (knownNames.length >= 2) return { prefix, parameters };
  }
  return undefined;
}
