import type { Post } from './store.ts';
import { addStyle } from '../base/element.ts';

/** What the explorer and editor tabs put on a drag, most exact first; others have only the second. */
const types = ['application/vnd.code.uri-list', 'text/uri-list'] as const;
const mostUris = 50;
const longestUri = 4_096;

/** Takes files and folders of the editor that are dropped on the page. Loaded with the first drag. */
export function acceptContextDrops(root: HTMLElement, post: Post): void {
  addStyle(style);
  const mark = (on: boolean): void => void root.classList.toggle('drop-target', on);
  root.addEventListener('dragover', (event) => {
    if (!isOurs(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    mark(true);
  });
  root.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !root.contains(relatedTarget)) mark(false);
  });
  root.addEventListener('drop', (event) => {
    mark(false);
    if (!isOurs(event.dataTransfer)) return;
    event.preventDefault();
    const uris = urisOf(event.dataTransfer);
    if (uris.length > 0) post({ type: 'context-drop', uris });
  });
}

/** A list of addresses as the standard has it: one a line, and comments. */
export function readUriList(text: string): string[] {
  const lines = text.split(/\r?\n/u).map((line) => line.trim());
  const uris = lines.filter(
    (line) => line !== '' && !line.startsWith('#') && line.length <= longestUri,
  );
  return [...new Set(uris)].slice(0, mostUris);
}

/** Files from outside the editor come with their bytes, and are taken elsewhere. */
function isOurs(transfer: DataTransfer | null): transfer is DataTransfer {
  if (transfer === null || transfer.types.includes('Files')) return false;
  return types.some((type) => transfer.types.includes(type));
}

function urisOf(transfer: DataTransfer): string[] {
  const lists = types.map((type) => readUriList(transfer.getData(type)));
  return lists.find((list) => list.length > 0) ?? [];
}

const style = `
.drop-target .composer-box {
  outline: 2px dashed var(--vscode-focusBorder);
  outline-offset: -2px;
}
`;
