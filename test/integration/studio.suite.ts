import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'mocha';
import sharp from 'sharp';
import { parse } from 'valibot';
import * as vscode from 'vscode';
import {
  type StudioHostMessage,
  studioHostMessageSchema,
  studioVersion,
  type StudioState,
} from '../../src/image/studio/protocol/messages.ts';
import type { CreateDraft } from '../../src/image/studio/protocol/form.ts';
import type { StudioJob } from '../../src/image/studio/protocol/job.ts';
import { Control } from '../service/control.ts';
import { waitUntil } from '../support/eventually.ts';
import { Dialogs } from './account-fixture.ts';
import { FakePage } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { type ImagesFixture, createImagesFixture } from './images-fixture.ts';

const control = new Control(readSuiteEnvironment().service.controlUrl);

type FakeStudioPage = FakePage<StudioHostMessage>;

interface StudioFixture extends Disposable {
  readonly fixture: ImagesFixture;
  readonly page: FakeStudioPage;
  readonly state: StudioState;
  /** Opens a second page, as after a reload. Resolves with its state. */
  readonly reload: () => Promise<StudioState>;
}

/** @param prepare called with the path of the gallery folder before the page opens */
async function openStudio(prepare: (folder: string) => void = () => {}): Promise<StudioFixture> {
  await control.reset();
  const fixture = await createImagesFixture();
  prepare(fixture.images.gallery.folder);
  const page: FakeStudioPage = new FakePage();
  const studioView = fixture.images.studio.createPage(page);
  const openPage = async (): Promise<StudioState> => {
    const messagePromise = page.waitForMessage('state-set');
    page.sendToHost({ type: 'ready', version: studioVersion });
    const message = await messagePromise;
    assert.ok(message.type === 'state-set');
    assert.deepEqual(parse(studioHostMessageSchema, message), message, 'the page understands it');
    return message.state;
  };
  const state = await openPage();
  return {
    fixture,
    page,
    state,
    reload: openPage,
    [Symbol.dispose]() {
      studioView.dispose();
      fixture[Symbol.dispose]();
    },
  };
}

const createDraft = (state: StudioState, change: Partial<CreateDraft> = {}): CreateDraft => ({
  ...state.create,
  model: state.models.suggested.create,
  prompt: 'a red fox',
  width: 256,
  height: 256,
  ...change,
});

const hasJobStatus =
  (...statuses: StudioJob['status'][]) =>
  (message: StudioHostMessage): boolean =>
    message.type === 'job-put' && statuses.includes(message.job.status);

/** Starts an image job with the inputs in `draft`. Resolves with the job when it has ended. */
async function runJob(page: FakeStudioPage, draft: CreateDraft): Promise<StudioJob> {
  const jobMessagePromise = page.waitForMessage(
    'job-put',
    hasJobStatus('done', 'failed', 'canceled'),
  );
  page.sendToHost({ type: 'create-run', draft });
  const message = await jobMessagePromise;
  assert.ok(message.type === 'job-put');
  return message.job;
}

suite('the image studio', () => {
  test('shows an error if its state cannot be read, and opens after a reload', async () => {
    using studioScene = await openStudio();
    const { fixture, page, reload } = studioScene;
    const { gallery } = fixture.images;
    const listThumbnails = gallery.listThumbnailIds.bind(gallery);
    gallery.listThumbnailIds = () => Promise.reject(new Error('The folder is not readable.'));
    using dialogs = new Dialogs();
    page.sendToHost({ type: 'ready', version: studioVersion });
    await waitUntil(() => dialogs.shownMessages.length > 0);
    assert.deepEqual(dialogs.shownMessages, ['That did not work. See the log for details.']);
    gallery.listThumbnailIds = listThumbnails;
    await reload();
  });

  test('opens even if the gallery cannot read an input image', async () => {
    using studioScene = await openStudio();
    const { fixture, reload } = studioScene;
    const input = { id: 'a', label: 'a', width: 1, height: 1 };
    fixture.images.gallery.find = () => Promise.reject(new Error('The file is not readable.'));
    fixture.images.studio.studio.setInputs([{ ...input, source: { type: 'gallery', id: 'a' } }]);
    const { inputs } = await reload();
    assert.deepEqual(inputs, [{ ...input, src: '', thumb: null }]);
  });

  test('sends each of four variants to the page before the job message that refers to it', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    const job = await runJob(page, createDraft(state, { variants: 4 }));
    assert.equal(job.status, 'done');
    assert.equal(new Set(job.images).size, 4);
    assert.ok(!job.images.includes(null));
    const messageTypes = page.receivedMessages.flatMap((message) =>
      message.type === 'images-put'
        ? message.images.map(({ id }) => `put ${id}`)
        : message.type === 'job-put'
          ? message.job.images.flatMap((id) => (id === null ? [] : [`named ${id}`]))
          : [],
    );
    for (const id of job.images) {
      assert.ok(
        messageTypes.indexOf(`put ${id}`) < messageTypes.indexOf(`named ${id}`),
        `${id} comes first`,
      );
    }
    const [request] = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/generate'),
    );
    const body = request?.body as Record<string, unknown>;
    assert.equal(body['variants'], 4);
    assert.equal('return_binary' in body && body['return_binary'] === true, false);
    for (const message of page.receivedMessages)
      assert.deepEqual(parse(studioHostMessageSchema, message), message);
  });

  test('reports for each job the cost that the button showed, even for several images', async () => {
    using studioScene = await openStudio();
    const { page, state, fixture } = studioScene;
    const draft = createDraft(state, { variants: 4, enhancePrompt: true });
    const messagePromise = page.waitForMessage('check-change');
    page.sendToHost({ type: 'create-change', seq: 1, draft });
    const message = await messagePromise;
    assert.ok(message.type === 'check-change');
    const job = await runJob(page, draft);
    assert.equal(message.check.priceText, '$0.08');
    assert.equal(job.costText, '$0.08');
    const records = await fixture.images.gallery.list();
    assert.deepEqual(
      records.map(({ price }) => price?.usd),
      [0.02, 0.02, 0.02, 0.02],
    );
  });

  test('shows and charges the price of all three variants for regenerating the second with the same seed', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    const { images } = await runJob(page, createDraft(state, { variants: 3, seed: 5 }));
    const readPrice = async (id: string | null | undefined, action: string) => {
      const messagePromise = page.waitForMessage(
        'image-details',
        (message) => message.type === 'image-details' && message.details.id === id,
      );
      page.sendToHost({ type: 'image-select', id });
      const message = await messagePromise;
      assert.ok(message.type === 'image-details');
      return message.details.actions.find((item) => item.action === action)?.priceText;
    };
    assert.equal(await readPrice(images[0], 'same-seed'), '$0.01');
    assert.equal(await readPrice(images[1], 'same-seed'), '$0.03');
    assert.equal(await readPrice(images[1], 'vary'), '$0.01');
    const jobEndPromise = page.waitForMessage('job-put', hasJobStatus('done', 'failed'));
    page.sendToHost({ type: 'image-act', id: images[1], action: 'same-seed' });
    const message = await jobEndPromise;
    assert.ok(message.type === 'job-put');
    assert.equal(message.job.costText, '$0.03');
  });

  test('drops messages that exceed the rate limit, and notifies the page', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'studio' },
      times: 20,
    });
    const refusalNoticePromise = page.waitForMessage('notice-show');
    for (let count = 0; count < 25; count++)
      page.sendToHost({ type: 'create-run', draft: createDraft(state) });
    const notice = await refusalNoticePromise;
    assert.ok(notice.type === 'notice-show');
    assert.match(notice.text, /^20 images are on their way already\. Wait/u);
    const { jobs } = await studioScene.reload();
    assert.equal(jobs.length, 20);
    for (const { id } of jobs) page.sendToHost({ type: 'job-cancel', id });
    await control.releasePause('studio');
  });

  test('sends the complete state to a reloaded page before the changes of a running job', async () => {
    using studioScene = await openStudio();
    const { page, state, fixture } = studioScene;
    const { gallery } = fixture.images;
    const jobRunningPromise = page.waitForMessage('job-put', hasJobStatus('running'));
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'studio' },
    });
    page.sendToHost({ type: 'create-run', draft: createDraft(state) });
    await jobRunningPromise;
    // A slow gallery delays the state, which already contains the running job.
    const listRequest = Promise.withResolvers<void>();
    const listRelease = Promise.withResolvers<void>();
    const list = gallery.list.bind(gallery);
    gallery.list = async () => {
      gallery.list = list;
      listRequest.resolve();
      await listRelease.promise;
      return list();
    };
    const reloadPromise = studioScene.reload();
    await listRequest.promise;
    const jobCompletion = Promise.withResolvers<void>();
    fixture.images.studio.studio.jobs.onDidChange((change) => {
      if (change.type === 'job-put' && change.job.status === 'done') jobCompletion.resolve();
    });
    await control.releasePause('studio');
    await jobCompletion.promise;
    const jobEndPromise = page.waitForMessage('job-put', hasJobStatus('done'));
    listRelease.resolve();
    assert.equal((await reloadPromise).jobs[0]?.status, 'running');
    await jobEndPromise;
  });

  test('updates the price and all problems of the form after each change', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    const checkDraft = async (seq: number, draft: CreateDraft) => {
      const messagePromise = page.waitForMessage('check-change');
      page.sendToHost({ type: 'create-change', seq, draft });
      const message = await messagePromise;
      assert.ok(message.type === 'check-change');
      assert.equal(message.check.seq, seq);
      return message.check;
    };
    assert.equal((await checkDraft(1, createDraft(state, { variants: 3 }))).priceText, '$0.03');
    const emptyDraftCheck = await checkDraft(2, createDraft(state, { prompt: ' ' }));
    assert.deepEqual(
      emptyDraftCheck.problems.map(({ field, severity }) => [field, severity]),
      [['prompt', 'error']],
    );
    const invalidDraftCheck = await checkDraft(
      3,
      createDraft(state, { width: 257, seed: 5_000_000_000 }),
    );
    assert.ok(invalidDraftCheck.problems.every(({ severity }) => severity === 'warning'));
  });

  test('starts no job from a form with an error', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    const messagePromise = page.waitForMessage('check-change');
    page.sendToHost({ type: 'create-run', draft: createDraft(state, { prompt: '' }) });
    await messagePromise;
    const sentRequests = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/generate'),
    );
    assert.deepEqual(sentRequests, []);
  });

  test('keeps a canceled job in the list until the user removes the job', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'studio' },
    });
    const runningMessagePromise = page.waitForMessage('job-put', hasJobStatus('running'));
    page.sendToHost({ type: 'create-run', draft: createDraft(state) });
    const runningJob = await runningMessagePromise;
    assert.ok(runningJob.type === 'job-put');
    const jobMessagePromise = page.waitForMessage('job-put', hasJobStatus('canceled'));
    page.sendToHost({ type: 'job-cancel', id: runningJob.job.id });
    await jobMessagePromise;
    const removeMessagePromise = page.waitForMessage('job-remove');
    page.sendToHost({ type: 'job-dismiss', id: runningJob.job.id });
    await removeMessagePromise;
    await control.releasePause('studio');
  });

  test('shows actions for a failed job, and sends the same request on Retry', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'status', status: 402, body: { error: 'Insufficient balance' } },
    });
    const job = await runJob(page, createDraft(state));
    assert.equal(job.status, 'failed');
    assert.equal(job.failure?.code, 'out-of-funds');
    const jobEndPromise = page.waitForMessage('job-put', hasJobStatus('done'));
    page.sendToHost({ type: 'action-run', source: 'job', jobId: job.id, action: 'retry' });
    await jobEndPromise;
    const sentRequests = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/generate'),
    );
    const [firstBody, secondBody] = sentRequests.map(({ body }) => body);
    assert.deepEqual(firstBody, secondBody);
  });

  test('regenerates with the same or another seed, upscales and removes the background', async () => {
    using studioScene = await openStudio();
    const { page, state, fixture } = studioScene;
    const [id = ''] = (await runJob(page, createDraft(state, { seed: 5 }))).images;
    assert.ok(id);
    for (const action of ['same-seed', 'vary', 'upscale-2', 'remove-background'] as const) {
      const jobEndPromise = page.waitForMessage('job-put', hasJobStatus('done', 'failed'));
      page.sendToHost({ type: 'image-act', id, action });
      const message = await jobEndPromise;
      assert.ok(message.type === 'job-put');
      assert.equal(message.job.status, 'done', `${action}: ${message.job.failure?.title}`);
    }
    const records = await fixture.images.gallery.list();
    assert.deepEqual(
      records.map(({ origin, width }) => [
        origin.kind,
        origin.kind === 'generate' && origin.request.seed === 5,
        width,
      ]),
      [
        ['remove-background', false, 256],
        ['upscale', false, 512],
        ['generate', false, 256],
        ['generate', true, 256],
        ['generate', true, 256],
      ],
    );
  });

  test('edits a single image, and combines two images', async () => {
    using studioScene = await openStudio();
    const { page, state } = studioScene;
    const [firstImage = ''] = (await runJob(page, createDraft(state))).images;
    const [secondImage = ''] = (await runJob(page, createDraft(state))).images;
    for (const [ids, path] of [
      [[firstImage], '/image/edit'],
      [[firstImage, secondImage], '/image/multi-edit'],
    ] as const) {
      const inputsPromise = page.waitForMessage(
        'inputs-change',
        (message) => message.type === 'inputs-change' && message.inputs.length === ids.length,
      );
      page.sendToHost({ type: 'inputs-set', ids });
      await inputsPromise;
      const jobEndPromise = page.waitForMessage('job-put', hasJobStatus('done', 'failed'));
      const draft = { ...state.edit, prompt: 'make it red', model: state.models.suggested.edit };
      page.sendToHost({ type: 'edit-run', draft });
      const message = await jobEndPromise;
      assert.ok(message.type === 'job-put');
      assert.equal(message.job.status, 'done', message.job.failure?.title);
      assert.ok((await control.getRequests()).some((request) => request.path.endsWith(path)));
    }
  });

  test('restores forms, jobs and images after a page reload', async () => {
    using studioScene = await openStudio();
    const { page, state, reload } = studioScene;
    const draft = createDraft(state, { prompt: 'a blue fox' });
    const messagePromise = page.waitForMessage('check-change');
    page.sendToHost({ type: 'create-change', seq: 1, draft });
    await messagePromise;
    const job = await runJob(page, draft);
    const reloadedState = await reload();
    assert.deepEqual(reloadedState.create, draft);
    assert.equal(reloadedState.hasCurrentDrafts, true);
    assert.deepEqual(
      reloadedState.jobs.map(({ id }) => id),
      [job.id],
    );
    assert.deepEqual(
      reloadedState.images.map(({ id }) => id),
      job.images,
    );
  });

  test('drops malformed messages, and ignores unknown images', async () => {
    using studioScene = await openStudio();
    const { page, fixture, reload } = studioScene;
    for (const message of [
      undefined,
      { type: 'image-act', id: '../../etc/passwd', action: 'open' },
      { type: 'image-act', id: 'unknown', action: 'upscale-2' },
      { type: 'images-delete', ids: ['unknown'] },
      { type: 'action-run', source: 'job', jobId: 'unknown', action: 'retry' },
      { type: 'action-run', source: 'account', jobId: null, action: 'constructor' },
    ]) {
      page.sendToHost(message);
    }
    await reload();
    const sentRequests = (await control.getRequests()).filter(({ path }) =>
      path.includes('/image/'),
    );
    assert.deepEqual(sentRequests, []);
    assert.deepEqual(await fixture.images.gallery.list(), []);
  });

  test('stores a thumbnail only if its bytes are an image of the right size', async () => {
    using studioScene = await openStudio();
    const { page, state, fixture, reload } = studioScene;
    const [id = ''] = (await runJob(page, createDraft(state))).images;
    const webp = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .webp()
      .toBuffer();
    page.sendToHost({ type: 'thumbnail-made', id, bytes: Buffer.from('<svg/>') });
    page.sendToHost({ type: 'thumbnail-made', id: 'unknown', bytes: webp });
    assert.equal((await reload()).images[0]?.thumb, null);
    page.sendToHost({ type: 'thumbnail-made', id, bytes: new Uint8Array(webp) });
    await waitUntil(async () => (await fixture.images.gallery.listThumbnailIds()).length === 1);
    assert.match((await reload()).images[0]?.thumb ?? '', /thumbnails\/.*\.webp$/u);
  });
});

suite('the gallery of the image studio', () => {
  async function saveImage(studioScene: StudioFixture): Promise<{ id: string; file: vscode.Uri }> {
    const { page, state, fixture } = studioScene;
    const [id = ''] = (await runJob(page, createDraft(state, { seed: 7 }))).images;
    const messagePromise = page.waitForMessage('notice-show');
    page.sendToHost({ type: 'image-act', id, action: 'save' });
    await messagePromise;
    const record = await fixture.images.gallery.find(id ?? '');
    const [file = ''] = record?.saved ?? [];
    return { id: id ?? '', file: vscode.Uri.parse(file) };
  }

  const readImageView = async (page: FakeStudioPage, id: string) => {
    const readyMessagePromise = page.waitForMessage(
      'gallery-change',
      (message) => message.type === 'gallery-change' && message.gallery.status === 'ready',
    );
    page.sendToHost({ type: 'gallery-request' });
    await readyMessagePromise;
    const views = page.receivedMessages.flatMap((message) =>
      message.type === 'images-put' ? message.images.filter((image) => image.id === id) : [],
    );
    return views.at(-1);
  };

  test('reports that a newer version stored the gallery, but lists new images', async () => {
    const text = '{"type":"gallery-start","version":2}\n';
    let journal = '';
    using studioScene = await openStudio((folder) => {
      journal = join(folder, 'gallery.jsonl');
      mkdirSync(folder, { recursive: true });
      writeFileSync(journal, text);
    });
    const { page, state } = studioScene;
    try {
      const readyMessagePromise = page.waitForMessage(
        'gallery-change',
        (message) => message.type === 'gallery-change' && message.gallery.status === 'ready',
      );
      page.sendToHost({ type: 'gallery-request' });
      const message = await readyMessagePromise;
      assert.ok(message.type === 'gallery-change');
      assert.equal(
        message.gallery.failure?.title,
        'Created by a newer version of Inference Service. Update the extension to open it.',
      );
      const [id = ''] = (await runJob(page, createDraft(state))).images;
      assert.ok(await readImageView(page, id ?? ''));
      assert.equal(readFileSync(journal, 'utf8'), text);
    } finally {
      rmSync(dirname(journal), { recursive: true, force: true });
    }
  });

  test('shows that an image was saved, detects the deletion of the file, and can save the image again', async () => {
    using studioScene = await openStudio();
    const { page } = studioScene;
    const { id, file } = await saveImage(studioScene);
    try {
      assert.equal((await readImageView(page, id))?.file, 'saved');
      const movedFile = file.with({ path: `${file.path}.moved` });
      renameSync(file.fsPath, movedFile.fsPath);
      assert.equal((await readImageView(page, id))?.file, 'missing');
      rmSync(movedFile.fsPath);
      const messagePromise = page.waitForMessage('notice-show');
      page.sendToHost({ type: 'image-act', id, action: 'save' });
      await messagePromise;
      assert.equal((await readImageView(page, id))?.file, 'saved');
    } finally {
      rmSync(vscode.Uri.joinPath(file, '..').fsPath, { recursive: true, force: true });
    }
  });

  test('follows a saved file that is renamed in VS Code', async () => {
    using studioScene = await openStudio();
    const { page, fixture } = studioScene;
    const { id, file } = await saveImage(studioScene);
    try {
      const renamedUri = vscode.Uri.joinPath(file, '..', 'renamed.webp');
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(file, renamedUri);
      assert.equal(await vscode.workspace.applyEdit(edit), true);
      await waitUntil(
        async () =>
          (await fixture.images.gallery.find(id))?.saved.includes(renamedUri.toString()) === true,
      );
      assert.equal((await readImageView(page, id))?.file, 'saved');
    } finally {
      rmSync(vscode.Uri.joinPath(file, '..').fsPath, { recursive: true, force: true });
    }
  });

  test('deletes an image after confirmation, but not its saved file', async () => {
    using studioScene = await openStudio();
    const { page, fixture } = studioScene;
    const { id, file } = await saveImage(studioScene);
    try {
      {
        using dialogs = new Dialogs();
        page.sendToHost({ type: 'images-delete', ids: [id] });
        await waitUntil(async () => dialogs.shownMessages.length === 1);
      }
      assert.ok(await fixture.images.gallery.find(id), 'who does not answer deletes nothing');
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Delete');
      const removeMessagePromise = page.waitForMessage('images-remove');
      page.sendToHost({ type: 'images-delete', ids: [id] });
      await removeMessagePromise;
      assert.equal(await fixture.images.gallery.find(id), undefined);
      // The files are deleted after the record, so the test waits for their deletion.
      const listRemainingFiles = (): string[] =>
        readdirSync(fixture.images.gallery.folder).filter((name) => name.startsWith(id));
      await waitUntil(async () => listRemainingFiles().length === 0);
      await vscode.workspace.fs.stat(file);
    } finally {
      rmSync(vscode.Uri.joinPath(file, '..').fsPath, { recursive: true, force: true });
    }
  });
});
