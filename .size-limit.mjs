import { readFileSync } from 'node:fs';

const { host, webview } = JSON.parse(readFileSync('.artefacts/metafiles.json', 'utf8'));

/** A file and everything that it imports statically: what is loaded together. */
function loadedWith({ outputs }, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind } of outputs[path].imports)
    if (kind === 'import-statement' && outputs[imported]) loadedWith({ outputs }, imported, found);
  return found;
}

const chunks = Object.keys(host.outputs);
const chunk = (name) =>
  chunks.find((path) => path.startsWith(`dist/host/chunks/${name}-`) && path.endsWith('.js'));
const start = loadedWith(host, 'dist/host/extension.js');

/** What comes on top of the start when a part is used first. */
const later = (...names) => {
  const found = new Set(names.flatMap((name) => [...loadedWith(host, chunk(name))]));
  return [...found].filter((path) => !start.has(path));
};

const chatPage = loadedWith(webview, 'dist/webview/main.js');
const isScript = (path) => path.endsWith('.js');
const formulas = Object.keys(webview.outputs).find((path) =>
  path.includes('/chunks/render-formula-'),
);

const budget = (name, path, limit) => ({ name, path, gzip: true, limit });

export default [
  budget('host, at start', [...start], '33 kB'),
  // Loaded right after the start, whatever is used. Wallet code once came along unnoticed.
  budget(
    'host, status bar and hints after the start',
    later('status-bar', 'unfinished-hints'),
    '8 kB',
  ),
  budget('host, HTTP on first use', 'dist/host/chunks/*-transport-*.js', '105 kB'),
  // With the optional fields of requests: which of them a service refused, and how the user restores them. Four
  // kilobytes read and show what is left of damaged chats and keep two windows apart; two are the export of chats and
  // the connect form. Four tell secret files from an open file that can be offered; two are the titles, the groups and
  // the deletion of chats; two restore chats and files to before a message.
  // Four queue messages, call the user, list running chats and start plans. One binds queued messages to their turn,
  // connection and protection. Two run delegated tasks, choose a model that replaces a failed one, and show the context.
  // A half stores the records of requested models, so that a chat can replace a removed model after a restart.
  // A half waits until the time of a `Retry-After` header. A fifth reads files and exit codes of calls for their rows.
  // A fifth pauses titles after failures. A twentieth recognizes notebooks without a
  // text tab, in a file that it shares with agents. A tenth restores the unsent content of deleted chats.
  // A quarter lists, deletes and restores chats that have only unsent content.
  budget('host, chat on first use', later('chat-runtime'), '83.75 kB'),
  // With the tools that other features give it: the first request lists them all.
  budget(
    'host, agent on first use',
    later('agent-runtime', 'agent-tools', 'generate-image-tool'),
    // Most of it judges commands: the complete options of the programs that only read, and the settings with which a
    // repository makes Git run programs. One kilobyte lists deferred tools
    // and stores instruction files; one compares the errors of a file before and after an edit.
    // One is what the code of notebooks, which loads on first use, shares with the other tools.
    // Two are names of secret files and of files that tools load.
    // Two and a half read the headers of skills and custom agents, and map the names of their tools.
    // One and a half writes the todo list and keeps it through summaries.
    // Two delegate tasks with a shared budget, and run commands in a visible terminal.
    // Two are checks of fallback models and of incomplete answers, and longer names of members.
    // Two thirds of one convert service messages to plain text, and merge text that the user types during a rename.
    // One counts the changes that the user keeps one by one, and marks the removed words of a line. A fifth skips lines
    // without common words, whose comparison takes long. A half checks edits of notebooks and the file of a code block.
    // A tenth writes notebooks without a text tab on disk, so that VS Code does not save them in its own format.
    // Three fifths restore lines of closed notebooks on disk, and read the settings for read-only files.
    // Three quarters find images, HTML and scripts in notebooks, which their editor fetches or runs.
    '188.2 kB',
  ),
  // Five kilobytes unwrap the edits of models and find placeholders for omitted code; two index large files.
  // One restores lost indentation of replacements; a third of one finds short searches with an index. One and a half
  // know placeholders in several languages. A third of one recognizes code and remarks that resemble placeholders.
  // Half a kilobyte is what compresses less since placeholders are a file that inline suggestions share.
  // Three quarters of one refuse replacements whose lost indentation has two meanings.
  // A fifth names the lines of the file for searches in a fence, with line numbers or with placeholders.
  // Half of one distinguishes headers of blocks and backslashes of the language. Half of one finds placeholders in the
  // comments of single languages, and in comments of three lines. A fifth deletes whole lines with their line break. Two
  // thirds are what compresses less since commit messages share only the code that unwraps edits.
  budget('host, edits on first use', later('apply-hunks'), '29 kB'),
  // With four routes: chat, a suffix, a written prompt with FIM tokens, and /infill. Half a kilobyte
  // reads fences and reasoning of all model answers. Three and a half kilobytes find the next edit in the file and show
  // it; its request to a model is a chunk of its own. Two thirds of one
  // end suggestions before placeholders and recognize edits in answers. A twentieth recognizes notebooks
  // without a text tab, in a file that it shares with agents.
  budget('host, inline suggestions once they are on', later('completion-runtime'), '68.8 kB'),
  // With the requests that whichever part comes first loads. Two kilobytes find images again whose entries are damaged.
  // Two plan the edits that agents request. A fifth merges changes for a loading page. A twentieth recognizes notebooks
  // without a text tab, in a file that it shares with agents.
  budget('host, images on first use', later('image-runtime'), '81.4 kB'),
  // Most of it is the MCP SDK with its schemas. VS Code starts the server when a chat uses its tools.
  budget('host, MCP server on first use', later('mcp-tools'), '260 kB'),
  // Most of it is viem. The form for the settings of a chain is two kilobytes.
  budget('host, wallets on first use', later('mint-command'), '245 kB'),
  budget(
    'host, shell grammars on the first command',
    ['dist/host/chunks/tree-sitter*.js', 'dist/host/*.wasm'],
    '388.5 kB',
  ),
  // Two kilobytes close the marks of an unfinished answer; one turns paths into links. Two tell formulas, whose source is
  // no Markdown, from prices and shell variables, and hold unfinished ones back. One lays out long
  // tables, numbers the sources of a turn and queues diagrams. Two are the connect form; one groups long conversations
  // and estimates their heights. One is the menus of the mode, the permission level and the approval.
  // Two and a half are the queued messages, the todo list and the actions of a plan. A third of one groups the items of
  // long lists. Two thirds of one show short diffs in approvals, commands in rows, and reasons of held messages.
  // A quarter shows waits of hours and days, and names values by object and unit.
  // A tenth keeps text that was typed just before a reload, and edited messages.
  budget('chat, before its first paint', [...chatPage, 'dist/webview/style.css'], '77.8 kB'),
  budget('chat, scripts before its first paint', [...chatPage], '70 kB'),
  // The drawing library, most of it the layout of graphs. It loads with the first diagram of an answer.
  budget('chat, diagrams on first use', 'dist/webview/chunks/diagram-*.js', '480 kB'),
  // All that the page has besides: pickers, menus, options, highlighting of 23 languages, sound. Each part is a file of
  // its own.
  budget(
    'chat, on first use',
    Object.keys(webview.outputs).filter(
      (path) =>
        isScript(path) && !chatPage.has(path) && path !== formulas && !path.includes('/diagram-'),
    ),
    '85.5 kB',
  ),
  // KaTeX. The browser loads only the fonts that a formula uses: mostly two, of 43 kB.
  budget('chat, on its first formula', [formulas, 'dist/webview/formulas.css'], '82 kB'),
  budget('chat, all fonts of formulas', ['dist/webview/KaTeX_*.woff2'], '262 kB'),
  budget(
    'image studio, before its first paint',
    ['dist/webview/studio.js', 'dist/webview/studio.css'],
    '40.5 kB',
  ),
  budget('usage page', ['dist/webview/usage.js', 'dist/webview/usage.css'], '13.3 kB'),
  budget('dictation page', ['dist/webview/dictation.js', 'dist/webview/dictation.css'], '6 kB'),
  budget('wallet page', ['dist/webview/wallet.js', 'dist/webview/wallet.css'], '16.5 kB'),
];
