const endings =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|jsonl|md|mdx|txt|log|py|ipynb|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|bash|ps1|bat|css|scss|less|html|htm|xml|svg|yml|yaml|toml|ini|cfg|conf|env|lock|sql|png|jpg|jpeg|gif|webp|bin|vue|svelte|csv|tsv|swift|dart|lua|pl|proto|pem|key|bak|new|old';

const frameworks = /^(?:node|next|nuxt|vue|three|express|react|d3)\.js$/i;

const pairs =
  /^(?:and\/or|read\/write|client\/server|true\/false|yes\/no|input\/output|i\/o|n\/a)$/i;

const shapes = [
  new RegExp(`^[\\w@.+-]+\\.(?:${endings})$`, 'i'),
  /^(?:[A-Za-z]:)?[\w@~.+\\-]*\/[\w@.+/\\-]*$/,
  /^(?:Makefile|Dockerfile|LICENSE|README|CHANGELOG|\.(?:env|git|npm|editor|prettier|eslint|vscode)[\w.-]*)$/,
];

/** `src/a.ts`, `README.md`, `src/`, `Makefile`; not `Node.js`, `JSON.parse`, a version or an option. */
export const isPathLike = (text: string): boolean =>
  /\w/.test(text) &&
  !frameworks.test(text) &&
  !pairs.test(text) &&
  !text.startsWith('//') &&
  shapes.some((shape) => shape.test(text));

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** With its slash; empty for a file at the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** As a person reads it: `a.ts`, `b.ts`. */
export const listOf = (paths: readonly string[]): string =>
  paths.map((path) => `\`${path}\``).join(', ');
