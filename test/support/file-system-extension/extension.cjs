const { mkdir, readdir, readFile, rename, rm, stat, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const vscode = require('vscode');

/**
 * Folder with the files of the file system. Tests access this folder directly. VS Code accesses the files only under
 * `tide-fs:/w`.
 */
const root = process.env.TIDE_FS_FOLDER ?? '';
const place = ({ path }) => join(root, path);

const typeOf = (found) => (found.isDirectory() ? vscode.FileType.Directory : vscode.FileType.File);

/** Converts a disk error to a VS Code file system error. */
async function convertErrors(uri, work) {
  try {
    return await work(place(uri));
  } catch (error) {
    if (error.code === 'ENOENT') throw vscode.FileSystemError.FileNotFound(uri);
    throw error;
  }
}

const onDidChangeFileEmitter = new vscode.EventEmitter();
const notifyChanged = (uri, type) => onDidChangeFileEmitter.fire([{ type, uri }]);

const files = {
  onDidChangeFile: onDidChangeFileEmitter.event,
  watch: () => new vscode.Disposable(() => {}),
  stat: (uri) =>
    convertErrors(uri, async (path) => {
      const found = await stat(path);
      const { size, ctimeMs: ctime, mtimeMs: mtime } = found;
      return { type: typeOf(found), size, ctime, mtime };
    }),
  readDirectory: (uri) =>
    convertErrors(uri, async (path) =>
      (await readdir(path, { withFileTypes: true })).map((entry) => [entry.name, typeOf(entry)]),
    ),
  readFile: (uri) => convertErrors(uri, (path) => readFile(path)),
  createDirectory: (uri) => convertErrors(uri, (path) => mkdir(path)),
  writeFile: async (uri, content) => {
    await convertErrors(uri, (path) => writeFile(path, content));
    notifyChanged(uri, vscode.FileChangeType.Changed);
  },
  delete: async (uri) => {
    await convertErrors(uri, (path) => rm(path, { recursive: true }));
    notifyChanged(uri, vscode.FileChangeType.Deleted);
  },
  rename: async (from, to) => {
    await convertErrors(from, (path) => rename(path, place(to)));
    notifyChanged(from, vscode.FileChangeType.Deleted);
    notifyChanged(to, vscode.FileChangeType.Created);
  },
};

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('tide-fs', files, { isCaseSensitive: true }),
  );
};
