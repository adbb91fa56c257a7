/**
 * The part of a model's id that switches features of a request on or off; '' when it has none (service facts §1.4).
 * `:web` is short for a search of the web.
 */
export function splitModelId(id: string): { readonly base: string; readonly suffix: string } {
  const at = id.search(/:(?:[a-z]\w*=|web$)/u);
  return at === -1 ? { base: id, suffix: '' } : { base: id.slice(0, at), suffix: id.slice(at) };
}

/** What the suffix of the id sets, by the names of the service's parameters. Values are decoded; unknown names are left out. */
export function suffixOf(id: string): { readonly [key: string]: string } {
  const { suffix } = splitModelId(id);
  if (suffix === ':web') return { enable_web_search: 'on' };
  const pairs = suffix.slice(1).split('&').map(pairOf);
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

/** It carries the vendor word. */
const systemPromptKey = /^include_[a-z]+_system_prompt$/u;

function pairOf(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, ''] : [text.slice(0, at), decoded(text.slice(at + 1))];
}

/** What is no URL encoding stands for itself. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
