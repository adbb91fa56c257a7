/** Line ends in a text, of every kind that the editor takes for one. Stops counting above `most`. */
export function countLineEnds(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) count += 1;
  }
  return count;
}
