/** Hues of color names in prompts and instructions, in degrees. */
const huesByName: Readonly<Record<string, number>> = {
  red: 0,
  orange: 30,
  yellow: 52,
  green: 120,
  teal: 175,
  cyan: 188,
  blue: 222,
  purple: 275,
  violet: 275,
  pink: 330,
};

/**
 * Returns the hue of the first color name in the text, in degrees; undefined if there is no color
 * name.
 */
export function findHue(text: string): number | undefined {
  const word = text
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.find((candidate) => Object.hasOwn(huesByName, candidate));
  return word === undefined ? undefined : huesByName[word];
}
