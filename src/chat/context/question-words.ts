/** Most words that a question is searched by. */
export const mostWords = 8;

const shortest = 3;
const longest = 80;

/**
 * The words of a question that its answer may hold, most telling first: names as programs write them, then long words.
 * Commands, mentions and words that every question has are left out. At most {@link mostWords}.
 */
export function questionWords(question: string): readonly string[] {
  const plain = question.replaceAll(/(?:^|(?<=\s))[#/]\S*/gu, ' ');
  const words = plain.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$-]*/gu) ?? [];
  const found = new Map<string, string>();
  for (const word of words.map((each) => each.replace(/-+$/u, ''))) {
    const key = word.toLowerCase();
    if (word.length < shortest || word.length > longest || common.has(key)) continue;
    if (/^\d+$/u.test(word) || found.has(key)) continue;
    found.set(key, word);
  }
  return [...found.values()].toSorted((a, b) => weight(b) - weight(a)).slice(0, mostWords);
}

/** Names that join several words are hardly ever anything else. */
const weight = (word: string): number =>
  (/[a-z\d][A-Z]|[_$]|\w-\w/u.test(word) ? 100 : 0) + word.length;

const common = new Set(
  `about above after again all also and any are because been before being below between both but can cannot class code
  codebase could describe did does doing done down each explain file files find for from function functions get give
  had has have having help here how into its just like look make makes more most need not now off once one only other
  our out over please project same should show some such tell than that the their them then there these they this
  those through under until use used uses using very want was way were what when where which while who whole why will
  with work works workspace would write you your
  aber als auch auf aus bei das dass den der des die dies eine einen einer für hat ich ist kann mit nach nicht oder
  sich sind und von was wenn werden wie wird wo zum zur
  avec comment dans des est les mais pour quel que qui sont sur une
  como con cual del donde los las para por que son una`.split(/\s+/u),
);
