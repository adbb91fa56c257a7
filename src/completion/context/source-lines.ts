/**
 * The lines of a text in order, without their ends; longer ones than `longest` are left out as empty, since they are
 * data and not code. Reads no more than `most` characters.
 */
export function* sourceLines(text: string, most: number, longest = 400): Generator<string> {
  const end = Math.min(text.length, most);
  for (let at = 0; at <= end;) {
    const feed = text.indexOf('\n', at);
    const stop = feed < 0 || feed > end ? end : feed;
    const line = stop - at > longest ? '' : text.slice(at, stop);
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    at = stop + 1;
  }
}
