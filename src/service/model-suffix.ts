/**
 * Splits a model id such as `m:web` into the base `m` and the suffix `:web`. A suffix sets parameters of the request.
 * Returns an empty suffix if the id has none.
 */
export function splitModelId(id: string): { readonly base: string; readonly suffix: string } {
  const suffixStart = id.search(/:(?:[a-z]\w*=|web$)/u);
  return suffixStart === -1
    ? { base: id, suffix: '' }
    : { base: id.slice(0, suffixStart), suffix: id.slice(suffixStart) };
}

/**
 * Returns the request parameters in the suffix of a model id, such as `character_slug` for `m:character_slug=x`.
 * Decodes the values and omits unknown parameters.
 */
export function parseModelSuffix(id: string): { readonly [key: string]: string } {
  const { suffix } = splitModelId(id);
  if (suffix === ':web') return { enable_web_search: 'on' };
  const pairs = suffix.slice(1).split('&').map(splitPair);
  return Object.fromEntries(
    pairs.filter(([key]) => suffixKeys.includes(key) || systemPromptKeyPattern.test(key)),
  );
}

const suffixKeys: readonly string[] = [
  'enable_web_search',
  'enable_web_citations',
  'enable_web_scraping',
  'include_search_results_in_stream',
  'return_search_results_as_documents',
  'character_slug',
  'strip_thinking_response',
  'disable_thinking',
];

/** Matches `include_PREFIX_system_prompt`, the parameter that adds the service's own system prompt. */
const systemPromptKeyPattern = /^include_[a-z]+_system_prompt$/u;

function splitPair(text: string): readonly [key: string, value: string] {
  const separatorIndex = text.indexOf('=');
  return separatorIndex === -1
    ? [text, '']
    : [text.slice(0, separatorIndex), decodeUrlValue(text.slice(separatorIndex + 1))];
}

/** Decodes a URL-encoded value. Returns a malformed value unchanged. */
function decodeUrlValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
