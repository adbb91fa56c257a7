import { generateFromSelection } from '../../src/image/vscode/insert-image.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createSourceReader } from '../../src/image/vscode/run-image-task.ts';
import { confirm, showProgress } from '../../src/platform/notifications.ts';
import { readImageHeader } from '../../src/image/image-header.ts';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { Dialogs } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import {
  FakeCancellableProgress,
  listGalleryFiles,
  type ImagesFixture,
  createImagesFixture,
} from './images-fixture.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);

/** Selects a small size and the PNG format for images, so that file names and sizes are predictable. */
async function useSmallImages({ images }: ImagesFixture): Promise<void> {
  const { model } = images.choice;
  assert.ok(model);
  await images.choice.storeChoice(model, { width: 256, height: 256, format: 'png' });
}

const listImageFileNames = ({ folder }: ImagesFixture): string[] =>
  readdirSync(vscode.Uri.joinPath(folder, 'images').fsPath);

suite('image generation for a document', () => {
  const image = 'images/a-red-fox-7.png';
  const references: readonly (readonly [string, string])[] = [
    ['a.md', `![a red fox](${image})`],
    ['a.mdx', `![a red fox](${image})`],
    ['a.html', `<img src="${image}" alt="a red fox" width="256" height="256">`],
    ['a.vue', `<img src="./${image}" alt="a red fox" width="256" height="256" />`],
    ['a.rst', `\n\n.. image:: ${image}\n   :alt: a red fox`],
    ['a.svelte', `<img src="${image}" alt="a red fox" width="256" height="256">`],
    ['a.tsx', `<img src="${image}" alt="a red fox" width={256} height={256} />`],
    ['a.css', `url("${image}")`],
    ['a.scss', `url("${image}")`],
    ['a.less', `url("${image}")`],
    ['a.txt', image],
    ['a.py', image],
  ];
  const proseFiles = new Set(['a.md', 'a.mdx', 'a.html', 'a.svelte', 'a.vue', 'a.txt']);
  for (const [name, reference] of references) {
    test(`inserts into ${name} the reference ${reference}`, async () => {
      await control.reset();
      using fixture = await createImagesFixture();
      await useSmallImages(fixture);
      const { document } = await fixture.openFile(name, 'a red fox');
      await generateFromSelection(fixture.images);
      assert.equal(document.getText(), `a red fox${proseFiles.has(name) ? ' ' : ''}${reference}`);
      assert.deepEqual(listImageFileNames(fixture), ['a-red-fox-7.png']);
    });
  }

  for (const [name, expected] of [
    ['a.tex', /\\includegraphics.*\{images\/a-red-fox-7\.png\}/u],
    ['a.adoc', /^image::images\/a-red-fox-7\.png\[/mu],
    ['a.typ', /image\("images\/a-red-fox-7\.png"/u],
    ['a.org', /^.*\[\[file:images\/a-red-fox-7\.png\]\]/mu],
  ] as const) {
    test(`inserts into ${name} a reference in the document’s own markup`, async () => {
      await control.reset();
      using fixture = await createImagesFixture();
      await useSmallImages(fixture);
      const { document } = await fixture.openFile(name, 'a red fox');
      await generateFromSelection(fixture.images);
      assert.match(document.getText(), expected);
    });
  }

  test('writes the generated image to the requested file', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await fixture.openFile('a.md', 'a red fox');
    await generateFromSelection(fixture.images);
    const bytes = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    assert.deepEqual(readImageHeader(bytes), { format: 'png', width: 256, height: 256 });
    const [request] = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/image/generate'),
    );
    const body = request?.body as Record<string, unknown>;
    assert.equal(body['return_binary'], true);
    assert.equal(body['seed'], 7);
    assert.equal('variants' in body, false);
  });

  test('numbers the file of a second image with the same name', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const editor = await fixture.openFile('a.md', 'a red fox');
    await generateFromSelection(fixture.images);
    const firstBytes = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    editor.selection = new vscode.Selection(0, 0, 0, 9);
    await generateFromSelection(fixture.images);
    assert.deepEqual(listImageFileNames(fixture), ['a-red-fox-7-2.png', 'a-red-fox-7.png']);
    assert.match(editor.document.getText(), /images\/a-red-fox-7-2\.png/u);
    const currentBytes = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    assert.deepEqual(currentBytes, firstBytes, 'the first one is untouched');
  });

  test('can be undone in one step that removes the reference, and removes the file only after confirmation', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { executeCommand } = vscode.commands;
    const { document } = await fixture.openFile('a.md', 'a red fox');
    await generateFromSelection(fixture.images);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Delete');
    await executeCommand('undo');
    assert.equal(document.getText(), 'a red fox');
    assert.match(dialogs.shownMessages.join(), /The reference was removed\. .*a-red-fox-7\.png/u);
    await waitForDeletion(vscode.Uri.joinPath(fixture.folder, image));
    assert.deepEqual(listImageFileNames(fixture), []);
  });

  test('uses a prompt that looks like a path or markup as plain text', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const prompt = '../../.vscode/tasks.json](javascript:alert(1)) <script>';
    const { document } = await fixture.openFile('a.md', prompt);
    await generateFromSelection(fixture.images);
    assert.deepEqual(listImageFileNames(fixture).length, 1);
    assert.match(listImageFileNames(fixture)[0] ?? '', /^[a-z0-9-]+-7\.png$/u);
    const reference = document.getText().slice(prompt.length);
    assert.doesNotMatch(reference, /(?<!\\)\]\(javascript/u);
    assert.doesNotMatch(reference, /(?<!\\)<script/u);
  });
});

async function waitForDeletion(uri: vscode.Uri): Promise<void> {
  await eventually(() => assert.rejects(async () => vscode.workspace.fs.stat(uri), uri.path));
}

suite('image generation in progress', () => {
  const holdGeneration = async (afterBytes?: number): Promise<void> => {
    await control.reset();
    const fault = { kind: 'hold', name: 'image', ...(afterBytes && { afterBytes }) } as const;
    await control.injectFault({ match: { path: '/image/generate' }, fault });
  };
  const waitForGeneration = (): Promise<unknown> =>
    control.waitForRequest(({ path }) => path.endsWith('/image/generate'));

  test('inserts the reference at the tracked cursor position while the user types', async () => {
    await holdGeneration();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const editor = await fixture.openFile('a.md', 'a red fox\nend');
    editor.selection = new vscode.Selection(0, 0, 0, 9);
    const generationPromise = generateFromSelection(fixture.images);
    await waitForGeneration();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'First\n'));
    await control.releasePause('image');
    await generationPromise;
    assert.equal(
      editor.document.getText(),
      'First\na red fox ![a red fox](images/a-red-fox-7.png)\nend',
    );
  });

  test('aborts the request on Cancel, and leaves no file', async () => {
    await holdGeneration(2_000);
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await fixture.openFile('a.md', 'a red fox');
    using progress = new FakeCancellableProgress();
    const generationPromise = generateFromSelection(fixture.images);
    await waitForGeneration();
    await progress.startPromise;
    progress.cancelProgress();
    await generationPromise;
    await control.waitForRequest(
      ({ path, abortedByClient }) => path.endsWith('/image/generate') && abortedByClient === true,
    );
    assert.equal(document.getText(), 'a red fox');
    assert.deepEqual(await fixture.images.gallery.list(), []);
    assert.deepEqual(listGalleryFiles(fixture), []);
    assert.deepEqual(readdirSync(fixture.folder.fsPath), ['a.md']);
  });

  test('inserts the reference even if the user closed the editor', async () => {
    await holdGeneration();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await fixture.openFile('a.md', 'a red fox');
    const generationPromise = generateFromSelection(fixture.images);
    await waitForGeneration();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await control.releasePause('image');
    await generationPromise;
    assert.equal(document.getText(), 'a red fox ![a red fox](images/a-red-fox-7.png)');
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
  });
});

suite('image generation with a problem', () => {
  const partialImageOffer = /^The image is incomplete or too large.* Save or discard it\.$/u;
  const refusals: readonly (readonly [
    string,
    Parameters<Control['injectFault']>[0]['fault'],
    ...RegExp[],
  ])[] = [
    [
      'no balance',
      { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
      /balance|credit/iu,
    ],
    [
      'markup with the media type of an image',
      {
        kind: 'body',
        contentType: 'image/png',
        text: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      /^The service sent something that is no PNG, JPEG or WebP image\. Retry/u,
    ],
    [
      'an HTML page',
      { kind: 'html' },
      /^The reply is not from the service\. Check the base address/u,
    ],
    [
      'a connection reset during the image',
      { kind: 'reset', afterBytes: 500 },
      partialImageOffer,
      /^The connection ended before the answer was complete\./u,
    ],
    ['an image that ends early', { kind: 'end', afterBytes: 500 }, partialImageOffer],
  ];
  for (const [name, fault, ...expected] of refusals) {
    test(`reports ${name}, and writes nothing`, async () => {
      await control.reset();
      await control.injectFault({ match: { path: '/image/generate' }, fault });
      using fixture = await createImagesFixture();
      await useSmallImages(fixture);
      const { document } = await fixture.openFile('a.md', 'a red fox');
      using dialogs = new Dialogs();
      await generateFromSelection(fixture.images);
      assert.equal(dialogs.shownMessages.length, expected.length);
      for (const [index, message] of dialogs.shownMessages.entries())
        assert.match(message, expected[index] ?? /^$/u);
      assert.equal(document.getText(), 'a red fox');
      assert.deepEqual(readdirSync(fixture.folder.fsPath), ['a.md']);
      assert.deepEqual(listGalleryFiles(fixture), []);
    });
  }

  test('retries after the delay that a busy service states', async () => {
    await control.reset();
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: {
        kind: 'status',
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: 'Busy' },
      },
    });
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await fixture.openFile('a.md', 'a red fox');
    using progress = new FakeCancellableProgress();
    await generateFromSelection(fixture.images);
    assert.match(document.getText(), /images\/a-red-fox-7\.png/u);
    assert.match(progress.progressMessages.join('\n'), /Try 2 in 1 s/u);
  });

  test('creates no file for a prompt that the service rejects, and shows the reason', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await fixture.openFile('a.md', 'a forbidden fox');
    using dialogs = new Dialogs();
    await generateFromSelection(fixture.images);
    assert.match(dialogs.shownMessages.join(), /content rules/u);
    assert.equal(document.getText(), 'a forbidden fox');
    const [record] = await fixture.images.gallery.list();
    assert.deepEqual(record?.price, { usd: 0, diem: 0 });
  });

  test('inserts a blurred image only after confirmation', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const editor = await fixture.openFile('a.md', 'a nude fox');
    using dialogs = new Dialogs();
    await generateFromSelection(fixture.images);
    assert.match(dialogs.shownMessages.join(), /Blurred by safe mode/u);
    assert.equal(editor.document.getText(), 'a nude fox');
    dialogs.buttonsToPress.push('Insert');
    await generateFromSelection(fixture.images);
    assert.match(editor.document.getText(), /images\/a-nude-fox-7\.png/u);
  });

  test('rejects an image folder outside the workspace before the service charges anything', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await fixture.openFile('a.md', 'a red fox');
    const settings = vscode.workspace.getConfiguration('inferenceService.image');
    await settings.update('folder', '../../../elsewhere', vscode.ConfigurationTarget.Workspace);
    try {
      using dialogs = new Dialogs();
      await generateFromSelection(fixture.images);
      assert.match(dialogs.shownMessages.join(), /inside of the workspace/u);
      const generateRequests = (await control.getRequests()).filter(({ path }) =>
        path.endsWith('/generate'),
      );
      assert.deepEqual(generateRequests, []);
    } finally {
      await settings.update('folder', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
});

suite('image notifications', () => {
  const linkText = '[Repair](command:workbench.action.tasks.runTask?%22setup%22)';
  const linkPattern = /\]\(/u;

  for (const value of [
    linkText,
    `/${linkText}`,
    `../${linkText}`,
    `a/\${workspaceFolder}${linkText}`,
  ]) {
    test(`offer the settings for the invalid folder ${value}, without repeating the value`, async () => {
      await control.reset();
      using fixture = await createImagesFixture();
      await useSmallImages(fixture);
      await fixture.openFile('a.md', 'a red fox');
      const settings = vscode.workspace.getConfiguration('inferenceService.image');
      await settings.update('folder', value, vscode.ConfigurationTarget.Workspace);
      try {
        using dialogs = new Dialogs();
        dialogs.buttonsToPress.push('Open Settings');
        await generateFromSelection(fixture.images);
        assert.equal(dialogs.shownMessages.length, 1);
        assert.match(dialogs.shownMessages[0] ?? '', /inferenceService\.image\.folder/u);
        assert.doesNotMatch(dialogs.shownMessages[0] ?? '', /Repair|command:/u);
        assert.deepEqual(dialogs.executedCommands, ['workbench.action.openSettings']);
      } finally {
        await settings.update('folder', undefined, vscode.ConfigurationTarget.Workspace);
      }
    });
  }

  test('show no links from the service’s messages', async () => {
    await control.reset();
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'status', status: 400, body: { error: `No. ${linkText}` } },
    });
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await fixture.openFile('a.md', 'a red fox');
    using dialogs = new Dialogs();
    await generateFromSelection(fixture.images);
    assert.match(dialogs.shownMessages.join(), /Repair/u);
    assert.doesNotMatch(dialogs.shownMessages.join(), linkPattern);
  });

  test('show no links from a model’s name or description', async () => {
    using progress = new FakeCancellableProgress();
    const location = vscode.ProgressLocation.Notification;
    await showProgress({ location, title: linkText }, async (report) => report(linkText));
    assert.deepEqual(progress.shownTitles, [linkText.replace('](', '] (')]);
    assert.deepEqual(progress.progressMessages, [linkText.replace('](', '] (')]);
  });

  test('show no links in questions and their details', async () => {
    const dialogArguments: unknown[] = [];
    const { showWarningMessage } = vscode.window;
    Object.assign(vscode.window, {
      showWarningMessage: async (...args: unknown[]) => dialogArguments.push(args),
    });
    try {
      await confirm({ question: linkText, detail: linkText }, 'Write');
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
    assert.doesNotMatch(JSON.stringify(dialogArguments), linkPattern);
  });
});

suite('image commands in documents without a location', () => {
  /** Calls `run`. Answers every save dialog that it opens with `answer`. */
  async function withSaveDialog<T>(
    answer: vscode.Uri | undefined,
    run: () => Promise<T>,
  ): Promise<{ dialogOptions: (vscode.SaveDialogOptions | undefined)[] }> {
    const { showSaveDialog } = vscode.window;
    const dialogOptions: (vscode.SaveDialogOptions | undefined)[] = [];
    const choose: typeof showSaveDialog = async (options) => {
      dialogOptions.push(options);
      return answer;
    };
    Object.assign(vscode.window, { showSaveDialog: choose });
    try {
      await run();
      return { dialogOptions };
    } finally {
      Object.assign(vscode.window, { showSaveDialog });
    }
  }

  async function openUntitledDocument(): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument({
      content: 'a red fox',
      language: 'markdown',
    });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, 9);
    return editor;
  }

  test('request a location for an untitled document, and insert a workspace-relative reference', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await openUntitledDocument();
    const chosenUri = vscode.Uri.joinPath(fixture.folder, 'fox.png');
    const { dialogOptions } = await withSaveDialog(chosenUri, () =>
      generateFromSelection(fixture.images),
    );
    assert.match(dialogOptions[0]?.defaultUri?.path ?? '', /\/a-red-fox-7\.png$/u);
    assert.deepEqual(readdirSync(fixture.folder.fsPath), ['fox.png']);
    const path = vscode.workspace.asRelativePath(chosenUri);
    assert.equal(document.getText(), `a red fox ![a red fox](${path})`);
  });

  test('use the extension of the actual image format, whatever extension the user typed', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await openUntitledDocument();
    const chosenUri = vscode.Uri.joinPath(fixture.folder, 'fox.svg');
    await withSaveDialog(chosenUri, () => generateFromSelection(fixture.images));
    assert.deepEqual(readdirSync(fixture.folder.fsPath), ['fox.svg.png']);
  });

  test('number the file if the chosen name with the added extension already exists', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await openUntitledDocument();
    const existingFile = vscode.Uri.joinPath(fixture.folder, 'logo.png');
    writeFileSync(existingFile.fsPath, 'the logo');
    const chosenUri = vscode.Uri.joinPath(fixture.folder, 'logo');
    await withSaveDialog(chosenUri, () => generateFromSelection(fixture.images));
    assert.equal(readFileSync(existingFile.fsPath, 'utf8'), 'the logo');
    assert.deepEqual(readdirSync(fixture.folder.fsPath), ['logo-2.png', 'logo.png']);
  });

  test('leave the image in the gallery if the user chooses no location', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await openUntitledDocument();
    using dialogs = new Dialogs();
    await withSaveDialog(undefined, () => generateFromSelection(fixture.images));
    assert.match(dialogs.shownMessages.join(), /It is in the gallery/u);
    assert.equal(document.getText(), 'a red fox');
    assert.equal((await fixture.images.gallery.list()).length, 1);
  });

  test('copy the image reference to the clipboard when the document cannot be edited', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const providerRegistration = vscode.workspace.registerTextDocumentContentProvider(
      'read-only-images',
      {
        provideTextDocumentContent: () => 'a red fox',
      },
    );
    try {
      const uri = vscode.Uri.parse('read-only-images:/a.md');
      const editor = await vscode.window.showTextDocument(uri);
      editor.selection = new vscode.Selection(0, 0, 0, 9);
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Copy');
      const chosenUri = vscode.Uri.joinPath(fixture.folder, 'fox.png');
      await withSaveDialog(chosenUri, () => generateFromSelection(fixture.images));
      assert.match(dialogs.shownMessages.join(), /no longer be changed/u);
      const path = vscode.workspace.asRelativePath(chosenUri);
      assert.equal(await vscode.env.clipboard.readText(), `![a red fox](${path})`);
    } finally {
      providerRegistration.dispose();
    }
  });
});

suite('image commands on other file systems', () => {
  const root = vscode.Uri.parse('memory-images:/w');

  async function saveImageTo(files: MemoryFiles): Promise<{ savedUri: vscode.Uri; bytes: Buffer }> {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    await fixture.openFile('a.md', 'a red fox');
    await generateFromSelection(fixture.images);
    const [record] = await fixture.images.gallery.list();
    assert.ok(record);
    const { gallery, saver } = fixture.images;
    const bytes = readFileSync(gallery.getImagePath(record));
    const registration = vscode.workspace.registerFileSystemProvider('memory-images', files);
    try {
      const uri = vscode.Uri.joinPath(root, 'images');
      const savedUri = await saver.save(record, { uri, linkTarget: undefined });
      return { savedUri, bytes };
    } finally {
      registration.dispose();
    }
  }

  test('write the complete image to a virtual file system', async () => {
    const files = new MemoryFiles();
    const { savedUri, bytes } = await saveImageTo(files);
    assert.equal(savedUri.toString(), 'memory-images:/w/images/a-red-fox-7.png');
    assert.deepEqual([...files.files.keys()], ['/w/images/a-red-fox-7.png']);
    assert.deepEqual(Buffer.from(files.files.get('/w/images/a-red-fox-7.png') ?? []), bytes);
  });

  test('leave no partial image when the file system is full', async () => {
    const files = new MemoryFiles();
    files.isFull = true;
    await assert.rejects(saveImageTo(files), /no space left/u);
    assert.deepEqual([...files.files.keys()], []);
  });

  test('leave no partial image when the file system fills up during the write', async () => {
    const files = new MemoryFiles();
    files.isFull = true;
    files.keepsPartialFile = true;
    await assert.rejects(saveImageTo(files), /no space left/u);
    assert.deepEqual([...files.files.keys()], []);
  });
});

suite('image commands', () => {
  for (const [name, createFile, pattern] of [
    ['a device', (path: string) => symlinkSync('/dev/zero', path), /not a PNG, JPEG or WebP/u],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), /not a PNG, JPEG or WebP/u],
    ['an empty file', (path: string) => writeFileSync(path, ''), /not a PNG, JPEG or WebP/u],
    [
      'a huge file',
      (path: string) => {
        writeFileSync(path, '');
        truncateSync(path, 10_000_000_000);
      },
      /has 25 MB or more/u,
    ],
  ] as const) {
    test(`do not show or send ${name} in place of an image`, async () => {
      using fixture = await createImagesFixture();
      const uri = vscode.Uri.joinPath(fixture.folder, 'logo.png');
      createFile(uri.fsPath);
      const { gallery, studio } = fixture.images;
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Send');
      await assert.rejects(studio.actions.createFileInput(uri), pattern);
      const source = { type: 'file', uri: uri.toString() } as const;
      await assert.rejects(createSourceReader(gallery)(source), pattern);
    });
  }

  test('do not show or send a folder of another file system', async () => {
    using fixture = await createImagesFixture();
    const files = new MemoryFiles();
    files.folders.add('/w/logo.png');
    const registration = vscode.workspace.registerFileSystemProvider('memory-images', files);
    try {
      const uri = vscode.Uri.parse('memory-images:/w/logo.png');
      const { gallery, studio } = fixture.images;
      await assert.rejects(studio.actions.createFileInput(uri), /not a PNG, JPEG or WebP/u);
      const source = { type: 'file', uri: uri.toString() } as const;
      await assert.rejects(createSourceReader(gallery)(source), /not a PNG, JPEG or WebP/u);
    } finally {
      registration.dispose();
    }
  });
});

suite('image commands and links out of the workspace', () => {
  test('do not follow a folder that becomes a link during generation', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
    const uri = vscode.Uri.joinPath(fixture.folder, 'images');
    mkdirSync(uri.fsPath);
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'image' },
    });
    const { document } = await fixture.openFile('a.md', 'a red fox');
    using dialogs = new Dialogs();
    const generationPromise = generateFromSelection(fixture.images);
    await control.waitForRequest(({ path }) => path.endsWith('/image/generate'));
    rmSync(uri.fsPath, { recursive: true });
    symlinkSync(outsideFolder, uri.fsPath);
    await control.releasePause('image');
    await generationPromise;
    assert.deepEqual(readdirSync(outsideFolder), []);
    assert.match(dialogs.shownMessages[0] ?? '', /leads to another location than before/u);
    assert.equal(document.getText(), 'a red fox');
    assert.equal((await fixture.images.gallery.list()).length, 1);
    rmSync(outsideFolder, { recursive: true });
  });

  for (const answer of ['Send', undefined] as const) {
    test(`${answer === undefined ? 'do not send an image through a link without' : 'send an image through a link after'} confirmation`, async () => {
      using fixture = await createImagesFixture();
      const outsideFolder = mkdtempSync(join(tmpdir(), 'outside-'));
      const image = join(outsideFolder, 'passport.png');
      writeFileSync(image, pngBytes);
      const link = vscode.Uri.joinPath(fixture.folder, 'logo.png');
      symlinkSync(image, link.fsPath);
      using dialogs = new Dialogs();
      if (answer !== undefined) dialogs.buttonsToPress.push(answer);
      const source = { type: 'file', uri: link.toString() } as const;
      const bytesPromise = createSourceReader(fixture.images.gallery)(source);
      if (answer === undefined) await assert.rejects(bytesPromise, /It was not sent/u);
      else assert.deepEqual(Buffer.from(await bytesPromise), pngBytes);
      assert.deepEqual(dialogs.shownMessages, [
        'Send an image from outside of the workspace to the service?',
      ]);
      rmSync(outsideFolder, { recursive: true });
    });
  }

  test('send an image in the workspace without confirmation', async () => {
    using fixture = await createImagesFixture();
    const uri = vscode.Uri.joinPath(fixture.folder, 'logo.png');
    writeFileSync(uri.fsPath, pngBytes);
    using dialogs = new Dialogs();
    const source = { type: 'file', uri: uri.toString() } as const;
    assert.deepEqual(
      Buffer.from(await createSourceReader(fixture.images.gallery)(source)),
      pngBytes,
    );
    assert.deepEqual(dialogs.shownMessages, []);
  });
});

suite('image commands in an untrusted workspace', () => {
  test('send no image file of the workspace', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    const uri = vscode.Uri.joinPath(fixture.folder, 'logo.png');
    writeFileSync(uri.fsPath, pngBytes);
    using _ = simulateUntrustedWorkspace();
    using dialogs = new Dialogs();
    const { images } = fixture;
    for (const run of [
      () => images.editFile(uri),
      () => images.upscaleFile(uri),
      () => images.removeFileBackground(uri),
    ]) {
      dialogs.shownMessages.length = 0;
      await run();
      assert.deepEqual(dialogs.shownMessages, [
        'Nothing of this folder is sent until you trust the workspace.',
      ]);
    }
    const source = { type: 'file', uri: uri.toString() } as const;
    await assert.rejects(createSourceReader(images.gallery)(source), /until you trust/u);
    assert.deepEqual(await readImageRequests(), []);
  });

  test('send a text selection only after confirmation', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { document } = await fixture.openFile('a.md', 'a red fox');
    using _ = simulateUntrustedWorkspace();
    using dialogs = new Dialogs();
    await generateFromSelection(fixture.images);
    assert.match(dialogs.shownMessages.join(), /^Send the selected text of this untrusted folder/u);
    assert.deepEqual(await readImageRequests(), []);
    dialogs.buttonsToPress.push('Send', 'Save');
    await generateFromSelection(fixture.images);
    assert.match(document.getText(), /images\/a-red-fox-7\.png/u);
  });
});

suite('image commands without a writable gallery', () => {
  test('save the image in the workspace, and report no failure', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await useSmallImages(fixture);
    const { gallery } = fixture.images;
    gallery.recordSavedFile = () => Promise.reject(new Error('ENOSPC: no space left on device'));
    const { document } = await fixture.openFile('a.md', 'a red fox');
    using dialogs = new Dialogs();
    await generateFromSelection(fixture.images);
    assert.deepEqual(dialogs.shownMessages, []);
    assert.match(document.getText(), /!\[a red fox\]\(images\/a-red-fox-7\.png\)$/u);
    assert.deepEqual(listImageFileNames(fixture), ['a-red-fox-7.png']);
  });
});

const readImageRequests = async () =>
  (await control.getRequests()).filter(({ path }) => path.includes('/image/'));

/** A PNG of one pixel. */
const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** File system in memory that can report a full disk. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly files = new Map<string, Uint8Array>();
  readonly folders = new Set<string>(['/', '/w']);
  isFull = false;
  keepsPartialFile = false;
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  watch = (): vscode.Disposable => new vscode.Disposable(() => {});

  stat({ path }: vscode.Uri): vscode.FileStat {
    const file = this.files.get(path);
    if (file === undefined && !this.folders.has(path)) throw vscode.FileSystemError.FileNotFound();
    const type = file === undefined ? vscode.FileType.Directory : vscode.FileType.File;
    return { type, ctime: 0, mtime: 0, size: file?.length ?? 0 };
  }

  readDirectory({ path }: vscode.Uri): [string, vscode.FileType][] {
    return [...this.files.keys()]
      .filter((file) => file.startsWith(`${path}/`))
      .map((file) => [file.slice(path.length + 1), vscode.FileType.File]);
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    const file = this.files.get(path);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound();
    return file;
  }

  createDirectory({ path }: vscode.Uri): void {
    this.folders.add(path);
  }

  writeFile({ path }: vscode.Uri, content: Uint8Array): void {
    if (this.isFull && this.keepsPartialFile)
      this.files.set(path, content.slice(0, content.length / 2));
    if (this.isFull) throw new Error('ENOSPC: no space left on device');
    this.files.set(path, Uint8Array.from(content));
  }

  delete({ path }: vscode.Uri): void {
    if (!this.files.delete(path)) throw vscode.FileSystemError.FileNotFound();
  }

  rename(from: vscode.Uri, to: vscode.Uri, { overwrite }: { overwrite: boolean }): void {
    const content = this.readFile(from);
    if (!overwrite && this.files.has(to.path)) throw vscode.FileSystemError.FileExists();
    this.files.set(to.path, content);
    this.files.delete(from.path);
  }
}
