const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The beginning of a text, at most `limit` UTF-16 units long: cut between words when that leaves more than half of it,
 * else between characters as a person sees them. Never ends with a space or a hyphen that was cut at.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const next = text.charAt(limit);
  const cut = text.slice(0, limit);
  const gap = isGap(next) ? limit : Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('-'));
  return (gap > limit / 2 ? cut.slice(0, gap) : wholeCharacters(text, limit)).replace(
    /[ -]+$/u,
    '',
  );
}

const isGap = (character: string): boolean => character === ' ' || character === '-';

function wholeCharacters(text: string, limit: number): string {
  let end = 0;
  // What follows decides whether a character is over, so a little more than the limit is looked at.
  for (const { index, segment } of graphemes.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
