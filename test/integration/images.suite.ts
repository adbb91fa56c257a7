import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { readImageHeader } from '../../src/image/image-header.ts';
import { Control } from '../service/control.ts';
import { Dialogs } from './account-fixture.ts';
import { suiteEnvironment } from './environment.ts';
import { type ImagesFixture, imagesFixture } from './images-fixture.ts';

const { service } = suiteEnvironment();
const control = new Control(service.controlUrl);

/** Small, and the same every time. */
async function small({ images }: ImagesFixture): Promise<void> {
  const { model } = images.choice;
  assert.ok(model);
  await images.choice.set(model, { width: 256, height: 256, seed: 7, format: 'png' });
}

const pictures = ({ folder }: ImagesFixture): string[] =>
  readdirSync(vscode.Uri.joinPath(folder, 'images').fsPath);

suite('images: into a document', () => {
  const image = 'images/a-red-fox-7.png';
  const references: readonly (readonly [string, string])[] = [
    ['a.md', `![a red fox](${image})`],
    ['a.mdx', `![a red fox](${image})`],
    ['a.html', `<img src="${image}" alt="a red fox" width="256" height="256">`],
    ['a.svelte', `<img src="${image}" alt="a red fox" width="256" height="256">`],
    ['a.tsx', `<img src="${image}" alt="a red fox" width={256} height={256} />`],
    ['a.css', `url("${image}")`],
    ['a.scss', `url("${image}")`],
    ['a.less', `url("${image}")`],
    ['a.txt', image],
    ['a.py', image],
  ];
  for (const [name, reference] of references) {
    test(`${name} refers to it as ${reference}`, async () => {
      await control.reset();
      using fixture = await imagesFixture();
      await small(fixture);
      const { document } = await fixture.open(name, 'a red fox');
      await fixture.images.generateFromSelection();
      assert.equal(document.getText(), `a red fox${reference}`);
      assert.deepEqual(pictures(fixture), ['a-red-fox-7.png']);
    });
  }

  for (const [name, expected] of [
    ['a.tex', /\\includegraphics.*\{images\/a-red-fox-7\.png\}/u],
    ['a.rst', /^\.\. (?:image|figure):: images\/a-red-fox-7\.png$/mu],
    ['a.adoc', /^image::images\/a-red-fox-7\.png\[/mu],
    ['a.typ', /image\("images\/a-red-fox-7\.png"/u],
    ['a.org', /^.*\[\[file:images\/a-red-fox-7\.png\]\]/mu],
    ['a.vue', /<img src="\.\/images\/a-red-fox-7\.png"|<img src="images\/a-red-fox-7\.png"/u],
  ] as const) {
    test(`${name} refers to it in its own form`, async () => {
      await control.reset();
      using fixture = await imagesFixture();
      await small(fixture);
      const { document } = await fixture.open(name, 'a red fox');
      await fixture.images.generateFromSelection();
      assert.match(document.getText(), expected);
    });
  }

  test('the file is the picture that was asked for', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    await fixture.open('a.md', 'a red fox');
    await fixture.images.generateFromSelection();
    const bytes = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    assert.deepEqual(readImageHeader(bytes), { format: 'png', width: 256, height: 256 });
    const [request] = (await control.requests()).filter(({ path }) =>
      path.endsWith('/image/generate'),
    );
    const body = request?.body as Record<string, unknown>;
    assert.equal(body['return_binary'], true);
    assert.equal(body['seed'], 7);
    assert.equal('variants' in body, false);
  });

  test('a second picture of the same name gets another one', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    const editor = await fixture.open('a.md', 'a red fox');
    await fixture.images.generateFromSelection();
    const first = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    editor.selection = new vscode.Selection(0, 0, 0, 9);
    await fixture.images.generateFromSelection();
    assert.deepEqual(pictures(fixture), ['a-red-fox-7-2.png', 'a-red-fox-7.png']);
    assert.match(editor.document.getText(), /images\/a-red-fox-7-2\.png/u);
    const now = readFileSync(vscode.Uri.joinPath(fixture.folder, image).fsPath);
    assert.deepEqual(now, first, 'the first one is untouched');
  });

  test('one undo takes the reference away, and the file only when the person says so', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    const { executeCommand } = vscode.commands;
    const { document } = await fixture.open('a.md', 'a red fox');
    await fixture.images.generateFromSelection();
    using dialogs = new Dialogs();
    dialogs.presses.push('Delete File');
    await executeCommand('undo');
    assert.equal(document.getText(), 'a red fox');
    assert.match(dialogs.messages.join(), /The reference was removed\. .*a-red-fox-7\.png/u);
    await gone(vscode.Uri.joinPath(fixture.folder, image));
    assert.deepEqual(pictures(fixture), []);
  });

  test('a prompt that is a path, or markup, is only words', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    const prompt = '../../.vscode/tasks.json](javascript:alert(1)) <script>';
    const { document } = await fixture.open('a.md', prompt);
    await fixture.images.generateFromSelection();
    assert.deepEqual(pictures(fixture).length, 1);
    assert.match(pictures(fixture)[0] ?? '', /^[a-z0-9-]+-7\.png$/u);
    const reference = document.getText().slice(prompt.length);
    assert.doesNotMatch(reference, /\]\(javascript/u);
    assert.doesNotMatch(reference, /<script>/u);
  });
});

async function gone(uri: vscode.Uri): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      await vscode.workspace.fs.stat(uri);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`${uri.path} is still there`);
}

suite('images: while it is made', () => {
  const held = async (afterBytes?: number): Promise<void> => {
    await control.reset();
    const fault = { kind: 'hold', name: 'picture', ...(afterBytes && { afterBytes }) } as const;
    await control.fault({ match: { path: '/image/generate' }, fault });
  };
  const asked = (): Promise<unknown> =>
    control.waitForRequest(({ path }) => path.endsWith('/image/generate'));

  test('the person writes on, and the reference comes where the cursor was', async () => {
    await held();
    using fixture = await imagesFixture();
    await small(fixture);
    const editor = await fixture.open('a.md', 'a red fox\nend');
    editor.selection = new vscode.Selection(0, 0, 0, 9);
    const made = fixture.images.generateFromSelection();
    await asked();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'First\n'));
    await control.release('picture');
    await made;
    assert.equal(
      editor.document.getText(),
      'First\na red fox![a red fox](images/a-red-fox-7.png)\nend',
    );
  });

  test('cancelling half-way ends the call and leaves nothing', async () => {
    await held(2_000);
    using fixture = await imagesFixture();
    await small(fixture);
    const { document } = await fixture.open('a.md', 'a red fox');
    using progress = new Cancellable();
    const made = fixture.images.generateFromSelection();
    await asked();
    await progress.begun;
    progress.cancel();
    await made;
    await control.waitForRequest(
      ({ path, abortedByClient }) => path.endsWith('/image/generate') && abortedByClient === true,
    );
    assert.equal(document.getText(), 'a red fox');
    assert.deepEqual(await fixture.images.gallery.list(), []);
    assert.deepEqual(galleryFiles(fixture), []);
    assert.deepEqual(readdirSync(fixture.folder.fsPath), ['a.md']);
  });

  test('a closed document loses nothing: the picture is saved and the reference can be copied', async () => {
    await held();
    using fixture = await imagesFixture();
    await small(fixture);
    const { executeCommand } = vscode.commands;
    const { document } = await fixture.open('a.md', 'a red fox');
    using dialogs = new Dialogs();
    const made = fixture.images.generateFromSelection();
    await asked();
    const closed = new Promise<void>((resolve) => {
      const listening = vscode.workspace.onDidCloseTextDocument((each) => {
        if (each !== document) return;
        listening.dispose();
        resolve();
      });
    });
    await vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    await executeCommand('workbench.action.closeAllEditors');
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 3_000))]);
    await control.release('picture');
    await made;
    assert.deepEqual(pictures(fixture), ['a-red-fox-7.png']);
    assert.equal(dialogs.messages.length <= 1, true);
  });
});

const galleryFiles = ({ images }: ImagesFixture): string[] => {
  try {
    return readdirSync(images.gallery.folder).filter((name) => name !== 'gallery.jsonl');
  } catch {
    return [];
  }
};

/** The progress of a call, cancelled by the test as the person does. */
class Cancellable implements Disposable {
  readonly begun: Promise<void>;
  readonly reports: string[] = [];
  readonly #source = new vscode.CancellationTokenSource();
  readonly #withProgress = vscode.window.withProgress;

  constructor() {
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    const run: typeof vscode.window.withProgress = async (_options, task) => {
      begun.resolve();
      const report = ({ message = '' }: { message?: string }): void => {
        this.reports.push(message);
      };
      return task({ report }, this.#source.token);
    };
    Object.assign(vscode.window, { withProgress: run });
  }

  cancel(): void {
    this.#source.cancel();
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { withProgress: this.#withProgress });
  }
}

suite('images: what goes wrong', () => {
  const refusals: readonly (readonly [string, Parameters<Control['fault']>[0]['fault'], RegExp])[] =
    [
      [
        'no balance',
        { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
        /balance|credit/iu,
      ],
      [
        'markup posing as a picture',
        {
          kind: 'body',
          contentType: 'image/png',
          text: '<svg xmlns="http://www.w3.org/2000/svg"/>',
        },
        /./u,
      ],
      ['a page', { kind: 'html' }, /./u],
      ['a picture that breaks off', { kind: 'reset', afterBytes: 500 }, /./u],
      ['a picture that ends early', { kind: 'end', afterBytes: 500 }, /./u],
    ];
  for (const [what, fault, expected] of refusals) {
    test(`${what} is told, and nothing is written`, async () => {
      await control.reset();
      await control.fault({ match: { path: '/image/generate' }, fault });
      using fixture = await imagesFixture();
      await small(fixture);
      const { document } = await fixture.open('a.md', 'a red fox');
      using dialogs = new Dialogs();
      await fixture.images.generateFromSelection();
      assert.equal(dialogs.messages.length, 1);
      assert.match(dialogs.messages[0] ?? '', expected);
      assert.equal(document.getText(), 'a red fox');
      assert.deepEqual(readdirSync(fixture.folder.fsPath), ['a.md']);
      assert.deepEqual(galleryFiles(fixture), []);
    });
  }

  test('a busy service is asked again after the time it names', async () => {
    await control.reset();
    await control.fault({
      match: { path: '/image/generate' },
      fault: {
        kind: 'status',
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: 'Busy' },
      },
    });
    using fixture = await imagesFixture();
    await small(fixture);
    const { document } = await fixture.open('a.md', 'a red fox');
    using progress = new Cancellable();
    await fixture.images.generateFromSelection();
    assert.match(document.getText(), /images\/a-red-fox-7\.png/u);
    assert.match(progress.reports.join('\n'), /Try 2 in 1 s/u);
  });

  test('a refused prompt makes no file, and says why', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    const { document } = await fixture.open('a.md', 'a forbidden fox');
    using dialogs = new Dialogs();
    await fixture.images.generateFromSelection();
    assert.match(dialogs.messages.join(), /content rules/u);
    assert.equal(document.getText(), 'a forbidden fox');
    const [record] = await fixture.images.gallery.list();
    assert.deepEqual(record?.price, { usd: 0, diem: 0 });
  });

  test('a blurred picture is inserted only when the person wants it', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    const editor = await fixture.open('a.md', 'a nude fox');
    using dialogs = new Dialogs();
    await fixture.images.generateFromSelection();
    assert.match(dialogs.messages.join(), /blurred/u);
    assert.equal(editor.document.getText(), 'a nude fox');
    dialogs.presses.push('Insert Anyway');
    await fixture.images.generateFromSelection();
    assert.match(editor.document.getText(), /images\/a-nude-fox-7\.png/u);
  });

  test('a folder setting that leads out of the workspace is refused before anything is paid', async () => {
    await control.reset();
    using fixture = await imagesFixture();
    await small(fixture);
    await fixture.open('a.md', 'a red fox');
    const settings = vscode.workspace.getConfiguration('inferenceService.image');
    await settings.update('folder', '../../../elsewhere', vscode.ConfigurationTarget.Workspace);
    try {
      using dialogs = new Dialogs();
      await fixture.images.generateFromSelection();
      assert.match(dialogs.messages.join(), /inside of the workspace/u);
      const asked = (await control.requests()).filter(({ path }) => path.endsWith('/generate'));
      assert.deepEqual(asked, []);
    } finally {
      await settings.update('folder', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
});
