/**
 * Checks whether a line is prose, such as a model's explanation, instead of program code. Returns `maybe` only for an
 * incomplete line that can still turn out to be prose. Examines at most {@link maxExaminedLineLength} characters.
 */
export function classifyProse(line: string, isWholeLine: boolean): 'yes' | 'no' | 'maybe' {
  const text = line.slice(0, maxExaminedLineLength).trim();
  if (!/^(?:[A-Z*]|\d+\.|(?:here|sure|the)\b|(?:h|he|her|s|su|sur|t|th)$)/u.test(text)) return 'no';
  if (hasCodeCharacters(text)) return 'no';
  if (!isWholeLine) return 'maybe';
  return isExplanation(text) ? 'yes' : 'no';
}

const maxExaminedLineLength = 160;

/**
 * Checks whether a text contains characters that are typical of program code. Ignores quoted code
 * and everything after an unclosed backtick.
 */
function hasCodeCharacters(text: string): boolean {
  const textWithoutCode = text.replaceAll(/`[^`]*(?:`|$)/gu, 'x');
  if (/[;{}=\\|@$<>]|\w\(|\w\[/u.test(textWithoutCode)) return true;
  // Matches `key:value`, `Type.member` and `SELECT name`.
  return /^\W*[\w-]+:[^\s*]|^[A-Z]\w*(?:\.\w|::)|^[A-Z_]{2,}\s/u.test(textWithoutCode);
}

function isExplanation(text: string): boolean {
  const textWithoutCode = text.replaceAll(/`[^`]*`/gu, 'x').replaceAll(/[*_#>]/gu, '');
  if (
    /^\W*(?:sure|certainly|of course|okay|ok|great|absolutely|explanation|note|output|example|usage|answer|completion|code|solution|result)[,.!:](?:\s|$)/iu.test(
      textWithoutCode,
    )
  )
    return true;
  const words = textWithoutCode
    .split(/\s+/u)
    .filter((word) => /^["'(]?\p{L}[\p{L}'’-]*[)"',.:;!?]*$/u.test(word));
  if (words.length < 2) return false;
  if (explanationOpeningPattern.test(textWithoutCode)) return true;
  return words.length >= 3 && /[.:!?]["')]*$/u.test(textWithoutCode);
}

/** Pattern of the phrases with which models commonly start explanations, such as `Here is`. */
const explanationOpeningPattern =
  /^\W*(?:here(?:'s| is| are|’s)|this (?:code|function|method|class|line|will|is|completes|returns|adds|implements|uses|checks)|the (?:code|function|missing|completed|above|following|completion|answer|rest)|note that|in this|i(?:'ve|'ll| have| will| added| completed)|you (?:can|need|should|may)|to (?:complete|fix|finish|implement)|let me|let's|below is|based on|explanation|as you can|it looks|we (?:can|need|use|first))\b/iu;

/** Checks whether a complete line is a sentence rather than program code. */
export const isSentence = (line: string): boolean => classifyProse(line, true) === 'yes';
