import { beforeEach, expect, test, vi } from 'vitest';
import { UnstoredImageError } from './image-file.ts';
import { UnstoredImages } from './save-image.ts';

const editor = vi.hoisted(() => ({
  /**
   * Labels of the buttons that the simulated user presses, in order. The user closes a notification that does not have
   * the next button.
   */
  labelsToPress: [] as string[],
  messages: [] as string[],
  /** Results of the save dialog, in order. */
  targets: [] as ({ path: string } | undefined)[],
  fullFolders: [] as string[],
  written: [] as string[],
  errors: [] as unknown[],
  /** Values that the code under test set for the context key that controls the visibility of the commands, in order. */
  contextKeyValues: [] as unknown[],
}));

vi.mock('vscode', async () => {
  const show = async (message: string, ...labels: unknown[]): Promise<string | undefined> => {
    editor.messages.push(message);
    return labels.includes(editor.labelsToPress[0] ?? '')
      ? editor.labelsToPress.shift()
      : undefined;
  };
  return {
    ...(await import('../../../test/support/vscode-stub.ts')),
    commands: {
      executeCommand: (_: string, __: string, value: unknown) =>
        editor.contextKeyValues.push(value),
    },
    Uri: { file: (path: string) => ({ path }) },
    workspace: {
      asRelativePath: ({ path }: { path: string }) => path,
      fs: {
        writeFile: async ({ path }: { path: string }, content: Uint8Array) => {
          if (editor.fullFolders.some((folder) => path.startsWith(folder)))
            throw new Error('ENOSPC');
          editor.written.push(`${path}: ${content.join(' ')}`);
        },
      },
    },
    window: {
      ...{ showErrorMessage: show, showInformationMessage: show, showWarningMessage: show },
      showSaveDialog: async () => editor.targets.shift(),
    },
  };
});

const createUnstoredImage = (start: number): UnstoredImageError =>
  new UnstoredImageError(
    new Uint8Array([start, 2, 3]),
    { format: 'png', reason: 'disk' },
    { code: 'ENOSPC' },
  );
const log = { error: (...args: unknown[]) => editor.errors.push(args) };
const [saveLabel, discardLabel] = ['Save As…', 'Discard'];
const offerText = 'The disk is full, so the image is not in the gallery. Save it elsewhere.';

beforeEach(() => {
  Object.assign(editor, {
    labelsToPress: [],
    messages: [],
    targets: [],
    fullFolders: [],
    written: [],
  });
  Object.assign(editor, { contextKeyValues: [], errors: [] });
});

/** Adds an image to `images`, and waits until the user has closed all notifications. */
async function addImage(images: UnstoredImages, start = 1): Promise<void> {
  images.add(createUnstoredImage(start));
  await waitForPromises();
}

/** Waits until all promise callbacks that are already queued have run. */
const waitForPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('UnstoredImages saves the image at the location that the user chooses', async () => {
  Object.assign(editor, { labelsToPress: [saveLabel], targets: [{ path: '/usb/boat.png' }] });
  await addImage(new UnstoredImages(log));
  expect(editor.written).toEqual(['/usb/boat.png: 1 2 3']);
  expect(editor.messages).toEqual([offerText, 'Saved as /usb/boat.png.']);
});

test('UnstoredImages repeats the offer after a canceled save dialog and after a failed write', async () => {
  Object.assign(editor, {
    labelsToPress: [saveLabel, saveLabel, saveLabel],
    targets: [undefined, { path: '/home/boat.png' }, { path: '/usb/boat.png' }],
    fullFolders: ['/home'],
  });
  await addImage(new UnstoredImages(log));
  expect(editor.messages).toHaveLength(4);
  expect(editor.written).toEqual(['/usb/boat.png: 1 2 3']);
});

test('UnstoredImages keeps an image whose offer the user closed, and offers the image again with the next image', async () => {
  const images = new UnstoredImages(log);
  await addImage(images, 1);
  expect([editor.messages, editor.written]).toEqual([[offerText], []]);
  Object.assign(editor, {
    labelsToPress: [saveLabel, saveLabel],
    targets: [{ path: '/usb/a.png' }, { path: '/usb/b.png' }],
  });
  await addImage(images, 8);
  expect(editor.written).toEqual(['/usb/a.png: 1 2 3', '/usb/b.png: 8 2 3']);
});

test('UnstoredImages shows at most one offer for an image at a time', async () => {
  const images = new UnstoredImages(log);
  images.add(createUnstoredImage(1));
  images.notifyAgain();
  images.notifyAgain();
  await waitForPromises();
  expect(editor.messages).toEqual([offerText]);
});

test('saveAll asks for the location of each image, and stops when the user cancels a dialog', async () => {
  const images = new UnstoredImages(log);
  await addImage(images, 1);
  await addImage(images, 8);
  editor.targets = [{ path: '/usb/a.png' }, undefined];
  await images.saveAll();
  expect(editor.written).toEqual(['/usb/a.png: 1 2 3']);
  editor.targets = [{ path: '/usb/b.png' }];
  await images.saveAll();
  expect(editor.written).toEqual(['/usb/a.png: 1 2 3', '/usb/b.png: 8 2 3']);
  // The command is available while an image is in memory.
  expect(editor.contextKeyValues).toEqual([true, false]);
});

test('saveAll shows and logs an error of the file system, and offers the image again', async () => {
  const images = new UnstoredImages(log);
  await addImage(images);
  Object.assign(editor, { messages: [], labelsToPress: [saveLabel], fullFolders: ['/home'] });
  editor.targets = [{ path: '/home/a.png' }, { path: '/usb/a.png' }];
  await images.saveAll();
  await waitForPromises();
  expect(editor.errors).toEqual([['Could not save an image', new Error('ENOSPC')]]);
  expect(editor.messages).toHaveLength(2);
  expect(editor.messages[0]).not.toBe(offerText);
  expect(editor.written).toEqual(['/usb/a.png: 1 2 3']);
});

test('UnstoredImages discards an image if the user chooses Discard', async () => {
  const images = new UnstoredImages(log);
  editor.labelsToPress = [discardLabel];
  await addImage(images);
  expect(editor.contextKeyValues).toEqual([true, false]);
  editor.messages = [];
  images.notifyAgain();
  await images.saveAll();
  expect([editor.messages, editor.written]).toEqual([[], []]);
});

test('UnstoredImages is full if its images have a total size of 200 MB, until an image is discarded', async () => {
  const images = new UnstoredImages(log);
  images.add(
    new UnstoredImageError(new Uint8Array(200_000_000), { format: 'png', reason: 'too-large' }),
  );
  await waitForPromises();
  expect(images.isFull).toBe(true);
  editor.labelsToPress = [discardLabel];
  await images.discardAll();
  expect(images.isFull).toBe(false);
});

test('discardAll keeps the images unless the user confirms', async () => {
  const images = new UnstoredImages(log);
  await addImage(images);
  await images.discardAll();
  editor.targets = [undefined];
  expect(editor.contextKeyValues).toEqual([true]);
  editor.labelsToPress = [discardLabel];
  await images.discardAll();
  expect(editor.contextKeyValues).toEqual([true, false]);
  expect(editor.messages.at(-1)).toBe('Discard the images that are not in the gallery?');
});
