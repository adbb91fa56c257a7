import { beforeEach, expect, test, vi } from 'vitest';
import { UnstoredImageError } from './image-file.ts';
import { offerUnstoredImage } from './save-image.ts';

const editor = vi.hoisted(() => ({
  /** Labels of the buttons to press, in order. Afterwards, notifications are closed. */
  pressed: [] as string[],
  messages: [] as string[],
  /** Results of the save dialog, in order. */
  targets: [] as ({ path: string } | undefined)[],
  fullFolders: [] as string[],
  written: [] as string[],
}));

vi.mock('vscode', async () => {
  const show = async (message: string, ...labels: string[]): Promise<string | undefined> => {
    editor.messages.push(message);
    return labels.includes(editor.pressed[0] ?? '') ? editor.pressed.shift() : undefined;
  };
  return {
    ...(await import('../../../test/support/vscode-stub.ts')),
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
      ...{ showErrorMessage: show, showInformationMessage: show },
      showSaveDialog: async () => editor.targets.shift(),
    },
  };
});

const image = new UnstoredImageError(new Uint8Array([1, 2, 3]), 'png', { code: 'ENOSPC' });
const save = 'Save As…';

beforeEach(() => {
  Object.assign(editor, { pressed: [], messages: [], targets: [], fullFolders: [], written: [] });
});

test('offerUnstoredImage saves the image where the user chooses', async () => {
  Object.assign(editor, { pressed: [save], targets: [{ path: '/usb/boat.png' }] });
  await offerUnstoredImage(image);
  expect(editor.written).toEqual(['/usb/boat.png: 1 2 3']);
  expect(editor.messages).toEqual([
    'The disk is full, so the image is not in the gallery. Save it elsewhere.',
    'Saved as /usb/boat.png.',
  ]);
});

test('offerUnstoredImage repeats the offer after a canceled dialog and after a failed write', async () => {
  Object.assign(editor, {
    pressed: [save, save, save],
    targets: [undefined, { path: '/home/boat.png' }, { path: '/usb/boat.png' }],
    fullFolders: ['/home'],
  });
  await offerUnstoredImage(image);
  expect(editor.messages).toHaveLength(4);
  expect(editor.written).toEqual(['/usb/boat.png: 1 2 3']);
});

test('offerUnstoredImage ends if the user closes the notification', async () => {
  await offerUnstoredImage(image);
  expect([editor.messages.length, editor.written]).toEqual([1, []]);
});
