import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'mocha';
import sharp from 'sharp';
import * as vscode from 'vscode';
import { readImageHeader } from '../../src/image/image-header.ts';
import { type StudioHostMessage, studioVersion } from '../../src/image/studio/protocol/messages.ts';
import { Control } from '../service/control.ts';
import { Dialogs } from './account-fixture.ts';
import { FakePage } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import {
  FakeCancellableProgress,
  listGalleryFiles,
  type ImagesFixture,
  createImagesFixture,
} from './images-fixture.ts';

const control = new Control(readSuiteEnvironment().service.controlUrl);

/** A workspace file and its content. */
interface ImageFixtureFile {
  readonly uri: vscode.Uri;
  readonly bytes: Buffer;
}

async function createImage(
  { folder }: ImagesFixture,
  name = 'logo.png',
): Promise<ImageFixtureFile> {
  const background = '#e09050';
  const innerSquare = {
    create: { width: 100, height: 80, channels: 3, background: '#203040' },
  } as const;
  const bytes = await sharp({ create: { width: 300, height: 260, channels: 3, background } })
    .composite([{ input: innerSquare, left: 100, top: 90 }])
    .toFormat(/\.jpe?g$/iu.test(name) ? 'jpeg' : /\.webp$/iu.test(name) ? 'webp' : 'png')
    .toBuffer();
  return { uri: createFile({ folder }, name, bytes), bytes };
}

function createFile(
  { folder }: Pick<ImagesFixture, 'folder'>,
  name: string,
  text: string | Buffer,
) {
  const uri = vscode.Uri.joinPath(folder, name);
  writeFileSync(uri.fsPath, text);
  return uri;
}

const listFileNames = ({ folder }: ImagesFixture): string[] =>
  readdirSync(folder.fsPath).toSorted();

const readBytes = ({ folder }: ImagesFixture, name: string): Buffer =>
  readFileSync(vscode.Uri.joinPath(folder, name).fsPath);

const listRequestPaths = async (): Promise<string[]> =>
  (await control.getRequests()).map(({ path }) => path).filter((path) => path.includes('/image/'));

/**
 * Calls `run`, and selects the item `label` in each quick pick of upscaling factors, or cancels the quick pick if
 * `label` is undefined. Returns label and description of each item.
 */
async function chooseScale(label: string | undefined, run: () => Promise<void>): Promise<string[]> {
  const { showQuickPick } = vscode.window;
  const labels: string[] = [];
  const choose = async (items: readonly vscode.QuickPickItem[]): Promise<unknown> => {
    labels.push(...items.map((item) => `${item.label} ${item.description}`));
    return items.find((item) => item.label === label);
  };
  Object.assign(vscode.window, { showQuickPick: choose });
  try {
    await run();
    return labels;
  } finally {
    Object.assign(vscode.window, { showQuickPick });
  }
}

type FileCommand = (fixture: ImagesFixture, clicked: unknown) => Promise<unknown>;

const upscaleFile: FileCommand = ({ images }, clickedFile) =>
  chooseScale('2×', () => images.upscaleFile(clickedFile));

const upscaleFileBy4: FileCommand = ({ images }, clickedFile) =>
  chooseScale('4×', () => images.upscaleFile(clickedFile));

const removeBackground: FileCommand = ({ images }, clickedFile) =>
  images.removeFileBackground(clickedFile);

/** Commands that write a new image file, each with the endpoint that it calls. */
const fileCommands = [
  ['upscale', upscaleFile, '/image/upscale'],
  ['remove the background', removeBackground, '/image/background-remove'],
] as const;

suite('an image file command', () => {
  const cases: readonly (readonly [string, FileCommand, string, number, number])[] = [
    ['logo.png', upscaleFile, 'logo-2x.png', 600, 520],
    ['logo.png', upscaleFileBy4, 'logo-4x.png', 1200, 1040],
    ['logo.png', removeBackground, 'logo-no-background.png', 300, 260],
    ['photo.JPG', upscaleFile, 'photo-2x.png', 600, 520],
    ['photo.webp', removeBackground, 'photo-no-background.png', 300, 260],
    ['Füchse im Wald.jpeg', upscaleFile, 'füchse-im-wald-2x.png', 600, 520],
    [
      `${'long-'.repeat(20)}.png`,
      removeBackground,
      `${'long-'.repeat(6)}no-background.png`,
      300,
      260,
    ],
    ['con.png', upscaleFile, 'con-2x.png', 600, 520],
  ];
  for (const [name, command, expected, width, height] of cases) {
    test(`writes ${expected} beside ${name}, and keeps the original`, async () => {
      await control.reset();
      using fixture = await createImagesFixture();
      using dialogs = new Dialogs();
      const { uri, bytes } = await createImage(fixture, name);
      await command(fixture, uri);
      assert.deepEqual(listFileNames(fixture), [expected, name].toSorted());
      const header = readImageHeader(readBytes(fixture, expected));
      assert.deepEqual(header, { format: 'png', width, height });
      assert.deepEqual(readBytes(fixture, name), bytes, 'the source is untouched');
      const path = vscode.workspace.asRelativePath(vscode.Uri.joinPath(fixture.folder, expected));
      assert.deepEqual(dialogs.shownMessages, [`Saved as ${path}.`]);
    });
  }

  test('makes the background transparent, and keeps the foreground opaque', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    using _dialogs = new Dialogs();
    await removeBackground(fixture, (await createImage(fixture)).uri);
    const { data, info } = await sharp(readBytes(fixture, 'logo-no-background.png'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const getOpacity = (x: number, y: number) => data[(y * info.width + x) * 4 + 3];
    assert.deepEqual([info.channels, getOpacity(0, 0), getOpacity(150, 130)], [4, 0, 255]);
  });

  test('numbers a file whose name exists, and overwrites no file', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    using dialogs = new Dialogs();
    const { uri } = await createImage(fixture);
    createFile(fixture, 'LOGO-2x.PNG', 'mine');
    await upscaleFile(fixture, uri);
    await upscaleFile(fixture, uri);
    const fileNames = ['LOGO-2x.PNG', 'logo-2x-2.png', 'logo-2x-3.png', 'logo.png'];
    assert.deepEqual(listFileNames(fixture), fileNames);
    assert.equal(String(readBytes(fixture, 'LOGO-2x.PNG')), 'mine');
    assert.equal(dialogs.shownMessages.length, 2);
  });

  test('shows the price of each scale in the list and in the progress notification', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    using _dialogs = new Dialogs();
    using progress = new FakeCancellableProgress();
    const { uri } = await createImage(fixture);
    const labels = await chooseScale('4×', () => fixture.images.upscaleFile(uri));
    assert.deepEqual(labels, ['2× $0.02', '4× $0.08']);
    const path = vscode.workspace.asRelativePath(uri);
    assert.deepEqual(progress.shownTitles, [`Upscale: ${path} · $0.08`]);
    const [record] = await fixture.images.gallery.list();
    assert.deepEqual(record?.price, { usd: 0.08, diem: 0.08 });
    assert.deepEqual(record?.saved.length, 1);
  });

  test('uses the image in the active tab if no file is selected', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    const { uri } = await createImage(fixture);
    await vscode.commands.executeCommand('vscode.open', uri);
    using _dialogs = new Dialogs();
    await removeBackground(fixture, undefined);
    assert.deepEqual(listFileNames(fixture), ['logo-no-background.png', 'logo.png']);
  });
});

suite('an image file command that does not complete', () => {
  for (const [commandName, command, path] of fileCommands) {
    test(`writes no placeholder for blocked content: ${commandName}`, async () => {
      await control.reset();
      const headers = { 'x-service-is-content-violation': 'true' };
      using fixture = await createImagesFixture();
      const { uri, bytes } = await createImage(fixture);
      const base64 = bytes.toString('base64');
      await control.injectFault({
        match: { path },
        fault: { kind: 'body', contentType: 'image/png', base64, headers },
      });
      using dialogs = new Dialogs();
      await command(fixture, uri);
      assert.deepEqual(listFileNames(fixture), ['logo.png']);
      assert.equal(dialogs.shownMessages.length, 1);
      assert.match(
        dialogs.shownMessages[0] ?? '',
        /^The service made no image: .* Nothing was charged\.$/u,
      );
      const [record] = await fixture.images.gallery.list();
      assert.deepEqual(record?.price, { usd: 0, diem: 0 });
    });

    test(`writes nothing if the account has no balance, and retries on request: ${commandName}`, async () => {
      await control.reset();
      await control.injectFault({
        match: { path },
        fault: { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
      });
      using fixture = await createImagesFixture();
      const { uri, bytes } = await createImage(fixture);
      using dialogs = new Dialogs();
      await command(fixture, uri);
      assert.equal(dialogs.shownMessages.length, 1);
      assert.match(dialogs.shownMessages[0] ?? '', /balance|credit/iu);
      assert.deepEqual(listFileNames(fixture), ['logo.png']);
      assert.deepEqual(readBytes(fixture, 'logo.png'), bytes);
      assert.deepEqual(listGalleryFiles(fixture), []);

      await control.injectFault({
        match: { path },
        fault: { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
      });
      dialogs.buttonsToPress.push('Retry');
      await command(fixture, uri);
      assert.equal(listFileNames(fixture).length, 2, 'the second try of it succeeds');
    });

    test(`writes nothing when canceled during the request: ${commandName}`, async () => {
      await control.reset();
      const fault = { kind: 'hold', name: 'file', afterBytes: 100 } as const;
      await control.injectFault({ match: { path }, fault });
      using fixture = await createImagesFixture();
      const { uri, bytes } = await createImage(fixture);
      using dialogs = new Dialogs();
      using progress = new FakeCancellableProgress();
      const commandPromise = command(fixture, uri);
      await control.waitForRequest((request) => request.path.endsWith(path));
      await progress.startPromise;
      progress.cancelProgress();
      await commandPromise;
      await control.waitForRequest(
        (request) => request.path.endsWith(path) && request.abortedByClient === true,
      );
      assert.deepEqual(dialogs.shownMessages, []);
      assert.deepEqual(listFileNames(fixture), ['logo.png']);
      assert.deepEqual(readBytes(fixture, 'logo.png'), bytes);
      assert.deepEqual(listGalleryFiles(fixture), []);
    });

    for (const [name, content] of [
      ['notes.png', 'not an image at all'],
      ['drawing.png', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['empty.png', ''],
    ] as const) {
      test(`rejects ${name}, which is not an image, before it sends a request: ${commandName}`, async () => {
        await control.reset();
        using fixture = await createImagesFixture();
        const uri = createFile(fixture, name, content);
        using dialogs = new Dialogs();
        await command(fixture, uri);
        assert.deepEqual(dialogs.shownMessages, [
          'The file is not a PNG, JPEG or WebP image. Choose another one.',
        ]);
        assert.deepEqual(listFileNames(fixture), [name]);
        assert.deepEqual(await listRequestPaths(), []);
      });
    }

    test(`reports a missing file: ${commandName}`, async () => {
      await control.reset();
      using fixture = await createImagesFixture();
      using dialogs = new Dialogs();
      await command(fixture, vscode.Uri.joinPath(fixture.folder, 'gone.png'));
      assert.deepEqual(dialogs.shownMessages, ['gone.png is no longer where it was.']);
      assert.deepEqual(await listRequestPaths(), []);
    });
  }

  test('costs nothing when the user dismisses the list of scales', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    const { uri } = await createImage(fixture);
    using dialogs = new Dialogs();
    await chooseScale(undefined, () => fixture.images.upscaleFile(uri));
    assert.deepEqual(dialogs.shownMessages, []);
    assert.deepEqual(listFileNames(fixture), ['logo.png']);
    assert.deepEqual(await listRequestPaths(), []);
  });

  test('reports that no file is selected and no image is open', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    await fixture.openFile('a.md', 'a red fox');
    using dialogs = new Dialogs();
    await fixture.images.upscaleFile(undefined);
    await fixture.images.removeFileBackground('logo.png');
    await fixture.images.editFile(undefined);
    const text = 'Choose an image first.';
    assert.deepEqual(dialogs.shownMessages, [text, text, text]);
    assert.deepEqual(await listRequestPaths(), []);
  });
});

suite('the command Edit Image', () => {
  /** Calls `run`. Returns the titles of the webview tabs that the extension opens in the meantime. */
  async function recordOpenedTabs(run: () => Promise<void>): Promise<string[]> {
    const { createWebviewPanel } = vscode.window;
    const titles: string[] = [];
    const create: typeof createWebviewPanel = (viewType, title, ...args) => {
      titles.push(title);
      return createWebviewPanel(viewType, title, ...args);
    };
    Object.assign(vscode.window, { createWebviewPanel: create });
    try {
      await run();
      return titles;
    } finally {
      Object.assign(vscode.window, { createWebviewPanel });
    }
  }

  test('opens the studio with the file as input, and does not change the file', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    const { uri, bytes } = await createImage(fixture);
    assert.deepEqual(await recordOpenedTabs(() => fixture.images.editFile(uri)), ['Image Studio']);
    const page = new FakePage<StudioHostMessage>();
    const studioView = fixture.images.studio.createPage(page);
    const messagePromise = page.waitForMessage('state-set');
    page.sendToHost({ type: 'ready', version: studioVersion });
    const message = await messagePromise;
    assert.ok(message.type === 'state-set');
    const { state } = message;
    assert.deepEqual(
      state.inputs.map(({ label }) => label),
      [vscode.workspace.asRelativePath(uri)],
    );
    const { studio } = fixture.images.studio;
    assert.deepEqual(
      studio.inputs.map(({ source, width, height }) => [source, width, height]),
      [[{ type: 'file', uri: uri.toString() }, 300, 260]],
    );
    const jobEndPromise = page.waitForMessage(
      'job-put',
      (message) => message.type === 'job-put' && ['done', 'failed'].includes(message.job.status),
    );
    const model = state.models.suggested.edit;
    page.sendToHost({ type: 'edit-run', draft: { ...state.edit, model, prompt: 'make it red' } });
    const finishedJob = await jobEndPromise;
    assert.ok(finishedJob.type === 'job-put');
    assert.equal(finishedJob.job.status, 'done', finishedJob.job.failure?.title);
    const [request] = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/image/edit'),
    );
    const body = request?.body as Record<string, unknown>;
    assert.equal(body['image'], bytes.toString('base64'));
    assert.deepEqual(listFileNames(fixture), ['logo.png']);
    assert.deepEqual(readBytes(fixture, 'logo.png'), bytes);
    studioView.dispose();
  });

  test('reports a file that is not an image, and does not open the studio', async () => {
    await control.reset();
    using fixture = await createImagesFixture();
    const uri = createFile(fixture, 'notes.png', 'not an image');
    using dialogs = new Dialogs();
    assert.deepEqual(await recordOpenedTabs(() => fixture.images.editFile(uri)), []);
    const path = vscode.workspace.asRelativePath(uri);
    assert.deepEqual(dialogs.shownMessages, [
      `${path} is damaged or not a PNG, JPEG or WebP image. Choose another one.`,
    ]);
    assert.deepEqual(fixture.images.studio.studio.inputs, []);
  });
});
