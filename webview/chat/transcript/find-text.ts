/** No more matches than this are marked: beyond it nobody steps through them. */
export const maxMatches = 5_000;

/** Where `words` occur in the text of `roots`, whatever their case, also across inline elements. In document order. */
export function findText(roots: Iterable<Element>, words: string): Range[] {
  if (words === '') return [];
  const pattern = new RegExp(RegExp.escape(words), 'giu');
  const ranges: Range[] = [];
  for (const root of roots) {
    const pieces = textPieces(root);
    const text = pieces.map(({ node }) => node.data).join('');
    for (const { index, 0: match } of text.matchAll(pattern)) {
      ranges.push(rangeOf(pieces, index, index + match.length));
      if (ranges.length === maxMatches) return ranges;
    }
  }
  return ranges;
}

interface Piece {
  readonly node: Text;
  readonly start: number;
}

function textPieces(root: Element): Piece[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const pieces: Piece[] = [];
  let start = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!(node instanceof Text)) continue;
    pieces.push({ node, start });
    start += node.data.length;
  }
  return pieces;
}

function rangeOf(pieces: readonly Piece[], from: number, to: number): Range {
  const range = new Range();
  const first = pieceAt(pieces, from);
  const last = pieceAt(pieces, to - 1);
  range.setStart(first.node, from - first.start);
  range.setEnd(last.node, to - last.start);
  return range;
}

/** The piece that holds the character at `offset`, by halving: a long answer has thousands. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  if (piece === undefined) throw new RangeError('No text to find anything in');
  return piece;
}
