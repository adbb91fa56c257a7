const { mkdir, readdir, readFile, rename, rm, stat, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const vscode = require('vscode');

/** A test looks into this folder; the editor knows only `tide-fs:/w`. */
const root = process.env.TIDE_FS_FOLDER ?? '';
const place = ({ path }) => join(root, path);

const typeOf = (found) => (found.isDirectory() ? vscode.FileType.Directory : vscode.FileType.File);

/** Converts a disk error to a VS Code file system error. */
async function told(uri, work) {
  try {
    return await work(place(uri));
  } catch (error) {
    if (error.code === 'ENOENT') throw vscode.FileSystemError.FileNotFound(uri);
    throw error;
  }
}

const changes = new vscode.EventEmitter();
const changed = (uri, type) => changes.fire([{ type, uri }]);

const files = {
  onDidChangeFile: changes.event,
  watch: () => new vscode.Disposable(() => {}),
  stat: (uri) =>
    told(uri, async (path) => {
      const found = await stat(path);
      const { size, ctimeMs: ctime, mtimeMs: mtime } = found;
      return { type: typeOf(found), size, ctime, mtime };
    }),
  readDirectory: (uri) =>
    told(uri, async (path) =>
      (await readdir(path, { withFileTypes: true })).map((each) => [each.name, typeOf(each)]),
    ),
  readFile: (uri) => told(uri, (path) => readFile(path)),
  createDirectory: (uri) => told(uri, (path) => mkdir(path)),
  writeFile: async (uri, content) => {
    await told(uri, (path) => writeFile(path, content));
    changed(uri, vscode.FileChangeType.Changed);
  },
  delete: async (uri) => {
    await told(uri, (path) => rm(path, { recursive: true }));
    changed(uri, vscode.FileChangeType.Deleted);
  },
  rename: async (from, to) => {
    await told(from, (path) => rename(path, place(to)));
    changed(from, vscode.FileChangeType.Deleted);
    changed(to, vscode.FileChangeType.Created);
  },
};

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('tide-fs', files, { isCaseSensitive: true }),
  );
};
