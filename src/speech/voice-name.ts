/** What the id of a voice says about it. */
export interface VoiceName {
  /** As people read it. */
  readonly name: string;
  /** Of the language and of who speaks it, where the id says so. Language: BCP 47. */
  readonly speaker?: { readonly language: string; readonly isFemale: boolean };
}

/**
 * `bf_emma` is Emma, a woman who speaks British English (service facts §4.1); `storm-teller` is Storm Teller. An id that
 * looks like no name stays as it is.
 */
export function readVoiceName(id: string): VoiceName {
  const spoken = /^(?<from>[a-z])(?<gender>[fm])_(?<name>[a-z]+)$/u.exec(id)?.groups;
  const language = languages.get(spoken?.['from'] ?? '');
  if (spoken === undefined || language === undefined) return { name: named(id) };
  return {
    name: named(spoken['name'] ?? ''),
    speaker: { language, isFemale: spoken['gender'] === 'f' },
  };
}

const languages: ReadonlyMap<string, string> = new Map([
  ['a', 'en-US'],
  ['b', 'en-GB'],
  ['e', 'es'],
  ['f', 'fr'],
  ['h', 'hi'],
  ['i', 'it'],
  ['j', 'ja'],
  ['p', 'pt-BR'],
  ['z', 'zh'],
]);

const named = (id: string): string =>
  /^[a-z]+(?:[_-][a-z]+)*$/u.test(id)
    ? id.replaceAll(/(?:^|[_-])[a-z]/gu, (start) => start.replace(/[_-]/u, ' ').toUpperCase())
    : id;
