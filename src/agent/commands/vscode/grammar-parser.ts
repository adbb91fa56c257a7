import { join } from 'node:path';
import type { Node, Parser } from '@vscode/tree-sitter-wasm';
import type { CommandParser, ShellKind, SyntaxNode } from '../command-line.ts';

/** Maximum depth of a syntax tree. A command with a deeper tree requires the user's approval. */
const maxDepth = 200;

/** Milliseconds after which parsing stops; the command then requires the user's approval. */
const parseTimeoutMs = 500;

/**
 * Creates a parser with the grammars of VS Code. Loads a grammar only when a command first needs it.
 * @param folder Folder of `tree-sitter.wasm` and the grammars.
 */
export function createCommandParser(folder: string): CommandParser {
  const parserPromises = new Map<ShellKind, Promise<Parser>>();
  return {
    async parse(shell, text) {
      let parserPromise = parserPromises.get(shell);
      if (!parserPromise) parserPromises.set(shell, (parserPromise = loadParser(folder, shell)));
      // Without a grammar, the command requires approval. The next command retries the load.
      const loadedParser = await parserPromise.catch(() => void parserPromises.delete(shell));
      return loadedParser && parseText(loadedParser, text);
    },
  };
}

interface DefaultExport<T> {
  readonly default: T;
}

async function loadParser(folder: string, shell: ShellKind): Promise<Parser> {
  const loadedModule = await import('@vscode/tree-sitter-wasm');
  // A CommonJS module: bundled it exports names, loaded by Node it is the default export.
  const { Language, Parser } =
    'Parser' in loadedModule
      ? loadedModule
      : (loadedModule as DefaultExport<typeof loadedModule>).default;
  await Parser.init({ locateFile: (file) => join(folder, file) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(folder, `tree-sitter-${shell}.wasm`)));
  return parser;
}

function parseText(parser: Parser, text: string): SyntaxNode | undefined {
  const deadline = performance.now() + parseTimeoutMs;
  // Every parser error has the same result: the command is unknown.
  try {
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    try {
      return tree ? copyTree(tree.rootNode, maxDepth) : undefined;
    } finally {
      tree?.delete();
    }
  } catch {
    return undefined;
  } finally {
    parser.reset();
  }
}

/**
 * Copies a syntax tree, because the original is freed with the memory of the parser. Returns undefined for a tree with
 * more than `depth` levels.
 */
function copyTree(node: Node, depth: number): SyntaxNode | undefined {
  if (depth === 0) return undefined;
  const children: SyntaxNode[] = [];
  for (const child of node.children) {
    const copy = child && copyTree(child, depth - 1);
    if (!copy) return undefined;
    children.push(copy);
  }
  const { type, text, isNamed, hasError } = node;
  return { type, text, isNamed, hasError: hasError || node.isMissing, children };
}
