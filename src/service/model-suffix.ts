/**
 * Splits a model id into its base and the suffix that turns request features on or off; '' without suffix (service
 * facts §1.4). `:web` is a shorthand for web search.
 */
export function splitModelId(id: string): { readonly base: string; readonly suffix: string } {
  const at = id.search(/:(?:[a-z]\w*=|web$)/u);
  return at === -1 ? { base: id, suffix: '' } : { base: id.slice(0, at), suffix: id.slice(at) };
}

/** Returns the parameters that a model id's suffix sets, by their names in the API. Decodes values and omits unknown names. */
export function parseModelSuffix(id: string): { readonly [key: string]: string } {
  const { suffix } = splitModelId(id);
  if (suffix === ':web') return { enable_web_search: 'on' };
  const pairs = suffix.slice(1).split('&').map(splitPair);
  return Object.fromEntries(
    pairs.filter(([key]) => suffixKeys.includes(key) || systemPromptKey.test(key)),
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

/** Parameter whose name contains the vendor word. */
const systemPromptKey = /^include_[a-z]+_system_prompt$/u;

function splitPair(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, ''] : [text.slice(0, at), decodeUrlValue(text.slice(at + 1))];
}

/** Decodes a URL-encoded value. Returns malformed encodings unchanged. */
function decodeUrlValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
