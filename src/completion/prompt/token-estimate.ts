/**
 * About how many characters of a text make a token: 3.2 of code in Latin letters, 1.2 of other scripts. Looks at no
 * more than 512 of them.
 */
export function charactersPerToken(text: string): number {
  const step = Math.max(1, Math.floor(text.length / 512));
  let [seen, wide] = [0, 0];
  for (let at = 0; at < text.length; at += step) {
    seen += 1;
    if (text.charCodeAt(at) > lastOfLatin) wide += 1;
  }
  const wideShare = seen === 0 ? 0 : wide / seen;
  return 1 / ((1 - wideShare) / 3.2 + wideShare / 1.2);
}

/** About how many tokens a text is. */
export const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken(text));

const lastOfLatin = 0x2ff;
