import type { PostMessage } from './store.ts';
import { addStyle } from '../base/element.ts';

/**
 * Data types of drags, preferred type first. Drags from the Explorer and from editor tabs contain both types. Drags
 * from other programs contain only `text/uri-list`.
 */
const uriListTypes = ['application/vnd.code.uri-list', 'text/uri-list'] as const;
const maxDroppedUris = 50;
const maxUriLength = 4_096;

/** Accepts drops of files and folders from VS Code anywhere on the page. The first drag loads this module. */
export function acceptContextDrops(root: HTMLElement, post: PostMessage): void {
  addStyle(style);
  const markDropTarget = (isMarked: boolean): void =>
    void root.classList.toggle('drop-target', isMarked);
  root.addEventListener('dragover', (event) => {
    if (!isVsCodeDrag(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    markDropTarget(true);
  });
  root.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !root.contains(relatedTarget)) markDropTarget(false);
  });
  root.addEventListener('drop', (event) => {
    markDropTarget(false);
    if (!isVsCodeDrag(event.dataTransfer)) return;
    event.preventDefault();
    const uris = getUris(event.dataTransfer);
    if (uris.length > 0) post({ type: 'context-drop', uris });
  });
}

/** Parses a `text/uri-list`, which has one URI per line. Ignores comment lines. */
export function readUriList(text: string): string[] {
  const lines = text.split(/\r?\n/u).map((line) => line.trim());
  const uris = lines.filter(
    (line) => line !== '' && !line.startsWith('#') && line.length <= maxUriLength,
  );
  return [...new Set(uris)].slice(0, maxDroppedUris);
}

/**
 * Checks whether the drag comes from VS Code. The composer handles the files of other drags, because the page can read
 * their bytes.
 */
function isVsCodeDrag(transfer: DataTransfer | null): transfer is DataTransfer {
  if (transfer === null || transfer.types.includes('Files')) return false;
  return uriListTypes.some((type) => transfer.types.includes(type));
}

function getUris(transfer: DataTransfer): string[] {
  const uriLists = uriListTypes.map((type) => readUriList(transfer.getData(type)));
  return uriLists.find((list) => list.length > 0) ?? [];
}

const style = `
.drop-target .composer-box {
  outline: 2px dashed var(--vscode-focusBorder);
  outline-offset: -2px;
}
`;
