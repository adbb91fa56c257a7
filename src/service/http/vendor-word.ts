import { isRecord, type JsonRecord } from '../../base/json.ts';

/**
 * Regular expression source that matches a vendor word: the word that a deployment uses in its own names, such as
 * `WORD_parameters` and `x-WORD-version`.
 */
const wordSource = '[a-z][a-z0-9]{1,30}';
const wordPattern = new RegExp(`^${wordSource}$`, 'u');
const headerPattern = new RegExp(`^x-(?<word>${wordSource})-(?<name>.+)$`, 'u');
const parametersPattern = new RegExp(`^(?<word>${wordSource})_parameters$`, 'u');

export const isVendorWord = (value: unknown): value is string =>
  typeof value === 'string' && wordPattern.test(value);

/** Names of the deployment's headers after the prefix `x-<word>-` (service facts §7.3), without `version`. */
const headerNames = new Set(
  `timestamp host-name model-id model-name model-router balance-usd balance-diem is-blurred
   is-content-violation is-adult-model-content-violation contains-minor model-deprecation-warning
   model-deprecation-date deprecated deprecated-replacement enhanced-prompt audio-format
   inference-time rpc-credits rpc-cost-usd`.split(/\s+/u),
);

/** Words of gateways and clouds, which add headers to the replies of a deployment. */
const gatewayWords = new Set('amz amzn aws cf cloudflare envoy litellm vercel'.split(' '));

/**
 * Returns the word of the deployment that sent the headers: `x-<word>-version` with a time as its value and another
 * header of the deployment, or both moderation headers of an image (spec §4.5). Ignores the words of gateways.
 * @param headers values by lower-case name
 */
export function findVendorWord(headers: Readonly<Record<string, string>>): string | undefined {
  const namesByWord = new Map<string, Set<string>>();
  for (const header of Object.keys(headers)) {
    const { word, name } = headerPattern.exec(header)?.groups ?? {};
    if (word === undefined || name === undefined || gatewayWords.has(word)) continue;
    if (name !== 'version' && !headerNames.has(name)) continue;
    namesByWord.set(word, (namesByWord.get(word) ?? new Set()).add(name));
  }
  const words = [...namesByWord].filter(
    ([word, names]) =>
      (names.has('is-blurred') && names.has('is-content-violation')) ||
      (names.size > 1 && /^\d{8}\.\d{6}$/u.test(headers[`x-${word}-version`] ?? '')),
  );
  // Two words would contradict each other.
  return words.length === 1 ? words[0]?.[0] : undefined;
}

/** Names of the parameters object (spec §2.3) that do not contain the word. */
const parameterNames = new Set(
  `enable_web_search enable_web_scraping enable_web_citations strip_thinking_response disable_thinking
   character_slug`.split(/\s+/u),
);

/**
 * Returns the deployment's parameters object at the top level of a chat reply, and the word in its name. The object has
 * at least two fields of spec §2.3.
 */
export function findParameters(
  reply: JsonRecord,
): { readonly word: string; readonly parameters: JsonRecord } | undefined {
  for (const [key, parameters] of Object.entries(reply)) {
    const word = parametersPattern.exec(key)?.groups?.['word'];
    if (word === undefined || !isRecord(parameters)) continue;
    const known = Object.keys(parameters).filter(
      (name) => parameterNames.has(name) || name === `include_${word}_system_prompt`,
    );
    if (known.length >= 2) return { word, parameters };
  }
  return undefined;
}
