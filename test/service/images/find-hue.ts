/** Hues in degrees of the colors that prompts and instructions name. */
const hues: Readonly<Record<string, number>> = {
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

/** The first color that the text names, as a hue in degrees. */
export function findHue(text: string): number | undefined {
  const word = text
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.find((each) => Object.hasOwn(hues, each));
  return word === undefined ? undefined : hues[word];
}
