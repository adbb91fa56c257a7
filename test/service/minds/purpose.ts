import type { Declaration } from './code-reading.ts';

/** What a declaration is for: its comment, else a guess such as "Parses the order line" from its name. */
export function purposeOf({ name, kind, comment }: Declaration): string {
  if (comment !== '') return comment;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_#]+/)
    .filter(Boolean);
  if (kind === 'type') return `The shape of ${withArticle(words.join(' '))}`;
  return guess(words);
}

function guess(words: readonly string[]): string {
  const [first = '', ...others] = words;
  const rest = others.join(' ');
  const last = words.at(-1) ?? '';
  if (/^(?:is|has|can|should)$/.test(first)) return `Tells whether the input ${first} ${rest}`;
  if (first === 'to') return `Converts its input to ${rest}`;
  if (/^(?:on|handle)$/.test(first)) return `Reacts to ${withArticle(rest || 'event')}`;
  if (/^(?:of|from|for)$/.test(last)) {
    return `Gives the ${words.slice(0, -1).join(' ')} ${last} its input`;
  }
  if (verbs.has(first)) return rest === '' ? conjugate(first) : `${conjugate(first)} the ${rest}`;
  return `Works out the ${words.join(' ')}`;
}

const verbs = new Set(
  'add append apply ask build calculate check choose clear close compute connect convert copy count create decode delete draw emit encode ensure escape estimate fetch filter find format generate get hide insert join listen load log make map match measure merge move notify open parse pick pop print push read register remove render replace reset resolve run save select send set show sort spend split start stop strip take test toggle trim update validate wait write'.split(
    ' ',
  ),
);

function conjugate(verb: string): string {
  const present = /(?:s|x|ch|sh|ss)$/.test(verb)
    ? `${verb}es`
    : `${verb.replace(/([^aeiou])y$/, '$1ie')}s`;
  return present.charAt(0).toUpperCase() + present.slice(1);
}

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
