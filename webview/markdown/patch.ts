/**
 * Makes the children of `parent` from index `from` on equal to `next`. What is equal at the beginning
 * is kept, so a block growing at its end keeps its nodes: focus, selection and buttons stay.
 */
export function patchChildren(parent: Node, from: number, next: readonly Node[]): void {
  let old: Node | null = parent.childNodes[from] ?? null;
  let index = 0;
  for (; old && index < next.length; index += 1) {
    const wanted = next[index]!;
    const following: Node | null = old.nextSibling;
    if (!old.isEqualNode(wanted)) {
      if (patchNode(old, wanted)) {
        old = following;
        index += 1;
      }
      break;
    }
    old = following;
  }
  removeFrom(old);
  for (; index < next.length; index += 1) parent.appendChild(next[index]!);
}

/** Makes `old` equal to `next` if they are of one kind; returns whether they are. */
export function patchNode(old: Node, next: Node): boolean {
  if (old instanceof Text && next instanceof Text) {
    if (next.data.startsWith(old.data)) old.appendData(next.data.slice(old.data.length));
    else old.data = next.data;
    return true;
  }
  if (old.nodeName !== next.nodeName) return false;
  if (!old.cloneNode(false).isEqualNode(next.cloneNode(false))) return false;
  patchChildren(old, 0, [...next.childNodes]);
  return true;
}

function removeFrom(node: Node | null): void {
  while (node) {
    const next = node.nextSibling;
    node.parentNode?.removeChild(node);
    node = next;
  }
}
